import Payments
import Redaction

// Transaction types. Each of the vendor's interfaces numbers and names the types differently, and the same number has
// different meanings. Each interface therefore has its own table, and no document is read with another interface's
// table.

/// The operation that a Dejavoo document is about.
enum DejavooOperation: String, Hashable, CaseIterable {
    case sale, refund, authorization, capture, void

    /// True if it changes an existing payment. A refund never does: iPOSgo's refunds are standalone.
    var isFollowUp: Bool { self == .capture || self == .void }
}

/// `TransType` of deep linking V2 requests, `.SALE` as Swift prints it. Source: iOS deep linking V2, perform
/// transactions.
enum TransType: String, CaseIterable {
    case sale = "SALE"
    case refund = "REFUND"
    case preAuth = "PRE_AUTH"
    case ticket = "TICKET"
    case void = "VOID"

    /// Also accepts `sale` and `DeepLinking.TransType.SALE`.
    init?(printed text: String) {
        let name = SensitiveNames.normalized(text.split(separator: ".").last ?? "")
        guard let type = Self.allCases.first(where: { SensitiveNames.normalized($0.rawValue) == name }) else {
            return nil
        }
        self = type
    }

    var operation: DejavooOperation {
        switch self {
        case .sale: .sale
        case .refund: .refund
        case .preAuth: .authorization
        case .ticket: .capture
        case .void: .void
        }
    }
}

/// `TxnType` of deep linking V2 responses. Source: iOS deep linking V2, transaction response details. The guide names
/// two types and states that there are more; therefore `txnLabel` takes precedence.
enum SpinResponseType: Int, CaseIterable {
    case sale = 1
    case refund = 2

    var operation: DejavooOperation {
        switch self {
        case .sale: .sale
        case .refund: .refund
        }
    }
}

/// `txnLabel` of deep linking V2 responses: the types of the same guide as words, in any case and with any blanks.
enum SpinResponseLabel: String, CaseIterable {
    case sale, refund, preauth, ticket, void

    init?(printed text: String) {
        let name = SensitiveNames.normalized(text)
        // The chapter on pre-authorizations also uses this name.
        guard let label = Self(rawValue: name == "preauthorization" ? "preauth" : name) else { return nil }
        self = label
    }

    var operation: DejavooOperation {
        switch self {
        case .sale: .sale
        case .refund: .refund
        case .preauth: .authorization
        case .ticket: .capture
        case .void: .void
        }
    }
}

/// `transaction_type` of a deep linking V2 settlement. Source: iOS deep linking V2, batch settlement. 7 is a tip
/// adjustment elsewhere.
enum SettlementType: Int, CaseIterable {
    case settlement = 7
}

/// `type` of deep linking V1 requests, in any case. Source: iOS deep linking V1, perform transactions, void and
/// ticket, batch.
enum LegacyType: String, CaseIterable {
    case sale, refund, preauth, void, ticket, batch, settlements

    init?(printed text: String) {
        // The chapter's summary writes PRE-AUTH.
        self.init(rawValue: SensitiveNames.normalized(text))
    }

    /// Nil for a settlement.
    var operation: DejavooOperation? {
        switch self {
        case .sale: .sale
        case .refund: .refund
        case .preauth: .authorization
        case .ticket: .capture
        case .void: .void
        case .batch, .settlements: nil
        }
    }
}

/// `transactionType` of the iPOS Transact web interface. Source: iPOS Transact API (facts/vendor_codes, 3). No deep
/// linking document uses these numbers: 2 is a void here and a refund there.
enum TransactType: Int, CaseIterable {
    case sale = 1
    case void = 2
    case refund = 3
    case preAuth = 5
    case ticket = 6
    case tipAdjust = 7
}

/// The methods of the SPIn web interface. They have names, not numbers. Source: SPIn REST API (facts/vendor_codes, 3).
enum SpinMethod: String, CaseIterable {
    case sale = "Sale"
    case `return` = "Return"
    case tipAdjust = "TipAdjust"
    case auth = "Auth"
    case capture = "Capture"
    case void = "Void"
    case settle = "Settle"
    case status = "Status"
    case statusList = "StatusList"
    case offlineStatus = "OfflineStatus"
    case summaryReport = "SummaryReport"
    case dailyReport = "DailyReport"
    case abort = "Abort"
}
