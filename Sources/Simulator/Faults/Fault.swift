/// Faults between a cardholder, a reader, a host and the ledger.
package enum Fault: String, Sendable, Hashable, Codable, CaseIterable {
    // Faults of a payment. At most one of these happens to a payment.

    /// The host approved or never received the request; the answer was lost.
    case lostAnswer = "lost-answer"
    /// The reader disconnects and connects again, and the second attempt succeeds.
    case readerDisconnect = "reader-disconnect"
    /// Reader and host report opposite results.
    case contradictoryVerdicts = "contradictory-verdicts"
    /// The device loses power during the payment.
    case powerLoss = "power-loss"
    /// A tip is added after the host has closed the batch.
    case tipAfterClose = "tip-after-close"
    /// The host approves less than the requested amount.
    case partialApproval = "partial-approval"
    /// The host approves, then the card or the terminal declines.
    case hostApprovedTerminalDeclined = "host-approved-terminal-declined"

    // Faults of a payment's documents.

    /// A document is delivered twice.
    case duplicate
    case late
    /// The documents are delivered in another order than they were created.
    case outOfOrder = "out-of-order"

    // Faults of a terminal for a day.

    /// Its clock is wrong, by minutes or by years.
    case clockSkew = "clock-skew"
    /// It has no network for hours and uploads everything afterwards.
    case offline

    // Faults of a batch.

    /// The host refuses to close the batch because its totals differ.
    case batchOutOfBalance = "batch-out-of-balance"

    /// The faults that change a payment's outcome; they exclude each other.
    package static let outcomes: [Fault] = [
        .lostAnswer, .readerDisconnect, .contradictoryVerdicts, .powerLoss, .tipAfterClose, .partialApproval,
        .hostApprovedTerminalDeclined,
    ]

    /// The faults that change the delivery of documents.
    package static let deliveries: [Fault] = [.duplicate, .late, .outOfOrder]
}
