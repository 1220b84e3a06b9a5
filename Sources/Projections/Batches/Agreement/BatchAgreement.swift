package import Canonical
package import Payments

/// A comparison of the net that a host reported when it closed a batch with the ledger's net, and the payments that
/// account for the difference. A net is sales and captures less refunds and credits, without voided amounts (I7).
package struct BatchAgreement: Sendable, Hashable {
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// Both nets are equal.
        case agrees
        /// The host's net equals the ledger's net at the closing. The difference is the changes recorded since.
        case changedSinceClose = "changed-since-close"
        /// Exactly one set of payments of the smallest size accounts for the difference.
        case explained
        /// Several sets of payments of the same size account for it.
        case ambiguous
        /// No known payments account for it.
        case unexplained
    }

    package var verdict: Verdict
    /// The position of the closing in the log.
    package var closingPosition: Int64
    package var host: Money
    /// The ledger's net from all events up to the closing.
    package var atClose: Money
    package var ledger: Money
    /// The host's net less the ledger's net.
    package var difference: Money
    /// Each set accounts for the whole difference. For an unexplained difference: the suspect payments, each as a set
    /// of one.
    package var explanations: [[BatchDiscrepancy]]
    /// True when the batch has more lines than were examined, so other explanations are possible.
    package var isPartial = false
}

/// One payment that host and ledger may see differently.
package struct BatchDiscrepancy: Sendable, Hashable {
    package enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
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
    /// Nil for a payment without a line of money in the ledger.
    package var line: String?
    /// Its share of the ledger's net of this batch; nil when it is not in this batch.
    package var ledger: Int64?
    /// Its share of the host's net under this explanation; nil when the host does not have it.
    package var host: Int64?

    /// The amount by which this payment makes the host's net larger than the ledger's.
    package var effect: Int64 { (host ?? 0).subtractingSaturated(ledger ?? 0) }
}

extension BatchLine {
    /// The line's share of the net of its batch.
    package var net: Int64 {
        let left = amount.value - voided
        return type == "refund" || type == "credit" ? -left : left
    }
}
