import EMV

/// What a payment is (YouTransactor mPOS SDK for iOS, `TransactionType`), with the value of tag 9C that belongs to it.
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

    /// The first two digits of ISO 8583 field 3, as `RPC.TransactionType` has them in hexadecimal.
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

    /// What stands for the tender where cash is what is sold.
    var tender: String? {
        switch self {
        case .withdrawal, .manualCash: rawValue
        case .purchase, .purchaseCashback, .refund, .inquiry: nil
        }
    }
}

/// How the card was read (`CardEntryMode`); the bytes are those of tag DF70 (`RPC.Reader`).
enum UCubeEntryMode: UInt8, CaseIterable {
    case chip = 0x11
    case contactless = 0x21
    /// Older models.
    case magneticStripe = 0x41

    /// The SDK's name.
    var name: String {
        switch self {
        case .chip: "ICC"
        case .contactless: "NFC"
        case .magneticStripe: "MS"
        }
    }

    /// A name of the SDK's or the byte, decimal or in two hexadecimal digits.
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

/// The first byte of `nfcOutcome`: what the cardholder has to do or gets. Source: the SDK's sample application.
enum UCubeOutcomeNeed: UInt8, CaseIterable {
    case receipt = 0x30
    case receiptAndSignature = 0x31
    case none = 0x32
    case onlinePIN = 0x34
}

/// The second byte of `nfcOutcome`: what the contactless kernel decided.
enum UCubeOutcome: UInt8, CaseIterable {
    case otherInterface = 0x31
    case approved = 0x36
    case declined = 0x37
    case failed = 0x38
    case cancelled = 0x3A
    case onlineRequested = 0x3E
    case applicationEnded = 0x3F

    /// The payment statuses that go with it; `onlineRequested` is what every online payment began with.
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

    /// True where the status and the outcome cannot both be right. Errors come on top of any outcome.
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

/// How a task or command ended (`TaskEvent`).
enum UCubeTaskEvent: String, CaseIterable {
    case progress, success, failed, cancelled

    init?(named text: String) { self.init(rawValue: text.lowercased()) }
}
