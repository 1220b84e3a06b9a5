package import Canonical

/// Something else stands for the card of a payment from here on. What it is is in no event.
package typealias CardTokenEvent = ReportEvent<CardTokenEventName>

/// The names of the event types, as they are stored.
package enum CardTokenEventName: String, ReportName {
    package typealias Report = CardTokenReport

    /// A token was left with the ledger, in the place of one that may have been there.
    case kept = "CardTokenKept"
}

/// The payload of every `CardTokenEvent`. Who left it is the actor of the event.
package struct CardTokenReport: Sendable, Hashable, Codable {
    /// `hmac-sha256:` and 64 digits: of the token, the tenant and the payment, under a key of the configuration. It tells one
    /// token of a payment from another, and says nothing of either to whoever has not the key.
    package var digest: String
    /// Then it is forgotten.
    package var keptUntil: Timestamp

    package init(digest: String, keptUntil: Timestamp) {
        self.digest = digest
        self.keptUntil = keptUntil
    }
}
