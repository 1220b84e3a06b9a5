import Payments
import Redaction

/// The end of a uCube payment (YouTransactor mPOS SDK for iOS, `PaymentStatus`). Approved and declined are the
/// terminal's results, not the host's.
enum UCubeStatus: String, CaseIterable {
    case approved, declined
    /// The app cancelled before the card was read, a command returned -32 or -28, or the contactless outcome is 3A.
    case cancelled
    case cardWaitFailed, unsupportedCard
    case nfcOutcomeTryOtherInterface, nfcOutcomeEndApplication, nfcOutcomeFailed
    case error, errorDisconnect, errorShuttingDown, errorWrongActivatedReader
    /// The SDK's documentation interchanges the descriptions of this case and the next; the names are right. Tag 9F27
    /// is missing from the answer to the transaction process command.
    case errorMissingRequiredCryptogram
    /// Tag 9F27 has an invalid value.
    case errorWrongCryptogramValue
    case errorWrongNfcOutcome

    init?(named text: String) {
        guard let status = Self.named[SensitiveNames.normalized(text)] else { return nil }
        self = status
    }

    private static let named = Dictionary(
        uniqueKeysWithValues: allCases.map { (SensitiveNames.normalized($0.rawValue), $0) }
    )

    /// The terminal's result for the payment.
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

    /// True if the payment cannot have reached the host.
    var endsBeforeAuthorization: Bool {
        switch self {
        case .cardWaitFailed, .unsupportedCard, .nfcOutcomeTryOtherInterface, .errorWrongActivatedReader: true
        case .approved, .declined, .cancelled, .nfcOutcomeEndApplication, .nfcOutcomeFailed, .error, .errorDisconnect,
            .errorShuttingDown, .errorMissingRequiredCryptogram, .errorWrongCryptogramValue, .errorWrongNfcOutcome:
            false
        }
    }

    /// True for errors that can happen at any time, also between sending an authorization and its answer.
    var happensAnytime: Bool {
        switch self {
        case .error, .errorDisconnect, .errorShuttingDown: true
        default: false
        }
    }
}

/// The host's answer in tag 8A, as the app passes it to the terminal.
enum UCubeHostAnswer: Hashable {
    case approved, declined
    /// A part was approved; the amount is unknown.
    case partiallyApproved
    /// The host was not reached, did not answer in time, or its answer cannot be read.
    case unknown
    /// The terminal's own code: the host was not contacted.
    case notAsked

    /// ISO 8583 field 39, as far as it concerns money. The SDK's sample sends 98 if it cannot go online; 1A and 70
    /// require strong customer authentication, which declines this attempt.
    init(_ code: ResponseCode) {
        self =
            switch code.text {
            case "00", "08", "11", "85": .approved
            case "10", "32": .partiallyApproved
            case "09", "28", "68", "98": .unknown
            default: code.isTerminals ? .notAsked : .declined
            }
    }

    /// The content of tag 8A.
    struct ResponseCode: Hashable {
        var text: String
        var isTerminals: Bool
    }
}
