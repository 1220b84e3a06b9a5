/// The conditions of a payment that the app's request states beside its money. Members that it does not state are nil.
package struct Circumstances: Sendable, Hashable, Codable {
    package var isCardPresent: Bool?
    /// True if the gateway was asked to accept the payment although it looks like a repeat of another one.
    package var isForced: Bool?
    /// The code of an authorization given outside of the network, by telephone for example.
    package var voiceAuthorization: String?
    /// The merchant's line of business, as the vendor names it.
    package var industry: String?
    /// The vendor's period by which the settlement is delayed.
    package var settlementDelay: String?
    /// Whether the amount includes tax: `provided`, `not-provided` or `exempt`.
    package var taxIndicator: String?
    /// The tax rate in hundredths of a percent.
    package var taxRateBasisPoints: Int64?
    package var healthCare: HealthCare?

    package init() {}

    /// Nil if nothing is stated.
    package var ifAnything: Circumstances? { self == Circumstances() ? nil : self }
}

/// The portions of a payment from a health-care account.
package struct HealthCare: Sendable, Hashable, Codable {
    /// The portion spent on health care. It contains the others, except for transport.
    package var amount: Money?
    /// Transport for health care.
    package var transit: Money?
    package var prescription: Money?
    package var vision: Money?
    package var dental: Money?
    package var clinic: Money?
    /// Whether an inventory information approval system found the items eligible.
    package var isQualified: Bool?

    package init() {}

    /// The portions that are reported, with their names.
    package var portions: [(name: String, amount: Money)] {
        let all = [
            ("Health care", amount), ("Transit", transit), ("Prescription", prescription), ("Vision", vision),
            ("Dental", dental), ("Clinic", clinic),
        ]
        return all.compactMap { name, amount in amount.map { (name, $0) } }
    }

    /// The sum of the portions in this currency, with each cent counted once. Minor units.
    package func sum(in currency: Currency) -> Int64 {
        func value(_ money: Money?) -> Int64 {
            money.map { $0.currency == currency ? max(0, $0.value) : 0 } ?? 0
        }
        let parts = [prescription, vision, dental, clinic].reduce(Int64(0)) { $0.addingSaturated(value($1)) }
        return max(value(amount), parts).addingSaturated(value(transit))
    }
}
