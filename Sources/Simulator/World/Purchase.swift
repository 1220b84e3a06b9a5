import Canonical
import Matching
import Payments

/// What somebody wants at a till.
package enum Intent: String, Sendable, Hashable, CaseIterable {
    /// Pays.
    case sale
    /// Pays, and the tip is written on the slip and entered later.
    case tippedLater
    /// An authorisation that is captured afterwards, with a tip where tips are taken.
    case authorization
    /// An authorisation that is never captured.
    case openAuthorization
    /// An authorisation that is released.
    case voidedAuthorization
    /// Pays, and the cashier takes it back the same day.
    case voided
    /// Pays, and brings everything, or a part, back on a later day.
    case refunded, partlyRefunded
    /// Gets money without a payment before.
    case credit
    /// Gets money back, and the cashier takes that back.
    case voidedCredit
    /// Is declined by the host.
    case declined
    /// Gives up before the card was read.
    case cancelled
    /// Has the card checked, without money.
    case verification
    /// Pays with several cards or offers until nothing is due.
    case split
    /// Takes cash out of a machine.
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
    /// From 0, in the order of time.
    let number: Int
    /// The app's own name for the payment.
    var reference: String
    /// The first digits of the ids hosts give out in this simulation.
    let tag: String
    let merchant: Merchant
    /// By a clock that is right.
    var at: Timestamp
    /// Before this everything is over.
    let end: Timestamp
    let intent: Intent
    let fault: Fault?
    /// What of `DiscrepancyProfile.told` is planted.
    let planted: ExceptionClass?
    let basket: Basket
    let card: TestCard
    /// True where the app sends what it must not: whole card numbers, tracks, security codes.
    let isCareless: Bool

    /// Twelve digits that nothing else in the simulation has; the first tells numbers of different kinds apart.
    ///
    /// - Parameter kind: 1...9.
    func hostID(_ kind: Int) -> String { "\(kind)\(tag.prefix(5))\(String(1_000_000 + number).dropFirst())" }
}
