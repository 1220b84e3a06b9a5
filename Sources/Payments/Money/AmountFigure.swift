import Canonical

/// An amount beside the figure it was read from, so that every amount can be traced to what the vendor printed.
package struct AmountFigure: Sendable, Hashable {
    /// The vendor's figure exactly as written: printable, 1 to `maximumBytes` bytes.
    package let raw: String
    /// The exponent used: for a figure without a point, how many of its digits were taken for decimals; for one in
    /// whole units, the decimals of the currency.
    package let exponent: Int
    package let money: Money

    /// The longest figure that is kept.
    package static let maximumBytes = 64

    private init(read raw: String, exponent: Int, money: Money) {
        self.raw = raw
        self.exponent = exponent
        self.money = money
    }

    /// Nil where `raw` is empty, too long or not printable, or the exponent is not within 0...9.
    package init?(raw: String, exponent: Int, money: Money) {
        guard Self.isPrintable(raw), 0...9 ~= exponent else { return nil }
        self.init(read: raw, exponent: exponent, money: money)
    }

    /// True for a text of letters, digits, punctuation, symbols and plain spaces, of 1 to `maximumBytes` bytes:
    /// nothing that would move a cursor, hide or reorder text where it is shown.
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
    /// Reads a figure in whole units, by the rules of `Money.parse(decimal:currency:allowing:)`, and throws as that
    /// does. The exponent used is the currency's.
    package static func decimal(
        _ raw: String,
        currency: Currency,
        allowing options: Money.FigureOptions = []
    ) throws(MoneyError) -> AmountFigure {
        let money = try Money.parse(decimal: raw, currency: currency, allowing: options)
        return AmountFigure(read: raw, exponent: currency.exponent ?? 0, money: money)
    }

    /// Reads a figure with implied decimals, by the rules of `Money.parse(implied:exponent:currency:allowing:)`, and
    /// throws as that does.
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
