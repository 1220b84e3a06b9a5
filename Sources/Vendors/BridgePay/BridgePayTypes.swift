import Redaction

/// The customer's means of payment.
///
/// Names: PayGuardian iOS guide, `BPNPaymentRequest`, `TenderType`; the letters are BridgeComm's `AcctType`.
enum BridgePayTender: String, Hashable, CaseIterable {
    case credit, debit, gift, loyalty
    case ebtCash = "ebt-cash"
    case ebtFood = "ebt-food"
    case checking = "bank-account-checking"
    case savings = "bank-account-savings"
    case signature
    case fleet, cash, check
    /// Not a tender type of the guide: a request that names only a wallet's payment method.
    case wallet

    private static let names: [String: BridgePayTender] = [
        "credit": .credit, "debit": .debit, "gift": .gift, "loyalty": .loyalty, "ebtcash": .ebtCash,
        "ebtfood": .ebtFood, "bankaccountchecking": .checking, "bankaccountsavings": .savings, "signature": .signature,
        "r": .credit, "e": .debit, "v": .debit, "d": .debit, "i": .debit, "s": .savings, "c": .checking, "f": .ebtFood,
        "h": .ebtCash, "g": .gift, "l": .fleet, "a": .cash, "k": .check,
    ]

    /// Accepts `TENDER_TYPE_EBT_CASH`, `ebt_cash` and `H`.
    init?(_ text: String) {
        var name = SensitiveNames.normalized(text)
        if name.hasPrefix("tendertype") { name.removeFirst("tendertype".count) }
        guard let tender = Self.names[name] else { return nil }
        self = tender
    }
}

/// The merchant's line of business.
///
/// Names: PayGuardian iOS guide, `BPNPaymentRequest`, `IndustryType`; the letters are BridgeComm's
/// `TransIndustryType`, those of three and more for bank accounts.
enum BridgePayIndustry: String, Hashable, CaseIterable {
    case retail, restaurant, ecommerce, lodging, healthcare
    case directMarketing = "direct-marketing"
    case petroleum
    /// The entry classes of the US clearing house.
    case pointOfPurchase = "POP"
    case prearranged = "PPD"
    case corporate = "CCD"
    case telephone = "TEL"
    case web = "WEB"
    case check21 = "C21"

    private static let names: [String: BridgePayIndustry] = [
        "retail": .retail, "restaurant": .restaurant, "ecommerce": .ecommerce, "directmarketing": .directMarketing,
        "lodging": .lodging, "healthcare": .healthcare,
        "re": .retail, "rs": .restaurant, "ec": .ecommerce, "dm": .directMarketing, "ld": .lodging, "pt": .petroleum,
        "pop": .pointOfPurchase, "ppd": .prearranged, "ccd": .corporate, "tel": .telephone, "web": .web,
        "c21": .check21,
    ]

    /// Accepts `TRANSACTION_INDUSTRY_TYPE_RETAIL` and `RE`.
    init?(_ text: String) {
        var name = SensitiveNames.normalized(text)
        if name.hasPrefix("transactionindustrytype") { name.removeFirst("transactionindustrytype".count) }
        guard let industry = Self.names[name] else { return nil }
        self = industry
    }
}

/// The readers that PayGuardian supports: PayGuardian iOS guide, `TerminalCommConfig`, `terminalType`.
enum BridgePayTerminalType: String, Hashable, CaseIterable {
    case ingenicoBluetooth = "TERMINAL_TYPE_INGENICO_BLUETOOTH"
    case ingenicoIP = "TERMINAL_TYPE_INGENICO_IP"
    case magtekIDynamo = "TERMINAL_TYPE_MAGTEK_IDYNAMO"
    case idtechShuttle = "TERMINAL_TYPE_IDTECH_SHUTTLE"
    case idtechUniPayIII = "TERMINAL_TYPE_IDTECH_UNIPAYIII"
    case idtechUniPayBluetooth = "TERMINAL_TYPE_IDTECH_UNIPAY_BT"
    case bbposChipper2 = "TERMINAL_TYPE_BBPOS_CHIPPER2"
    case bbposWisePad2 = "TERMINAL_TYPE_BBPOS_WISEPAD2"

    init?(_ text: String) {
        let name = SensitiveNames.normalized(text)
        guard let type = Self.allCases.first(where: { SensitiveNames.normalized($0.rawValue) == name }) else {
            return nil
        }
        self = type
    }
}

/// Whether the amount includes tax: PayGuardian iOS guide, `BPNPaymentRequest`, `taxIndicator`.
enum BridgePayTaxIndicator: String, Hashable, CaseIterable {
    case provided = "P"
    case notProvided = "N"
    case exempt = "E"

    var name: String {
        switch self {
        case .provided: "provided"
        case .notProvided: "not-provided"
        case .exempt: "exempt"
        }
    }
}
