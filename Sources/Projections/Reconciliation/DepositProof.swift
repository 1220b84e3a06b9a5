package import Canonical

/// What the lines of a payout are for.
package enum ProofBucket: String, Sendable, Hashable, CaseIterable {
    case sales
    case refunds
    case refundReversals = "refund-reversals"
    case voids
    case chargebacks
    case chargebackReversals = "chargeback-reversals"
    /// What the processor keeps, as far as it is not told apart.
    case fees
    case interchange
    case scheme
    case reserveHeld = "reserve-held"
    case reserveReleased = "reserve-released"
    case adjustments
    case conversions
    case transfers
    /// Payouts that came back to the processor.
    case payoutReturns = "payout-returns"
    /// Totals of batches whose parts the processor does not list, or which are not what the parts come to.
    case batches
    /// Lines that move nothing: pending, authorised only.
    case unmoved
    /// Lines of a type that only the processor knows.
    case other
}

/// What the lines of one bucket come to.
package struct ProofSum: Sendable, Hashable {
    package var bucket: ProofBucket
    /// Lines; for fees the lines that have one.
    package var count: Int64
    /// Minor units, above zero to the merchant; nil where they are beyond 64 bits.
    package var amount: Int64?
}

/// A payout of a processor, or a transfer on a bank account.
package struct ProofTransfer: Sendable, Hashable {
    /// A line of a statement.
    package var line: UUID128
    package var statement: UUID128
    package var type: String
    package var currency: String
    /// Minor units, above zero to the merchant's account.
    package var amount: Int64?
    /// `2026-03-01`; of a payout the day on which it should arrive, where that is told.
    package var day: String?
    /// The processor's id of the payout, or the bank's reference.
    package var reference: String?
    package var merchant: String?
    package var account: String?
}

/// A payout of a processor with everything that it pays: the sum of the lines is the payout.
package struct ProofSettlement: Sendable, Hashable {
    /// How lines name the payout that pays them.
    package enum Basis: String, Sendable, Hashable, CaseIterable {
        /// They have its id.
        case payout
        /// They have its id, and stand in the same file: the processor uses ids again.
        case payoutOfFile = "payout-of-file"
        /// They have its batch, merchant and currency, and the file's format.
        case batch
        /// They have its group in the same file.
        case group
        /// The format does not tell.
        case none
    }

    package var basis: Basis
    /// The id, batch or group that they have in common.
    package var reference: String?
    package var currency: String
    /// The lines of the payouts: a batch may be paid in several.
    package var payouts: [UUID128]
    /// What the payouts come to, above zero to the merchant's account; nil where it is beyond 64 bits.
    package var paid: Int64?
    /// Only those with lines. Empty where the format does not tell.
    package var buckets: [ProofSum]
    /// Lines, without those whose money is within the total of others.
    package var lines: Int64
    /// What the lines come to; nil where it is beyond 64 bits.
    package var sum: Int64?
    /// What the payouts are more than the lines: zero where every cent is explained; nil where the format does not tell, or
    /// it is beyond 64 bits.
    package var difference: Int64?
}

/// A deposit explained: bank = payouts, and each payout = its lines.
package struct DepositProof: Sendable, Hashable {
    package var currency: String
    /// The rule that matched them; nil while nothing does.
    package var rule: String?
    /// What they have in common, as `deposit_links.match`.
    package var match: UUID128?
    package var deposits: [ProofTransfer]
    package var payouts: [ProofTransfer]
    package var settlements: [ProofSettlement]
    /// Minor units; nil where they are beyond 64 bits.
    package var deposited: Int64?
    package var paid: Int64?
    /// What came to the account more than was paid; zero where they are the same.
    package var difference: Int64?

    /// True when every cent of the deposit is explained down to the lines.
    package var foots: Bool {
        !deposits.isEmpty && !payouts.isEmpty && difference == 0 && settlements.allSatisfy { $0.difference == 0 }
    }
}

/// A line that a payout pays, and what explains it.
package struct ProofLine: Sendable, Hashable {
    /// A movement of the ledger.
    package struct Explanation: Sendable, Hashable {
        package var transaction: UUID128
        /// The piece of the payment, as in `movements.line`.
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
    /// A `LineRole`: what a part moves is within a total.
    package var role: String
    /// Of what it moves without its fees.
    package var bucket: ProofBucket
    package var currency: String
    package var gross: Int64?
    package var fees: Int64?
    /// Minor units, above zero to the merchant.
    package var amount: Int64?
    package var day: String?
    /// The processor's id.
    package var processorID: String?
    package var explanations: [Explanation]
    package var questions: [Question]
}
