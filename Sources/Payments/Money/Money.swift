/// An amount: a count of minor units of a currency, below zero if money flows in the other direction.
///
/// For the few currencies without a minor unit (gold, the testing code) it counts whole units.
package struct Money: Sendable, Hashable {
    /// Minor units: 1340 in USD is 13.40 dollars, in JPY 1340 yen.
    package let value: Int64
    package let currency: Currency

    package init(value: Int64, currency: Currency) {
        self.value = value
        self.currency = currency
    }

    package init(_ value: Int64, _ currency: Currency) {
        self.init(value: value, currency: currency)
    }

    package static func zero(_ currency: Currency) -> Money { Money(0, currency) }

    package var isZero: Bool { value == 0 }
    package var isNegative: Bool { value < 0 }
}

/// `{"value":1340,"currency":"USD"}`, in minor units.
extension Money: Codable {
    private enum CodingKeys: String, CodingKey {
        case value
        case currency
    }
}
