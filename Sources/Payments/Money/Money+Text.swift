extension Money {
    /// The figure in whole units with all decimals of the currency, for display: `13.40`, `-0.05`, `1234` in JPY. No
    /// grouping, because it differs between countries and breaks columns.
    package var decimalText: String {
        let digits = String(value.magnitude)
        let sign = value < 0 ? "-" : ""
        let exponent = currency.exponent ?? 0
        guard exponent > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(exponent + 1 - digits.utf8.count, 0)) + digits
        let point = padded.utf8.index(padded.utf8.endIndex, offsetBy: -exponent)
        return "\(sign)\(padded[..<point]).\(padded[point...])"
    }
}

extension Money: CustomStringConvertible {
    /// The figure and the currency code: `13.40 USD`.
    package var description: String { "\(decimalText) \(currency.alpha)" }
}

// MARK: - Reading figures

extension Money {
    /// The characters a figure may have beside its digits. Each is enabled only for vendors that are known to print it.
    package struct FigureOptions: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A minus sign in front of everything else.
        package static let negative = FigureOptions(rawValue: 1)
        /// One `$` in front of the digits, as BridgePay prints amounts: `$5.50`. The currency is not checked against
        /// it.
        package static let dollarSign = FigureOptions(rawValue: 2)
    }

    /// The longest figure that is read, in bytes. Fixed-width fields pad with zeros, but not beyond this length.
    package static let maximumFigureBytes = 32

    /// Reads a figure in whole units with an optional point: `9.50`, `9.5`, `8`.
    ///
    /// ASCII digits, at least one on each side of the point; leading zeros are accepted; no plus sign, no grouping, no
    /// exponent, no white space. Decimals beyond the currency's must be zeros. Signs are accepted only as `options`
    /// allow, in the order `-$`.
    ///
    /// - Throws: `.malformed`, `.tooLong`, `.negative` (a readable figure with a minus sign that is not allowed),
    ///   `.tooPrecise`, `.overflow`, `.noMinorUnit`.
    package static func parse(
        decimal text: some StringProtocol,
        currency: Currency,
        allowing options: FigureOptions = []
    ) throws(MoneyError) -> Money {
        let figure = try ParsedFigure(text, allowing: options, hasPoint: true)
        return Money(try figure.minorUnits(scale: figure.fractionDigits, of: currency), currency)
    }

    /// Reads a figure without a point whose last `exponent` digits are decimals, whatever the currency's exponent:
    /// `2000` with exponent 2 is 20.00.
    ///
    /// The digits follow the same rules as those of a decimal figure. If `exponent` is larger than the currency's, the
    /// excess digits must be zeros.
    ///
    /// - Throws: as `parse(decimal:currency:allowing:)`, and `.invalidExponent` outside 0...9.
    package static func parse(
        implied text: some StringProtocol,
        exponent: Int,
        currency: Currency,
        allowing options: FigureOptions = []
    ) throws(MoneyError) -> Money {
        guard 0...9 ~= exponent else { throw MoneyError(.invalidExponent) }
        let figure = try ParsedFigure(text, allowing: options, hasPoint: false)
        return Money(try figure.minorUnits(scale: exponent, of: currency), currency)
    }

    /// Reads an integer count of minor units by ISO 4217.
    ///
    /// - Throws: as `parse(decimal:currency:allowing:)`.
    package static func parse(
        minor text: some StringProtocol,
        currency: Currency,
        allowing options: FigureOptions = []
    ) throws(MoneyError) -> Money {
        guard let exponent = currency.exponent else { throw MoneyError(.noMinorUnit) }
        return try parse(implied: text, exponent: exponent, currency: currency, allowing: options)
    }

    /// Reads an integer figure whose last `exponent` digits are decimals.
    ///
    /// - Throws: `.negative` unless allowed, `.tooPrecise`, `.overflow`, `.noMinorUnit`, `.invalidExponent`.
    package static func parse(
        implied figure: Int64,
        exponent: Int,
        currency: Currency,
        allowing options: FigureOptions = []
    ) throws(MoneyError) -> Money {
        try parse(implied: String(figure), exponent: exponent, currency: currency, allowing: options)
    }
}

/// A figure split into its sign and digits.
private struct ParsedFigure {
    private var isNegative = false
    /// The digits before and after the point, as values 0...9.
    private var digits: [UInt8] = []
    private(set) var fractionDigits = 0

    init(_ text: some StringProtocol, allowing options: Money.FigureOptions, hasPoint: Bool) throws(MoneyError) {
        guard text.utf8.count <= Money.maximumFigureBytes else { throw MoneyError(.tooLong) }
        var rest = Array(text.utf8)[...]
        func skip(_ byte: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: byte) else { return false }
            rest.removeFirst()
            return true
        }
        isNegative = skip("-")
        if options.contains(.dollarSign) { _ = skip("$") }
        digits = Self.leadingDigits(&rest)
        guard !digits.isEmpty else { throw MoneyError(.malformed) }
        if hasPoint, skip(".") {
            let fraction = Self.leadingDigits(&rest)
            guard !fraction.isEmpty else { throw MoneyError(.malformed) }
            digits += fraction
            fractionDigits = fraction.count
        }
        guard rest.isEmpty else { throw MoneyError(.malformed) }
        guard !isNegative || options.contains(.negative) else { throw MoneyError(.negative) }
    }

    private static func leadingDigits(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let digits = rest.prefix { 0x30...0x39 ~= $0 }
        rest = rest.dropFirst(digits.count)
        return digits.map { $0 - 0x30 }
    }

    /// The figure in minor units of `currency`, where its last `scale` digits are decimals.
    func minorUnits(scale: Int, of currency: Currency) throws(MoneyError) -> Int64 {
        guard let exponent = currency.exponent else { throw MoneyError(.noMinorUnit) }
        let excess = max(scale - exponent, 0)
        guard digits.suffix(excess).allSatisfy({ $0 == 0 }) else { throw MoneyError(.tooPrecise) }
        let padding = [UInt8](repeating: 0, count: max(exponent - scale, 0))
        var magnitude: UInt64 = 0
        for digit in digits.dropLast(excess) + padding {
            let (tenfold, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (next, carry) = tenfold.addingReportingOverflow(UInt64(digit))
            guard !overflow, !carry else { throw MoneyError(.overflow) }
            magnitude = next
        }
        return try Money.signed(magnitude, isNegative: isNegative)
    }
}
