// The tables of properties in the PayGuardian iOS guide, document 000.
extension BridgePayProperty {
    /// `BPNPaymentRequest`, lines 288 to 704.
    static let request: [BridgePayProperty] = [
        .init("amount", .decimal(12)),
        .init("tipAmount", .decimal(12)),
        .init("invoiceNumber", .alphanumeric(1...12)),
        .init("username", .length(5...25)),
        .init("merchantCode", .digits),
        .init("merchantAccountCode", .digits),
        .init("pnRefNum", .length(1...15)),
        .init("cashBackAmount", .implied(15)),
        .init("paymentAccountNumber", .length(13...16)),
        .init("bankAccountNumber", .length(1...17)),
        .init("routingNumber", .length(9...9)),
        .init("partialApproval", .flag),
        .init("enableTpi", .flag),
        .init("testMode", .flag),
        .init("disableAmountConfirmation", .flag),
        .init("enforceCardType", .flag),
        .init("cardPresent", .flag),
        .init("forceOnDuplicate", .flag),
        .init("taxRate", .implied(15)),
        .init("taxAmount", .implied(15)),
        .init("taxIndicator", .length(1...1)),
        .init("voiceAuthCode", .length(1...15)),
        .init("clerkId", .length(1...15)),
        .init("tipRecipientCode", .length(1...15)),
        .init("wallet", .length(1...3)),
        .init("settlementDelay", .length(1...1)),
        .init("customFields", .length(20...500)),
    ]

    /// The objects in a request, by the names of their members: lines 404 to 416, 457 to 469 and 480 to 513.
    static let requestObjects: [(object: String, name: String, properties: [BridgePayProperty])] = [
        ("shippingAddress", "shippingaddress", address), ("healthCareData", "healthcaredata", healthCare),
        ("terminalCommConfig", "terminalcommconfig", terminal),
    ]

    private static let address: [BridgePayProperty] = [
        .init("name", .length(1...100)),
        .init("street", .length(1...128)),
        .init("city", .length(1...50)),
        .init("state", .length(1...2)),
        .init("zip", .length(1...15)),
        .init("countryCode", .length(1...2)),
    ]

    private static let healthCare: [BridgePayProperty] = [
        .init("healthCareAmt", .decimal(50)),
        .init("transitAmt", .decimal(50)),
        .init("transmitAmt", .decimal(50)),
        .init("prescriptionAmt", .decimal(50)),
        .init("visionAmt", .decimal(50)),
        .init("dentalAmt", .decimal(50)),
        .init("clinicAmt", .decimal(50)),
        .init("isQualifiedIIAS", .length(4...5)),
    ]

    private static let terminal: [BridgePayProperty] = [
        .init("port", .number(1...65_535)),
        .init("disableEmv", .flag),
        .init("useQuickChip", .flag),
        .init("useBluefinManualEntry", .flag),
        .init("enableBluefinCashback", .flag),
        .init("enableBluefinTip", .flag),
        .init("enableContactless", .flag),
        .init("promptZipForFees", .flag),
        .init("promptCvvForFees", .flag),
        .init("terminalTimeout", .number(1...86_400)),
    ]

    /// `BridgeCommResponse`, lines 784 to 1105, without the maxima that the guide's own samples and tables exceed: of
    /// both references, of the result and of the times. `transactionID` is a UUID in answers to Daybook's own calls.
    static let response: [BridgePayProperty] = [
        .init("requestType", .length(1...15)),
        .init("responseCode", .length(1...6)),
        .init("authorizationCode", .length(1...50)),
        .init("authorizedAmount", .decimal(12)),
        .init("originalAmount", .decimal(12)),
        .init("remainingAmount", .decimal(12)),
        .init("gatewayTransactionID", .length(1...12)),
        .init("gatewayMessage", .length(1...50)),
        .init("internalMessage", .length(1...50)),
        .init("AVSMessage", .length(1...10)),
        .init("AVSResponse", .length(1...10)),
        .init("CVMessage", .length(1...10)),
        .init("CVResult", .length(1...10)),
        .init("transactionDate", .length(1...10)),
        .init("ISOCountryCode", .length(1...3)),
        .init("merchantCode", .digits),
        .init("merchantAccountCode", .digits),
        .init("merchantName", .length(1...50)),
        .init("walletResponseCode", .length(1...2)),
        .init("walletResponseMessage", .length(1...100)),
        .init("walledResponseMessage", .length(1...100)),
    ]

    /// `BPNReceipt`, lines 1122 to 1206, without the four characters of the card's type, which every sample exceeds.
    static let receipt: [BridgePayProperty] = [
        .init("maskedCardNumber", .printedNumber(13...19)),
        .init("invoice", .length(1...24)),
        .init("authorizationCode", .length(5...50)),
        .init("entryMethod", .length(1...50)),
        .init("totalAmount", .decimal(12)),
        .init("appLabel", .length(1...50)),
        .init("cardFirstFour", .length(4...4)),
    ]
}
