/// What goes wrong between a cardholder, a reader, a host and the ledger.
package enum Fault: String, Sendable, Hashable, Codable, CaseIterable {
    // What becomes of a payment. At most one of these happens to one payment.

    /// The host approved, or never saw it; the answer did not come back.
    case lostAnswer = "lost-answer"
    /// The reader goes away, comes back, and the second attempt succeeds.
    case readerDisconnect = "reader-disconnect"
    /// Reader and host say opposite things.
    case contradictoryVerdicts = "contradictory-verdicts"
    /// The device loses power while the payment is under way.
    case powerLoss = "power-loss"
    /// A tip is added after the host has closed the batch.
    case tipAfterClose = "tip-after-close"
    /// The host approves less than was asked for.
    case partialApproval = "partial-approval"
    /// The host approves, then the card or the terminal says no.
    case hostApprovedTerminalDeclined = "host-approved-terminal-declined"

    // What becomes of the documents of a payment.

    /// A document is delivered twice.
    case duplicate
    /// A document comes hours later.
    case late
    /// The documents come in another order than they were made in.
    case outOfOrder = "out-of-order"

    // What becomes of a terminal for a day.

    /// Its clock is wrong, by minutes or by years.
    case clockSkew = "clock-skew"
    /// It has no network for hours and uploads everything afterwards.
    case offline

    // What becomes of a batch.

    /// The host refuses to close the batch, because its totals are others.
    case batchOutOfBalance = "batch-out-of-balance"

    /// Those that change what happens to a payment itself; they exclude each other.
    package static let outcomes: [Fault] = [
        .lostAnswer, .readerDisconnect, .contradictoryVerdicts, .powerLoss, .tipAfterClose, .partialApproval,
        .hostApprovedTerminalDeclined,
    ]

    /// Those that change how documents are delivered.
    package static let deliveries: [Fault] = [.duplicate, .late, .outOfOrder]
}
