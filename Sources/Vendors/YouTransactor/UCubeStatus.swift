import Payments

/// How a uCube payment ended (YouTransactor mPOS SDK for iOS, `PaymentStatus`). Approved and declined are the
/// terminal's verdicts, not the host's.
enum UCubeStatus: String, CaseIterable {
    case approved, declined
    /// The app cancelled before the card was read, a command answered -32 or -28, or the contactless outcome is 3A.
    case cancelled
    case cardWaitFailed, unsupportedCard
    case nfcOutcomeTryOtherInterface, nfcOutcomeEndApplication, nfcOutcomeFailed
    case error, errorDisconnect, errorShuttingDown, errorWrongActivatedReader
    /// The SDK's documentation has the explanations of this one and the next swapped; the names are right. Tag 9F27 is
    /// missing from the answer to the transaction process command.
    case errorMissingRequiredCryptogram
    /// Tag 9F27 has a value it cannot have.
    case errorWrongCryptogramValue
    case errorWrongNfcOutcome

    init?(named text: String) {
        guard let status = Self.named[SensitiveNames.normalized(text)] else { return nil }
        self = status
    }

    private static let named = Dictionary(
        uniqueKeysWithValues: allCases.map { (SensitiveNames.normalized($0.rawValue), $0) }
    )

    /// What the terminal did with the payment.
    var meaning: CodeMeaning {
        switch self {
        case .approved: .approved
        case .declined: .declined
        case .cancelled: .cancelled
        case .cardWaitFailed, .unsupportedCard, .nfcOutcomeTryOtherInterface, .nfcOutcomeEndApplication,
            .nfcOutcomeFailed, .error, .errorDisconnect, .errorShuttingDown, .errorWrongActivatedReader,
            .errorMissingRequiredCryptogram, .errorWrongCryptogramValue, .errorWrongNfcOutcome:
            .failed
        }
    }

    /// True where the payment cannot have got as far as the host.
    var endsBeforeAuthorization: Bool {
        switch self {
        case .cardWaitFailed, .unsupportedCard, .nfcOutcomeTryOtherInterface, .errorWrongActivatedReader: true
        case .approved, .declined, .cancelled, .nfcOutcomeEndApplication, .nfcOutcomeFailed, .error, .errorDisconnect,
            .errorShuttingDown, .errorMissingRequiredCryptogram, .errorWrongCryptogramValue, .errorWrongNfcOutcome:
            false
        }
    }

    /// True for those that can happen at any moment, between sending an authorisation and its answer as well.
    var happensAnytime: Bool {
        switch self {
        case .error, .errorDisconnect, .errorShuttingDown: true
        default: false
        }
    }
}

/// The host's word in tag 8A, as the app hands it to the terminal.
enum UCubeHostAnswer: Hashable {
    case approved, declined
    /// A part was approved, and nothing tells how much.
    case partiallyApproved
    /// The host was not reached, did not answer in time, or the answer cannot be read.
    case unknown
    /// The terminal's own code: no host was asked.
    case notAsked

    /// ISO 8583 field 39 as far as it decides about money; 98 is what the SDK's sample sends when it cannot go online,
    /// 1A and 70 ask for strong customer authentication, which is a decline of this attempt.
    init(_ code: ResponseCode) {
        self =
            switch code.text {
            case "00", "08", "11", "85": .approved
            case "10", "32": .partiallyApproved
            case "09", "28", "68", "98": .unknown
            default: code.isTerminals ? .notAsked : .declined
            }
    }

    /// Tag 8A, read.
    struct ResponseCode: Hashable {
        var text: String
        var isTerminals: Bool
    }
}
