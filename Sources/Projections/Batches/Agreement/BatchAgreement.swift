package import Canonical
package import Payments

/// How the net a host told when it closed a batch compares with the ledger's, and which payments account for the
/// difference. Nets are sales and captures less refunds and credits, voids taken off (I7).
package struct BatchAgreement: Sendable, Hashable {
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// Both nets are equal.
        case agrees
        /// The host's net is what the ledger's was at the closing: what differs are the changes told since.
        case changedSinceClose = "changed-since-close"
        /// One set of payments, and no other as small, accounts for the difference.
        case explained
        /// Several sets of payments of the same size account for it.
        case ambiguous
        /// Nothing that is known accounts for it.
        case unexplained
    }

    package var verdict: Verdict
    /// Where the log tells of the closing.
    package var closingPosition: Int64
    package var host: Money
    /// The ledger's net when everything up to the closing was in.
    package var atClose: Money
    package var ledger: Money
    /// What the host has more than the ledger; below zero where it has less.
    package var difference: Money
    /// Each is one way to account for the whole difference. Of an unexplained one, the payments worth looking at, as
    /// sets of one.
    package var explanations: [[BatchDiscrepancy]]
    /// True when the batch has more lines than were looked at, so that there may be other explanations.
    package var isPartial = false
}

/// One payment that host and ledger may see differently.
package struct BatchDiscrepancy: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// In the ledger's batch; the host does not have it.
        case missingThere = "missing-there"
        /// The host has it; it is not in the ledger's batch.
        case missingHere = "missing-here"
        /// In both, with different amounts.
        case amountDiffers = "amount-differs"
        /// In both, and its tip was changed when the batch was closed already.
        case tipAfterClose = "tip-after-close"
    }

    package var kind: Kind
    package var transaction: UUID128
    /// Nil for a payment that has no line of money in the ledger.
    package var line: String?
    /// What it adds to the ledger's net of this batch; nil where it is not in it.
    package var ledger: Int64?
    /// What it adds to the host's net, if this is the reason; nil where the host does not have it.
    package var host: Int64?

    /// By how much the host's net is larger for it.
    package var effect: Int64 { (host ?? 0).subtractingSaturated(ledger ?? 0) }
}

extension BatchLine {
    /// What it adds to the net of its batch.
    package var net: Int64 {
        let left = amount.value - voided
        return type == "refund" || type == "credit" ? -left : left
    }
}
