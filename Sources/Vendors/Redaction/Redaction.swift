package import Payments

/// One place in a document where the scrubber took something out.
package struct Redaction: Sendable, Hashable, Codable {
    /// What kind of secret it was. The raw values are stored and answered; they never change.
    package enum Rule: String, Sendable, Hashable, Codable, CaseIterable {
        /// A card number.
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
        /// A token that stands for a card at the gateway.
        case token
        /// A bank account or routing number.
        case bankAccount = "bank-account"
        /// Anything else the EMV tag table forbids to keep.
        case emv
        /// No secret: scripts, event handlers and references in HTML, which would act where it is shown.
        case activeContent = "active-content"
    }

    /// What was done about it.
    package enum Action: String, Sendable, Hashable, Codable, CaseIterable {
        /// The value is gone.
        case dropped
        /// Part of the value was replaced by `*`.
        case masked
        /// The value was replaced by its SHA-256 digest.
        case digested
    }

    /// JSON Pointer (RFC 6901) into the scrubbed document. Long member names are cut, so that a hostile document
    /// cannot make the list larger than itself.
    package let path: String
    package let rule: Rule
    package let action: Action

    package init(path: String, rule: Rule, action: Action) {
        self.path = path
        self.rule = rule
        self.action = action
    }

    /// The same, in the form events carry.
    package var note: RedactionNote {
        RedactionNote(path: path, rule: rule.rawValue, action: action.rawValue)
    }
}
