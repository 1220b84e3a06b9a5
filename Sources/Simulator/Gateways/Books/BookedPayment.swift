package import Canonical
package import Payments

/// One payment as a gateway keeps it, approved or not. Of the card there are brand and last four digits.
package struct BookedPayment: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        case sale, authorization
        /// Money given without an original.
        case credit
        /// Money given back on a payment of these books.
        case refund
    }

    package enum State: String, Sendable, Hashable, Codable {
        /// Approved and not captured.
        case authorized
        /// Money moves, or has moved.
        case captured
        /// Taken back as a whole before it was settled.
        case voided
        case declined, cancelled
    }

    package let gateway: StandInGateway
    /// The gateway's own name for it.
    package let id: String
    package let kind: Kind
    /// The caller's name for this attempt: `TransactionID`, `ReferenceId`, `transactionReferenceId`.
    package let reference: String
    /// The caller's name for what is paid for, where the interface has one beside the reference.
    package let invoice: String?
    /// The merchant's account or the terminal it was made at.
    package let account: String
    /// The batch of the account it is in, from 1.
    package internal(set) var batch: Int
    /// The id of the payment a refund is of.
    package let original: String?
    package let currency: Currency
    /// Minor units, as asked for.
    package let requested: Int64
    /// Minor units, as approved: less than asked for in a partial approval, 0 where declined.
    package internal(set) var approved: Int64
    /// Minor units that moved, tip included; 0 for an authorisation that nobody captured.
    package internal(set) var captured: Int64 = 0
    /// The tip within `captured`.
    package internal(set) var tip: Int64 = 0
    /// What was taken back of `captured` before settlement, where it was not all of it.
    package internal(set) var partlyVoided: Int64 = 0
    /// Whether a part of it was let go before it was captured; `approved` is what was left.
    package internal(set) var isPartlyReleased = false
    /// What was given back of `captured` by refunds that stand in these books.
    package internal(set) var refunded: Int64 = 0
    package internal(set) var state: State
    package internal(set) var isSettled = false
    /// How the gateway answered: its message or host code.
    package let code: String
    /// The text of the code.
    package let text: String
    /// The result code beside the message code, where the gateway has two.
    package let result: String
    package let authorizationCode: String
    package let brand: String
    package let lastFour: String
    package let at: Timestamp
    /// When a terminal's payment comes to the gateway; before, nobody there knows of it.
    package internal(set) var arrivesAt: Timestamp?
    /// When its outcome is known at the gateway; nil for at once.
    package internal(set) var answersAt: Timestamp?

    /// Whether the card was charged, or money on it is held: approved, and not wholly taken back.
    package var isCharge: Bool {
        (kind == .sale || kind == .authorization) && (state == .authorized || state == .captured)
    }

    /// What is paid for, as the caller calls it.
    package var intent: String { invoice ?? reference }

    /// What can still be given back, in minor units.
    package var remaining: Int64 { state == .captured ? captured - partlyVoided - refunded : 0 }

    /// What its merchant has of it: below zero for credits and refunds.
    package var net: Money {
        guard state == .captured else { return .zero(currency) }
        switch kind {
        case .sale, .authorization: return Money(captured - partlyVoided, currency)
        case .credit, .refund: return Money(partlyVoided - captured, currency)
        }
    }
}
