package import Canonical

/// A fact about the dispute of a chargeback. Operators report them, and the ledger alone records them: the end of a
/// case moves money in the books and needs two operators.
package typealias DisputeEvent = ReportEvent<DisputeEventName>

/// The names of the event types, as stored.
package enum DisputeEventName: String, ReportName {
    package typealias Report = DisputeReport

    /// The reason code of the chargeback, or the day by which the merchant must answer it. The last values count.
    case described = "DisputeDescribed"
    /// Evidence against the chargeback was sent to the processor.
    case represented = "DisputeRepresented"
    /// The chargeback was found unjustified: the processor returns the money.
    case won = "DisputeWon"
    /// The chargeback stands, or the merchant accepted it: the money is lost.
    case lost = "DisputeLost"
}

/// The payload of every `DisputeEvent`.
package struct DisputeReport: Sendable, Hashable, Codable {
    /// The id of the chargeback within the payment.
    package var chargeback: String
    /// The scheme's reason code: 1 to `longestCode` bytes.
    package var reasonCode: String?
    /// The last day on which the merchant can answer: `2026-03-31`.
    package var respondBy: String?
    /// What was sent to the processor; set in `DisputeRepresented`.
    package var documents: String?
    /// The operator's reason, without card numbers.
    package var reason: String
    /// When the ledger recorded it.
    package var at: Timestamp
    /// The two operators behind the end of a case.
    package var approval: ChangeApproval?

    /// The longest reason code, in bytes.
    package static let longestCode = 32

    package init(
        chargeback: String,
        reasonCode: String? = nil,
        respondBy: String? = nil,
        documents: String? = nil,
        reason: String,
        at: Timestamp,
        approval: ChangeApproval? = nil
    ) {
        self.chargeback = chargeback
        self.reasonCode = reasonCode
        self.respondBy = respondBy
        self.documents = documents
        self.reason = reason
        self.at = at
        self.approval = approval
    }
}
