/// The columns read from Adyen's settlement detail report. They are found by name, because their order differs between
/// accounts and over time.
enum AdyenColumn: Int, CSVColumn {
    case type, netCurrency, netDebit, netCredit, creationDate
    case company, merchant, pspReference, merchantReference, paymentMethod, timeZone
    case modification, grossCurrency, grossDebit, grossCredit
    case commission, markup, scheme, interchange, variant, modificationMerchantReference, batch
    case terminal, acquirerReference, authCode, bookingDate, bookingZone

    var title: String {
        switch self {
        case .type: "Type"
        case .netCurrency: "Net Currency"
        case .netDebit: "Net Debit (NC)"
        case .netCredit: "Net Credit (NC)"
        case .creationDate: "Creation Date"
        case .company: "Company Account"
        case .merchant: "Merchant Account"
        case .pspReference: "Psp Reference"
        case .merchantReference: "Merchant Reference"
        case .paymentMethod: "Payment Method"
        case .timeZone: "TimeZone"
        case .modification: "Modification Reference"
        case .grossCurrency: "Gross Currency"
        case .grossDebit: "Gross Debit (GC)"
        case .grossCredit: "Gross Credit (GC)"
        case .commission: "Commission (NC)"
        case .markup: "Markup (NC)"
        case .scheme: "Scheme Fees (NC)"
        case .interchange: "Interchange (NC)"
        case .variant: "Payment Method Variant"
        case .modificationMerchantReference: "Modification Merchant Reference"
        case .batch: "Batch Number"
        case .terminal: "Unique Terminal ID"
        case .acquirerReference: "ARN"
        case .authCode: "Auth Code"
        case .bookingDate: "Booking Date"
        case .bookingZone: "Booking Date TimeZone"
        }
    }

    var aliases: [String] {
        switch self {
        case .timeZone: ["Creation Date TimeZone"]
        case .acquirerReference: ["Acquirer Reference"]
        case .authCode: ["Authorisation Code", "Authorization Code"]
        default: []
        }
    }
}

/// The journal types of the report (docs.adyen.com, settlement detail report, journal types).
enum AdyenJournal {
    /// Nil for a type without a rule.
    static func type(_ journal: Field, net: Int64) -> LineType? {
        if journal.is("Settled") { return .capture }
        if journal.is("Refunded") { return .refund }
        if journal.is("RefundedReversed") { return .refundReversal }
        if journal.is("Chargeback") || journal.is("SecondChargeback") { return .chargeback }
        if journal.is("ChargebackReversed") || journal.is("ChargebackReversedExternallyWithInfo") {
            return .chargebackReversal
        }
        if journal.is("Fee") || journal.is("MiscCosts") || journal.is("AuthorisationSchemeFee")
            || journal.is("InvoiceDeduction")
        {
            return .fee
        }
        if journal.is("MerchantPayout") || journal.is("InternalCompanyPayout") { return .payout }
        if journal.is("BankInstructionReturned") { return .payoutReturn }
        if journal.is("Balancetransfer") { return .transfer }
        if journal.is("DepositCorrection") { return net < 0 ? .reserve : .reserveRelease }
        if journal.is("ManualCorrected") { return .adjustment }
        // Money that the merchant has sent for a balance below zero.
        if journal.is("MatchedStatement") { return .deposit }
        return nil
    }
}
