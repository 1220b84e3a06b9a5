package import Canonical

/// The kinds of lines in a payout.
package enum ProofBucket: String, Codable, Sendable, Hashable, CaseIterable {
    case sales
    case refunds
    case refundReversals = "refund-reversals"
    case voids
    case chargebacks
    case chargebackReversals = "chargeback-reversals"
    /// The processor's fees that are not itemised.
    case fees
    case interchange
    case scheme
    case reserveHeld = "reserve-held"
    case reserveReleased = "reserve-released"
    case adjustments
    case conversions
    case transfers
    /// Payouts that were returned to the processor.
    case payoutReturns = "payout-returns"
    /// Totals of batches whose parts the processor does not list, or whose parts do not add up to the total.
    case batches
    /// Lines that move no money, such as pending or only authorized.
    case unmoved
    /// Lines of a type that only the processor defines.
    case other
}

/// The sum of the lines of one bucket.
package struct ProofSum: Sendable, Hashable {
    package var bucket: ProofBucket
    /// The number of lines; for fees, of the lines with a fee.
    package var count: Int64
    /// Minor units, positive when the merchant receives the money; nil beyond 64 bits.
    package var amount: Int64?
}

/// A payout of a processor, or a transfer on a bank account.
package struct ProofTransfer: Sendable, Hashable {
    /// The id of the statement line.
    package var line: UUID128
    package var statement: UUID128
    package var type: String
    package var currency: String
    /// Minor units, positive when the merchant's account receives the money.
    package var amount: Int64?
    /// `2026-03-01`; for a payout, the day on which it should arrive, if reported.
    package var day: String?
    /// The processor's id of the payout, or the bank's reference.
    package var reference: String?
    package var merchant: String?
    package var account: String?
}

/// A processor's payout with every line that it pays. The sum of the lines equals the payout.
package struct ProofSettlement: Sendable, Hashable {
    /// The way in which lines name the payout that pays them.
    package enum Basis: String, Codable, Sendable, Hashable, CaseIterable {
        /// The lines carry the payout's id.
        case payout
        /// The lines carry the payout's id and are in the same file, because the processor reuses ids.
        case payoutOfFile = "payout-of-file"
        /// The lines have the payout's batch, merchant, currency and file format.
        case batch
        /// The lines are in the payout's group of the same file.
        case group
        /// The format does not name the lines of a payout.
        case none
    }

    package var basis: Basis
    /// The shared id, batch or group.
    package var reference: String?
    package var currency: String
    /// The payout lines. One batch may be paid in several payouts.
    package var payouts: [UUID128]
    /// The sum of the payouts, positive when the merchant's account receives the money; nil beyond 64 bits.
    package var paid: Int64?
    /// Only buckets with lines. Empty when the format does not name the lines.
    package var buckets: [ProofSum]
    /// The number of lines, without parts whose money is included in a total.
    package var lines: Int64
    /// The sum of the lines; nil beyond 64 bits.
    package var sum: Int64?
    /// The payouts less the lines: zero when every cent is explained; nil when the format does not name the lines, or
    /// beyond 64 bits.
    package var difference: Int64?
}

/// The proof of a deposit: the bank's transfers equal the payouts, and each payout equals its lines.
package struct DepositProof: Sendable, Hashable {
    package var currency: String
    /// The rule that matched them; nil while they are unmatched.
    package var rule: String?
    /// The id that the links share, as `deposit_links.match`.
    package var match: UUID128?
    package var deposits: [ProofTransfer]
    package var payouts: [ProofTransfer]
    package var settlements: [ProofSettlement]
    /// Minor units; nil beyond 64 bits.
    package var deposited: Int64?
    package var paid: Int64?
    /// The deposits less the payouts; zero when they are equal.
    package var difference: Int64?

    /// True when every cent of the deposit is explained down to the lines.
    package var foots: Bool {
        !deposits.isEmpty && !payouts.isEmpty && difference == 0 && settlements.allSatisfy { $0.difference == 0 }
    }
}

/// A line that a payout pays, with its explanations.
package struct ProofLine: Sendable, Hashable {
    /// A movement of the ledger.
    package struct Explanation: Sendable, Hashable {
        package var transaction: UUID128
        /// The line of the payment, as in `movements.line`.
        package var movement: String
        package var rule: String
        package var match: UUID128
    }

    /// An open exception.
    package struct Question: Sendable, Hashable {
        package var id: UUID128
        /// An `ExceptionClass`.
        package var exceptionClass: String
    }

    package var line: UUID128
    package var statement: UUID128
    package var type: String
    /// A `LineRole`. The amount of a part is included in a total.
    package var role: String
    /// The bucket of the line's amount without fees.
    package var bucket: ProofBucket
    package var currency: String
    package var gross: Int64?
    package var fees: Int64?
    /// Minor units, positive when the merchant receives the money.
    package var amount: Int64?
    package var day: String?
    /// The processor's id.
    package var processorID: String?
    package var explanations: [Explanation]
    package var questions: [Question]
}
