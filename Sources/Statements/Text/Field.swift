import Canonical
import Payments

/// One value of a statement file with its line and column, and the methods that read it as an amount, day or text.
struct Field {
    /// The bytes without surrounding blanks.
    let bytes: ArraySlice<UInt8>
    let line: Int
    let column: StatementProblem.Column

    init(_ bytes: ArraySlice<UInt8>, line: Int, column: StatementProblem.Column) {
        var bytes = bytes
        while bytes.first == 0x20 || bytes.first == 0x09 { bytes = bytes.dropFirst() }
        while bytes.last == 0x20 || bytes.last == 0x09 { bytes = bytes.dropLast() }
        self.bytes = bytes
        self.line = line
        self.column = column
    }

    var isEmpty: Bool { bytes.isEmpty }

    func problem(_ code: StatementProblem.Code, _ detail: String) -> StatementProblem {
        StatementProblem(code, line: line, column: column, detail)
    }

    /// True if the value equals this text, ignoring case.
    func `is`(_ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { name in
            zip(bytes, name).allSatisfy { left, right in
                left == right || (left | 0x20 == right | 0x20 && 0x61...0x7A ~= left | 0x20)
            }
        }
    }

    // MARK: Text

    /// An id in the format's own form, unchanged. Nil if the field is empty.
    var id: String? {
        guard !bytes.isEmpty else { return nil }
        return Self.printable(bytes)
    }

    /// Free text, with card numbers masked. Nil if there is none.
    var text: String? {
        guard !bytes.isEmpty else { return nil }
        return Self.printable(CardDigits.masked(bytes)?[...] ?? bytes)
    }

    /// Digits without leading zeros, for numbers that some files pad. Other values as in `id`.
    var unpaddedID: String? {
        guard let id else { return nil }
        let trimmed = id.drop { $0 == "0" }
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// Replaces control characters: no reference contains them, and some stores refuse them.
    private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            return String(decoding: bytes.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Figures

    /// - Throws: `.missingValue` or `.badAmount`.
    func amount(_ currency: Currency, _ style: AmountStyle = .plain) throws(StatementProblem) -> Int64 {
        guard let amount = try optionalAmount(currency, style) else {
            throw problem(.missingValue, "An amount is expected.")
        }
        return amount
    }

    /// Nil if the field is empty.
    ///
    /// - Throws: `.badAmount`.
    func optionalAmount(
        _ currency: Currency,
        _ style: AmountStyle = .plain
    ) throws(StatementProblem) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        guard let exponent = currency.exponent else {
            throw problem(.unknownCurrency, "The currency has no minor unit.")
        }
        do {
            return try AmountText.amount(bytes, exponent: exponent, style)
        } catch {
            throw problem(.badAmount, error.detail)
        }
    }

    /// An amount printed from floating point, with an optional `$` in front. Nil if the field is empty.
    ///
    /// - Throws: `.badAmount`.
    func printedAmount(_ currency: Currency) throws(StatementProblem) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        guard let exponent = currency.exponent else {
            throw problem(.unknownCurrency, "The currency has no minor unit.")
        }
        do {
            return try AmountText.printed(bytes.first == 0x24 ? bytes.dropFirst() : bytes, exponent: exponent)
        } catch {
            throw problem(.badAmount, error.detail)
        }
    }

    /// Zoned decimal with the sign on the last digit, in minor units.
    ///
    /// - Throws: `.badAmount`.
    func overpunched() throws(StatementProblem) -> Int64 {
        do {
            return try AmountText.overpunched(bytes)
        } catch {
            throw problem(.badAmount, "Digits are expected with the sign over the last one: {, A to I, }, J to R.")
        }
    }

    /// A non-negative whole number.
    ///
    /// - Throws: `.badNumber`.
    func count() throws(StatementProblem) -> Int64 {
        do {
            return try AmountText.signed(try AmountText.digits(bytes), isNegative: false)
        } catch {
            throw problem(.badNumber, "A whole number is expected.")
        }
    }

    /// A currency by its three-letter code or its three-digit number.
    ///
    /// - Throws: `.missingCurrency` or `.unknownCurrency`.
    func currency() throws(StatementProblem) -> Currency {
        guard !bytes.isEmpty else { throw problem(.missingCurrency, "A currency is expected.") }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let currency = Currency(alphaIgnoringCase: text) ?? Currency(numericText: text),
            currency.exponent != nil
        else { throw problem(.unknownCurrency, "A currency of ISO 4217 with a minor unit is expected.") }
        return currency
    }

    // MARK: Days

    /// - Throws: `.badDate`, also if the field is empty.
    func day(_ order: DateOrder = .yearMonthDay) throws(StatementProblem) -> CivilDate {
        guard let day = DateText.day(bytes, order: order) else { throw problem(.badDate, "A day is expected.") }
        return day
    }

    /// Nil if the field is empty or only zeros.
    ///
    /// - Throws: `.badDate`.
    func optionalDay(_ order: DateOrder = .yearMonthDay) throws(StatementProblem) -> CivilDate? {
        if bytes.allSatisfy({ $0 == 0x30 }) { return nil }
        return try day(order)
    }

    /// A year and a day of the year. Nil if the field is empty or only zeros.
    ///
    /// - Throws: `.badDate`.
    func optionalJulianDay() throws(StatementProblem) -> CivilDate? {
        if bytes.allSatisfy({ $0 == 0x30 }) { return nil }
        guard let day = DateText.julianDay(bytes) else {
            throw problem(.badDate, "A year of four digits and a day of the year of three are expected.")
        }
        return day
    }
}

/// Caches the last currency, since most files have one.
struct CurrencyMemory: Sendable {
    private var bytes: [UInt8] = []
    private var found: Currency?

    mutating func currency(_ field: Field) throws(StatementProblem) -> Currency {
        if let found, field.bytes.elementsEqual(bytes) { return found }
        let currency = try field.currency()
        (bytes, found) = (Array(field.bytes), currency)
        return currency
    }
}
