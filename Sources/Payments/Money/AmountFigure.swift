import Canonical

/// An amount and the figure it was read from, so that every amount can be traced to the vendor's print.
package struct AmountFigure: Sendable, Hashable {
    /// The vendor's figure exactly as written: printable, 1 to `maximumBytes` bytes.
    package let raw: String
    /// The exponent used. For a figure with implied decimals: how many of its last digits are decimals. For a figure in
    /// whole units: the number of decimals of the currency.
    package let exponent: Int
    package let money: Money

    /// The longest accepted figure.
    package static let maximumBytes = 64

    private init(read raw: String, exponent: Int, money: Money) {
        self.raw = raw
        self.exponent = exponent
        self.money = money
    }

    /// Nil if `raw` is empty, too long or not printable, or the exponent is not within 0...9.
    package init?(raw: String, exponent: Int, money: Money) {
        guard Self.isPrintable(raw), 0...9 ~= exponent else { return nil }
        self.init(read: raw, exponent: exponent, money: money)
    }

    /// True for a text of letters, digits, punctuation, symbols and plain spaces, of 1 to `maximumBytes` bytes.
    /// Characters that move a cursor, hide text or reorder it are excluded.
    package static func isPrintable(_ raw: String) -> Bool {
        guard 1...maximumBytes ~= raw.utf8.count else { return false }
        return raw.unicodeScalars.allSatisfy { scalar in
            if scalar.isASCII { return 0x20...0x7E ~= scalar.value }
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                return false
            default: return true
            }
        }
    }
}

// MARK: - Reading

extension AmountFigure {
    /// Reads a figure in whole units, by the rules and with the errors of `Money.parse(decimal:currency:allowing:)`.
    /// The exponent used is the currency's.
    package static func decimal(
        _ raw: String,
        currency: Currency,
        allowing options: Money.FigureOptions = []
    ) throws(MoneyError) -> AmountFigure {
        let money = try Money.parse(decimal: raw, currency: currency, allowing: options)
        return AmountFigure(read: raw, exponent: currency.exponent ?? 0, money: money)
    }

    /// Reads a figure with implied decimals, by the rules and with the errors of
    /// `Money.parse(implied:exponent:currency:allowing:)`.
    package static func implied(
        _ raw: String,
        exponent: Int,
        currency: Currency,
        allowing options: Money.FigureOptions = []
    ) throws(MoneyError) -> AmountFigure {
        let money = try Money.parse(implied: raw, exponent: exponent, currency: currency, allowing: options)
        return AmountFigure(read: raw, exponent: exponent, money: money)
    }
}

/// `{"raw":"13.4","exponent":2,"money":{"value":1340,"currency":"USD"}}`
extension AmountFigure: Codable {
    private enum CodingKeys: String, CodingKey {
        case raw
        case exponent
        case money
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let figure = AmountFigure(
            raw: try container.decode(String.self, forKey: .raw),
            exponent: try container.decode(Int.self, forKey: .exponent),
            money: try container.decode(Money.self, forKey: .money)
        )
        guard let figure else {
            throw DecodingError.invalid("A printable figure and an exponent of 0 to 9 are expected.", for: decoder)
        }
        self = figure
    }
}
