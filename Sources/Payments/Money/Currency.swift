import Canonical

/// A currency of ISO 4217.
package struct Currency: Sendable, Hashable {
    /// A row of the table.
    struct Entry: Sendable {
        let alpha: String
        let numeric: UInt16
        let exponent: Int?
        let handpointSDKExponent: Int?

        init(_ alpha: String, _ numeric: UInt16, _ exponent: Int?, _ handpointSDKExponent: Int?) {
            self.alpha = alpha
            self.numeric = numeric
            self.exponent = exponent
            self.handpointSDKExponent = handpointSDKExponent
        }
    }

    /// The index of the currency in `table`. Only lookups in the table create one, so the index is always valid.
    private let position: UInt8

    private init(position: Int) {
        self.position = UInt8(position)
    }

    private var entry: Entry { Self.table[Int(position)] }

    /// The code of three capital letters.
    package var alpha: String { entry.alpha }

    /// The numeric code, 1...999; texts print it with three digits.
    package var numeric: Int { Int(entry.numeric) }

    /// The numeric code with three digits: `840`, `008`.
    package var numericText: String {
        let digits = String(numeric)
        return String(repeating: "0", count: 3 - digits.count) + digits
    }

    /// The number of decimals of the minor unit: 0, 2, 3 or 4; nil if ISO 4217 defines none, as for gold.
    package var exponent: Int? { entry.exponent }

    /// The number of decimals the Handpoint SDK uses for this currency (handpoint/HandpointSDK-iOS, currency table).
    /// For some currencies it differs from ISO 4217. Nil if the SDK does not know the currency.
    package var handpointSDKExponent: Int? { entry.handpointSDKExponent }
}

// MARK: - Lookup

extension Currency {
    private static let positionsByAlpha: [String: Int] = .init(
        table.enumerated().map { ($0.element.alpha, $0.offset) },
        uniquingKeysWith: { first, _ in first }
    )

    private static let positionsByNumeric: [Int: Int] = .init(
        table.enumerated().map { (Int($0.element.numeric), $0.offset) },
        uniquingKeysWith: { first, _ in first }
    )

    /// All currencies, ordered by code.
    package static let all: [Currency] = table.indices.map { Currency(position: $0) }

    /// The currency with this code in capital letters; nil for every other spelling.
    package init?(alpha: String) {
        guard let position = Self.positionsByAlpha[alpha] else { return nil }
        self.init(position: position)
    }

    /// The currency with this code in ASCII letters of either case.
    package init?(alphaIgnoringCase alpha: String) {
        guard alpha.utf8.count == 3 else { return nil }
        let capitals = alpha.utf8.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 - 0x20 : $0 }
        self.init(alpha: String(decoding: capitals, as: UTF8.self))
    }

    /// The currency with this numeric code.
    package init?(numeric: Int) {
        guard let position = Self.positionsByNumeric[numeric] else { return nil }
        self.init(position: position)
    }

    /// The currency with this numeric code, written with exactly three digits: `840`, `008`.
    package init?(numericText text: String) {
        guard text.utf8.count == 3, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let numeric = Int(text) else {
            return nil
        }
        self.init(numeric: numeric)
    }

    package static let usd = known("USD")
    package static let eur = known("EUR")
    package static let gbp = known("GBP")
    package static let jpy = known("JPY")

    /// Valid only for the codes above, which are in the table; a test checks each of them.
    private static func known(_ alpha: String) -> Currency { Currency(position: positionsByAlpha[alpha] ?? 0) }
}

extension Currency: Comparable {
    /// By code.
    package static func < (left: Currency, right: Currency) -> Bool { left.position < right.position }
}

extension Currency: CustomStringConvertible {
    package var description: String { alpha }
}

extension Currency: Codable {
    package init(from decoder: any Decoder) throws {
        guard let currency = Currency(alpha: try decoder.singleValueContainer().decode(String.self)) else {
            throw DecodingError.invalid("A currency code of ISO 4217 in capital letters is expected.", for: decoder)
        }
        self = currency
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(alpha)
    }
}
