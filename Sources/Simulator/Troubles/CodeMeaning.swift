import Payments

/// What a code of a vendor's table says about the money of a payment.
enum CodeMeaning: Sendable, Hashable {
    /// Nothing was charged, because the issuer or the gateway declined.
    case declined
    /// Nothing was charged, because a person or a time limit ended it.
    case cancelled
    /// Nothing was charged: it failed before anything was sent.
    case failed
    /// Nothing was charged, though the document does not prove it: a doubt is honest.
    case unclear
    /// It was sent, and the outcome is unknown.
    case unknown

    /// Tables say that no money moved, and seldom which word of the ledger that is.
    private static let moneyless: [TransactionStatus] = [.declined, .cancelled, .failed]

    /// - Parameter isPosted: The host's outcome if the code leaves it unknown.
    func apply(to truth: inout PaymentTruth, isPosted: Bool, in batch: BatchName) {
        switch self {
        case .declined:
            truth.end(.declined)
            truth.alternatives = [.failed]
        case .cancelled:
            truth.end(.cancelled)
            truth.alternatives = Self.moneyless
        case .failed:
            truth.end(.failed)
            truth.alternatives = Self.moneyless
        case .unclear:
            truth.end(.failed)
            truth.alternatives = Self.moneyless
            truth.evidence = .indirect
        case .unknown:
            if isPosted { truth.sell(in: batch) } else { truth.end(.notPosted) }
            truth.evidence = .missing
        }
    }
}
