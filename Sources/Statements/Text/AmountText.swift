/// Why a text is not an amount.
enum AmountFault: Error, Hashable {
    case malformed, tooPrecise, tooLarge

    var detail: String {
        switch self {
        case .malformed: "An amount is expected."
        case .tooPrecise: "The amount has more decimals than its currency."
        case .tooLarge: "The amount is larger than any that is kept."
        }
    }
}

/// The notation of amounts in a file.
package struct AmountStyle: Sendable, Hashable {
    /// The decimal sign.
    package var decimal: UInt8
    /// The separator of groups of three digits; nil if the format has none.
    package var grouping: UInt8?
    /// True if amounts are whole numbers of minor units.
    package var isMinor: Bool

    package init(
        decimal: UInt8 = UInt8(ascii: "."),
        grouping: UInt8? = nil,
        isMinor: Bool = false
    ) {
        self.decimal = decimal
        self.grouping = grouping
        self.isMinor = isMinor
    }

    /// `-1234.50`
    static let plain = AmountStyle()
    /// `-1,234.50`
    static let grouped = AmountStyle(grouping: UInt8(ascii: ","))
    /// `-123450`
    static let minor = AmountStyle(isMinor: true)
}

/// Reads amounts from their bytes into minor units, without any floating point.
enum AmountText {
    /// An amount with an optional sign before or after it, or in parentheses, which mean negative.
    ///
    /// Decimals beyond the currency's must be zeros. Groups must have three digits.
    static func amount(_ text: ArraySlice<UInt8>, exponent: Int, _ style: AmountStyle) throws(AmountFault) -> Int64 {
        var rest = text
        var isNegative = false
        if rest.first == UInt8(ascii: "("), rest.last == UInt8(ascii: ")"), rest.count > 2 {
            isNegative = true
            rest = rest.dropFirst().dropLast()
        } else if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            rest = rest.dropFirst()
        } else if let last = rest.last, last == UInt8(ascii: "-") || last == UInt8(ascii: "+") {
            isNegative = last == UInt8(ascii: "-")
            rest = rest.dropLast()
        }
        let magnitude =
            style.isMinor
            ? try digits(rest) : try decimal(rest, exponent: exponent, style.decimal, style.grouping)
        return try signed(magnitude, isNegative: isNegative)
    }

    /// An amount that a program printed from binary floating point: `13.4`, or with a rounding error
    /// `0.30000000000000004`. With twelve decimals or more, the eight after the currency's must be all zeros or all
    /// nines, and the amount is rounded accordingly.
    static func printed(_ text: ArraySlice<UInt8>, exponent: Int) throws(AmountFault) -> Int64 {
        guard let point = text.firstIndex(of: UInt8(ascii: ".")) else {
            return try amount(text, exponent: exponent, .plain)
        }
        let decimals = text[(point + 1)...]
        guard decimals.count >= 12, decimals.allSatisfy({ $0 &- 0x30 < 10 }) else {
            return try amount(text, exponent: exponent, .plain)
        }
        let kept = text[..<(point + 1 + exponent)]
        let excess = decimals.dropFirst(exponent).prefix(8)
        let value = try amount(exponent == 0 ? text[..<point] : kept, exponent: exponent, .plain)
        if excess.allSatisfy({ $0 == 0x30 }) { return value }
        guard excess.allSatisfy({ $0 == 0x39 }), value.magnitude < UInt64(Int64.max) else { throw .tooPrecise }
        return value < 0 || text.first == UInt8(ascii: "-") ? value - 1 : value + 1
    }

    /// Only digits, at least one, as many as fit.
    static func digits(_ text: ArraySlice<UInt8>) throws(AmountFault) -> UInt64 {
        guard !text.isEmpty else { throw .malformed }
        var value: UInt64 = 0
        for byte in text { try append(byte, to: &value) }
        return value
    }

    /// Zoned decimal with the sign overpunched on the last digit, as American Express uses it: `{` is +0, `A` to `I`
    /// are +1 to +9, `}` is -0, `J` to `R` are -1 to -9. A last digit without a sign is positive.
    static func overpunched(_ text: ArraySlice<UInt8>) throws(AmountFault) -> Int64 {
        guard let last = text.last else { throw .malformed }
        let (digit, isNegative): (UInt8, Bool)
        switch last {
        case UInt8(ascii: "{"): (digit, isNegative) = (0, false)
        case UInt8(ascii: "}"): (digit, isNegative) = (0, true)
        case UInt8(ascii: "A")...UInt8(ascii: "I"): (digit, isNegative) = (last - UInt8(ascii: "A") + 1, false)
        case UInt8(ascii: "J")...UInt8(ascii: "R"): (digit, isNegative) = (last - UInt8(ascii: "J") + 1, true)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): (digit, isNegative) = (last - UInt8(ascii: "0"), false)
        default: throw .malformed
        }
        var value: UInt64 = 0
        for byte in text.dropLast() { try append(byte, to: &value) }
        try append(digit + 0x30, to: &value)
        return try signed(value, isNegative: isNegative)
    }

    static func signed(_ magnitude: UInt64, isNegative: Bool) throws(AmountFault) -> Int64 {
        // The smallest `Int64` is excluded, so that every amount can be negated.
        guard magnitude <= UInt64(Int64.max) else { throw .tooLarge }
        return isNegative ? -Int64(magnitude) : Int64(magnitude)
    }

    private static func append(_ byte: UInt8, to value: inout UInt64) throws(AmountFault) {
        guard byte &- 0x30 < 10 else { throw .malformed }
        let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
        let (next, carry) = tenfold.addingReportingOverflow(UInt64(byte - 0x30))
        guard !overflow, !carry else { throw .tooLarge }
        value = next
    }

    private static func decimal(
        _ text: ArraySlice<UInt8>,
        exponent: Int,
        _ point: UInt8,
        _ grouping: UInt8?
    ) throws(AmountFault) -> UInt64 {
        var value: UInt64 = 0
        var decimals = -1
        var digits = 0
        /// Digits since the last group separator; -1 if there was none.
        var group = -1
        for byte in text {
            if byte == point {
                guard decimals < 0, group < 0 || group == 3 else { throw .malformed }
                decimals = 0
            } else if byte == grouping, decimals < 0 {
                guard group < 0 ? 1...3 ~= digits : group == 3 else { throw .malformed }
                group = 0
            } else {
                if decimals >= 0 { decimals += 1 }
                if decimals > exponent {
                    guard byte == 0x30 else { throw (byte &- 0x30 < 10) ? .tooPrecise : .malformed }
                    continue
                }
                try append(byte, to: &value)
                digits += 1
                if group >= 0, decimals < 0 { group += 1 }
            }
        }
        guard digits > 0, decimals != 0, group < 0 || group == 3 else { throw .malformed }
        var missing = exponent - max(decimals, 0)
        while missing > 0 {
            try append(0x30, to: &value)
            missing -= 1
        }
        return value
    }
}
