import Canonical
import Matching
import Payments

/// A customer's intent at a till.
package enum Intent: String, Sendable, Hashable, CaseIterable {
    /// Pays.
    case sale
    /// Pays; the tip is written on the slip and entered later.
    case tippedLater
    /// An authorisation that is captured later, with a tip if the merchant takes tips.
    case authorization
    /// An authorisation that is never captured.
    case openAuthorization
    /// An authorisation that is released.
    case voidedAuthorization
    /// Pays, and the cashier voids the payment on the same day.
    case voided
    /// Pays, and returns everything or a part on a later day.
    case refunded, partlyRefunded
    /// Receives money without a previous payment.
    case credit
    /// Receives money, and the cashier voids that.
    case voidedCredit
    /// Is declined by the host.
    case declined
    /// Cancels before the card is read.
    case cancelled
    /// Has the card verified, without a payment.
    case verification
    /// Pays with several cards or offers until nothing is due.
    case split
    /// Withdraws cash from a machine.
    case withdrawal
}

/// The parts of an amount, in minor units.
package struct Basket: Sendable, Hashable {
    package var base: Int64
    package var tip: Int64 = 0
    package var tax: Int64 = 0
    package var fee: Int64 = 0

    package var total: Int64 { base + tip + tax + fee }
}

/// One customer at one till.
struct Purchase: Sendable {
    /// From 0, in order of time.
    let number: Int
    /// The app's name for the payment.
    var reference: String
    /// The first digits of the hosts' ids in this simulation.
    let tag: String
    let merchant: Merchant
    /// By the correct clock.
    var at: Timestamp
    /// Everything ends before this time.
    let end: Timestamp
    let intent: Intent
    let fault: Fault?
    /// The class of `DiscrepancyProfile.reported` that is planted.
    let planted: ExceptionClass?
    /// At most one of the troubles of a payment.
    var trouble: Trouble?
    /// Which of the values of the document's tables is played; from 0.
    var turn = 0
    /// Another sale at the terminal that can be mistaken for this one.
    var other: PaymentTruth?
    let basket: Basket
    let card: TestCard
    /// True if the app sends forbidden data: complete card numbers, tracks, security codes.
    let isCareless: Bool

    /// Twelve digits that are unique in the simulation; the first distinguishes the kinds of numbers.
    ///
    /// - Parameter kind: 1...9.
    func hostID(_ kind: Int) -> String { "\(kind)\(tag.prefix(5))\(String(1_000_000 + number).dropFirst())" }
}
