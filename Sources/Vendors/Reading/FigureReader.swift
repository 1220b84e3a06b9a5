import Payments

/// Reads a document's amounts in one currency and keeps every figure as written.
struct FigureReader {
    let currency: Currency
    private(set) var figures: [Figure] = []

    init(currency: Currency) {
        self.currency = currency
    }

    /// The figures, for `Amounts`; nil if none was read.
    var recorded: [Figure]? { figures.isEmpty ? nil : figures }

    /// A figure in major units with an optional decimal point and an optional `$`.
    ///
    /// - Parameter label: The vendor's name of the field, as stored in events.
    /// - Throws: `malformedMoney`, `negativeAmount`, `amountTooLarge`.
    mutating func decimal(_ fields: Fields, _ name: String, as label: String) throws -> Money? {
        guard let raw = try fields.text(name) else { return nil }
        return try read(raw, label, fields.pointer(to: name)) { raw, currency throws(MoneyError) in
            try AmountFigure.decimal(raw, currency: currency, allowing: .dollarSign)
        }
    }

    /// A figure whose last two digits are decimals.
    ///
    /// - Throws: as `decimal`.
    mutating func impliedCents(_ fields: Fields, _ name: String, as label: String) throws -> Money? {
        guard let raw = try fields.text(name) else { return nil }
        return try read(raw, label, fields.pointer(to: name)) { raw, currency throws(MoneyError) in
            try AmountFigure.implied(raw, exponent: 2, currency: currency)
        }
    }

    /// A figure whose last two digits are decimals, or one with a decimal point in major units. One that cannot be read
    /// is kept as written.
    mutating func impliedOrDecimal(_ fields: Fields, _ name: String, as label: String) -> Money? {
        guard let raw = try? fields.text(name) else { return nil }
        do throws(MoneyError) {
            let figure =
                raw.contains(".")
                ? try AmountFigure.decimal(raw, currency: currency, allowing: .dollarSign)
                : try AmountFigure.implied(raw, exponent: 2, currency: currency)
            figures.append(Figure(field: label, raw: figure.raw, exponent: figure.exponent))
            return figure.money
        } catch {
            keepUnread(raw, as: label)
            return nil
        }
    }

    /// A whole number of the currency's minor units.
    ///
    /// - Throws: as `decimal`.
    mutating func minorUnits(_ fields: Fields, _ name: String, as label: String) throws -> Money? {
        guard let raw = try fields.text(name) else { return nil }
        return try read(raw, label, fields.pointer(to: name)) { raw, currency throws(MoneyError) in
            try AmountFigure.implied(raw, exponent: currency.exponent ?? 0, currency: currency)
        }
    }

    /// Keeps a figure that could not be read.
    mutating func keepUnread(_ raw: String, as label: String) {
        figures.append(Figure(field: label, raw: Self.printable(raw), exponent: nil))
    }

    private mutating func read(
        _ raw: String,
        _ label: String,
        _ pointer: String,
        _ parse: (String, Currency) throws(MoneyError) -> AmountFigure
    ) throws -> Money {
        do throws(MoneyError) {
            let figure = try parse(raw, currency)
            figures.append(Figure(field: label, raw: figure.raw, exponent: figure.exponent))
            return figure.money
        } catch {
            throw Self.refusal(for: error, at: pointer)
        }
    }

    static func refusal(for error: MoneyError, at pointer: String) -> Refusal {
        switch error.code {
        case .negative:
            Refusal(
                .negativeAmount,
                "Amounts have no sign; the kind of transaction gives the direction.",
                pointer: pointer
            )
        case .overflow, .tooLong:
            Refusal(.amountTooLarge, "The amount does not fit into 64 bits of minor units.", pointer: pointer)
        default:
            Refusal(
                .malformedMoney,
                "An amount is expected: digits, at most one point, and no more decimals than the currency has.",
                pointer: pointer
            )
        }
    }

    /// The figure's text for display, at most 32 characters; `?` if it contains characters that move the cursor or
    /// reorder text.
    static func printable(_ raw: String) -> String {
        let cut = String(raw.prefix(32))
        return AmountFigure.isPrintable(cut) ? cut : "?"
    }
}

extension Money {
    /// The sum in the currency of `self`.
    ///
    /// - Throws: `amountTooLarge`.
    func adding(all parts: [Money?], at pointer: String) throws -> Money {
        do throws(MoneyError) {
            var sum = self
            for case let part? in parts { sum = try sum.adding(part) }
            return sum
        } catch {
            throw FigureReader.refusal(for: error, at: pointer)
        }
    }
}
