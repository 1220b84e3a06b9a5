/// One place in a document where the scrubber removed or changed a value.
package struct RedactedPlace: Sendable, Hashable, Codable {
    /// The kind of secret. The raw values are stored and returned by the API; they never change.
    package enum Rule: String, Sendable, Hashable, Codable, CaseIterable {
        case pan
        /// Magnetic stripe or track-equivalent data.
        case track
        /// A card verification value.
        case cvv
        /// A PIN or PIN block.
        case pin
        /// A card's expiry date.
        case expiry
        /// The cardholder's name or signature.
        case cardholder
        /// A password, key or token that lets its holder act for the merchant.
        case credential
        /// A token that represents a card at the gateway.
        case token
        /// A bank account or routing number.
        case bankAccount = "bank-account"
        /// Any other value that the EMV tag table forbids to keep.
        case emv
        /// Not a secret: scripts, event handlers and references in HTML, which would be active when displayed.
        case activeContent = "active-content"
    }

    package enum Action: String, Sendable, Hashable, Codable, CaseIterable {
        /// The value was removed.
        case dropped
        /// Part of the value was replaced by `*`.
        case masked
        /// The value was replaced by its SHA-256 digest.
        case digested
    }

    /// JSON Pointer (RFC 6901) into the scrubbed document. Long member names are cut, so that a hostile document cannot
    /// make the list larger than the document.
    package let path: String
    package let rule: Rule
    package let action: Action

    package init(path: String, rule: Rule, action: Action) {
        self.path = path
        self.rule = rule
        self.action = action
    }
}
