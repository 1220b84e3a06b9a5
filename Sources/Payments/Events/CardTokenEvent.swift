package import Canonical

/// A card token was stored for the payment. No event contains the token itself.
package typealias CardTokenEvent = ReportEvent<CardTokenEventName>

/// The names of the event types, as stored.
package enum CardTokenEventName: String, ReportName {
    package typealias Report = CardTokenReport

    /// A token was stored in the ledger. It replaces an earlier one, if there was one.
    case kept = "CardTokenKept"
}

/// The payload of every `CardTokenEvent`. The event's actor is the sender of the token.
package struct CardTokenReport: Sendable, Hashable, Codable {
    /// `hmac-sha256:` and 64 hexadecimal digits: a digest of the token, the tenant and the payment, under a key from
    /// the configuration. It distinguishes the tokens of one payment and reveals nothing about them without the key.
    package var digest: String
    /// The time at which the token is deleted.
    package var keptUntil: Timestamp
    /// The holder of the sender's key; nil if not known.
    package var holder: String?
    /// The operators who proposed and approved it; nil for a token that its owner left.
    package var approval: ChangeApproval?

    package init(
        digest: String,
        keptUntil: Timestamp,
        holder: String? = nil,
        approval: ChangeApproval? = nil
    ) {
        self.digest = digest
        self.keptUntil = keptUntil
        self.holder = holder
        self.approval = approval
    }
}
