package import Canonical
package import Payments

/// One payment in a gateway's books, approved or not. Of the card they keep the brand and the last four digits.
package struct BookedPayment: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        case sale, authorization
        /// A refund without an original payment.
        case credit
        /// A refund of a payment in these books.
        case refund
    }

    package enum State: String, Sendable, Hashable, Codable {
        /// Approved and not captured.
        case authorized
        /// Money moves or has moved.
        case captured
        /// Reversed in full before settlement.
        case voided
        case declined, cancelled
    }

    package let gateway: StandInGateway
    /// The gateway's id.
    package let id: String
    package let kind: Kind
    /// The caller's reference of this attempt: `TransactionID`, `ReferenceId`, `transactionReferenceId`.
    package let reference: String
    /// The caller's invoice number, if the interface has one beside the reference.
    package let invoice: String?
    /// The merchant account or the terminal of the payment.
    package let account: String
    /// The account's batch number, from 1.
    package internal(set) var batch: Int
    /// For a refund: the id of the original payment.
    package let original: String?
    package let currency: Currency
    /// The requested amount in minor units.
    package let requested: Int64
    /// The approved amount in minor units: less than requested for a partial approval, 0 if declined.
    package internal(set) var approved: Int64
    /// The moved amount in minor units, including the tip; 0 for an uncaptured authorisation.
    package internal(set) var captured: Int64 = 0
    /// The tip within `captured`.
    package internal(set) var tip: Int64 = 0
    /// The part of `captured` that was reversed before settlement, if not all of it.
    package internal(set) var partlyVoided: Int64 = 0
    /// Whether a part was released before capture; `approved` is the rest.
    package internal(set) var isPartlyReleased = false
    /// The part of `captured` returned by refunds in these books.
    package internal(set) var refunded: Int64 = 0
    package internal(set) var state: State
    package internal(set) var isSettled = false
    /// The gateway's answer: its message or host code.
    package let code: String
    package let text: String
    /// The result code beside the message code, if the gateway has both.
    package let result: String
    package let authorizationCode: String
    package let brand: String
    package let lastFour: String
    package let at: Timestamp
    /// The time at which a terminal's payment reaches the gateway; before it, the gateway does not know the payment.
    package internal(set) var arrivesAt: Timestamp?
    /// The time at which the gateway knows the outcome; nil for at once.
    package internal(set) var answersAt: Timestamp?

    /// Whether the card was charged or money is held on it: approved and not fully reversed.
    package var isCharge: Bool {
        (kind == .sale || kind == .authorization) && (state == .authorized || state == .captured)
    }

    /// The caller's name for the purchase.
    package var intent: String { invoice ?? reference }

    /// The amount that can still be refunded, in minor units.
    package var remaining: Int64 { state == .captured ? captured - partlyVoided - refunded : 0 }

    /// The merchant's net amount: negative for credits and refunds.
    package var net: Money {
        guard state == .captured else { return .zero(currency) }
        switch kind {
        case .sale, .authorization: return Money(captured - partlyVoided, currency)
        case .credit, .refund: return Money(partlyVoided - captured, currency)
        }
    }
}
