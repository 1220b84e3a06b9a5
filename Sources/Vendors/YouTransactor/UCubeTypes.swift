import EMV
import Redaction

/// The type of a payment (YouTransactor mPOS SDK for iOS, `TransactionType`), with its value of tag 9C.
enum UCubeTransactionType: String, CaseIterable {
    case purchase, withdrawal, refund, purchaseCashback, manualCash, inquiry

    init?(named text: String) {
        let name = SensitiveNames.normalized(text)
        guard let type = Self.allCases.first(where: { SensitiveNames.normalized($0.rawValue) == name }) else {
            return nil
        }
        self = type
    }

    /// - Parameter code: The number in tag 9C as two decimal digits.
    init?(code: Int64) {
        guard let type = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = type
    }

    /// The first two digits of ISO 8583 field 3, which `RPC.TransactionType` has in hexadecimal.
    var code: Int64 {
        switch self {
        case .purchase: 0
        case .withdrawal: 1
        case .purchaseCashback: 9
        case .manualCash: 12
        case .refund: 20
        case .inquiry: 31
        }
    }

    /// The tender of types that sell cash.
    var tender: String? {
        switch self {
        case .withdrawal, .manualCash: rawValue
        case .purchase, .purchaseCashback, .refund, .inquiry: nil
        }
    }
}

/// The card's entry mode (`CardEntryMode`); the bytes are those of tag DF70 (`RPC.Reader`).
enum UCubeEntryMode: UInt8, CaseIterable {
    case chip = 0x11
    case contactless = 0x21
    /// Supported by older models.
    case magneticStripe = 0x41

    /// The SDK's name.
    var name: String {
        switch self {
        case .chip: "ICC"
        case .contactless: "NFC"
        case .magneticStripe: "MS"
        }
    }

    /// Accepts the SDK's name or the byte, in decimal or in two hexadecimal digits.
    init?(named text: String) {
        let name = text.uppercased()
        if let mode = Self.allCases.first(where: { $0.name == name }) {
            self = mode
        } else if let byte = UInt8(text), let mode = UCubeEntryMode(rawValue: byte) {
            self = mode
        } else if let byte = Hexadecimal.bytes(text)?.first, text.utf8.count == 2,
            let mode = UCubeEntryMode(rawValue: byte)
        {
            self = mode
        } else {
            return nil
        }
    }
}

/// The first byte of `nfcOutcome`: the cardholder's next action or receipt. Source: the SDK's sample application.
enum UCubeOutcomeNeed: UInt8, CaseIterable {
    case receipt = 0x30
    case receiptAndSignature = 0x31
    case none = 0x32
    case onlinePIN = 0x34
}

/// The second byte of `nfcOutcome`: the contactless kernel's decision.
enum UCubeOutcome: UInt8, CaseIterable {
    case otherInterface = 0x31
    case approved = 0x36
    case declined = 0x37
    case failed = 0x38
    case cancelled = 0x3A
    case onlineRequested = 0x3E
    case applicationEnded = 0x3F

    /// The payment statuses that match it; every online payment starts with `onlineRequested`.
    var statuses: [UCubeStatus] {
        switch self {
        case .otherInterface: [.nfcOutcomeTryOtherInterface]
        case .approved: [.approved]
        case .declined: [.declined]
        case .failed: [.nfcOutcomeFailed]
        case .cancelled: [.cancelled]
        case .onlineRequested: UCubeStatus.allCases
        case .applicationEnded: [.nfcOutcomeEndApplication]
        }
    }

    /// True if status and outcome contradict each other. Errors can follow any outcome.
    func contradicts(_ status: UCubeStatus) -> Bool {
        switch status {
        case .error, .errorDisconnect, .errorShuttingDown, .errorWrongActivatedReader, .errorMissingRequiredCryptogram,
            .errorWrongCryptogramValue, .errorWrongNfcOutcome, .cardWaitFailed, .unsupportedCard, .cancelled:
            false
        case .approved, .declined, .nfcOutcomeTryOtherInterface, .nfcOutcomeEndApplication, .nfcOutcomeFailed:
            !statuses.contains(status)
        }
    }
}

/// The end of a task or command (`TaskEvent`).
enum UCubeTaskEvent: String, CaseIterable {
    case progress, success, failed, cancelled

    init?(named text: String) { self.init(rawValue: text.lowercased()) }
}
