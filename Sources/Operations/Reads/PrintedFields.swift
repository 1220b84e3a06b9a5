import Canonical
import Payments

/// The figures that the text of a printed receipt states plainly, each on a line with its label.
struct PrintedFields {
    /// The printed amount, in minor units.
    var amount: Int64?
    var lastFour: String?
    var authorizationCode: String?
    /// `HH:MM`.
    var time: String?

    /// - Parameter currency: The payment's currency; nil for a payment without an amount.
    init(_ text: String, in currency: Currency?) {
        var amounts: [String: [Int64]] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].trimmingBlanks : ""
            let label = parts[0].lowercased().filter(\.isLetter)
            switch label {
            case "authcode", "authorizationcode", "authorisationcode", "approvalcode":
                if !value.isEmpty { authorizationCode = authorizationCode ?? value }
            case "cardnumber", "maskedcardnumber", "card", "pan":
                lastFour = lastFour ?? Self.lastFour(value)
            case "time": time = time ?? Self.time(value)
            case "total", "totalamount", "amount":
                guard let currency, let amount = Self.amount(value, currency) else { continue }
                amounts[label == "amount" ? "amount" : "total", default: []].append(amount)
            default:
                // A line of nothing but the currency and an amount.
                guard let currency, parts.count == 1, line.trimmingBlanks.hasPrefix(currency.alpha) else { continue }
                guard let amount = Self.amount(line.trimmingBlanks, currency) else { continue }
                amounts["total", default: []].append(amount)
            }
        }
        // Several amounts under one label state nothing plainly.
        let stated = amounts["total"] ?? amounts["amount"] ?? []
        amount = Set(stated).count == 1 ? stated.first : nil
    }

    /// The last four digits of a masked number.
    private static func lastFour(_ text: String) -> String? {
        let characters = text.filter { !$0.isWhitespace && $0 != "-" }
        let digits = characters.suffix(4)
        guard digits.count == 4, digits.allSatisfy({ ("0"..."9").contains($0) }),
            let mask = characters.dropLast(4).last, "*xX#".contains(mask)
        else { return nil }
        return String(digits)
    }

    private static func time(_ text: String) -> String? {
        let digits = text.prefix(5)
        guard digits.count == 5, LocalTime("2000-01-01T\(digits):00") != nil,
            text.dropFirst(5).allSatisfy({ $0 == ":" || ("0"..."9").contains($0) })
        else { return nil }
        return String(digits)
    }

    /// An amount with all decimals of the currency, with or without its code or sign.
    private static func amount(_ text: String, _ currency: Currency) -> Int64? {
        var figure = text.replacing(currency.alpha, with: "").trimmingBlanks
        if let first = figure.first, "$€£".contains(first) { figure.removeFirst() }
        figure = figure.trimmingBlanks
        // Separators of thousands are left out if the decimals follow a point.
        if figure.contains(".") { figure = figure.replacing(",", with: "") }
        let parts = figure.split(separator: ".", omittingEmptySubsequences: false)
        guard let exponent = currency.exponent, exponent == (parts.count == 2 ? parts[1].count : 0) else { return nil }
        return (try? Money.parse(decimal: figure, currency: currency))?.value
    }
}

extension StringProtocol {
    fileprivate var trimmingBlanks: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
