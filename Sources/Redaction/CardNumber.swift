/// The rules by which a run of digits counts as a possible card number.
///
/// Issuer ranges: ISO/IEC 7812-1 and the schemes' published ranges. They are checked only where a run of digits alone
/// is weak evidence: inside longer runs, across separators, and in fields declared as identifiers.
package enum CardNumber {
    /// The lengths of ISO/IEC 7812 card numbers in practice.
    static let lengths = 13...19

    /// The check of ISO/IEC 7812-1 annex B over decimal digits.
    static func passesLuhn(_ digits: some BidirectionalCollection<UInt8>) -> Bool {
        var sum = 0
        var double = false
        for digit in digits.reversed() {
            var value = Int(digit)
            if double {
                value *= 2
                if value > 9 { value -= 9 }
            }
            sum += value
            double.toggle()
        }
        return sum % 10 == 0
    }

    /// True if a scheme has an issuer range with this prefix and numbers of this length.
    ///
    /// - Parameter digits: 13 to 19 decimal digits; false for other counts.
    static func hasIssuerPrefix(_ digits: ArraySlice<UInt8>) -> Bool {
        let length = digits.count
        guard lengths.contains(length) else { return false }
        var six = 0
        for digit in digits.prefix(6) { six = six * 10 + Int(digit) }
        let four = six / 100
        let three = six / 1_000
        let two = six / 10_000
        return switch two {
        case 40...49: length == 13 || length == 16 || length == 19  // Visa
        case 51...55: length == 16  // Mastercard
        case 22...27: (2221...2720).contains(four) && length == 16 || (2200...2204).contains(four) && length >= 16
        case 34, 37: length == 15  // American Express
        case 30: ((300...305).contains(three) || four == 3095) && length >= 14  // Diners Club
        case 36, 38, 39: length >= 14  // Diners Club
        case 35: (3528...3589).contains(four) && length >= 16  // JCB
        case 60: length >= 16  // Discover 6011, RuPay, Elo
        case 62, 81, 82: length >= 16  // UnionPay, RuPay
        case 64: (644...649).contains(three) && length >= 16  // Discover
        case 65: length >= 16  // Discover, RuPay, Elo
        case 50, 56...58, 61, 63, 66...69: true  // Maestro and domestic schemes
        case 97: four == 9792 && length == 16  // Troy
        default: false
        }
    }

    /// True for digits that pass the Luhn check and are in an issuer's range.
    static func isIssued(_ digits: ArraySlice<UInt8>) -> Bool {
        hasIssuerPrefix(digits) && passesLuhn(digits)
    }

    /// True if 14 or 17 digits are a time `yyyyMMddHHmmss[SSS]` of this century. No issuer range begins with 20 at
    /// these lengths, but one time in ten passes the Luhn check.
    static func isCalendarTime(_ digits: ArraySlice<UInt8>) -> Bool {
        guard digits.count == 14 || digits.count == 17 else { return false }
        func number(_ offset: Int, _ count: Int) -> Int {
            let start = digits.startIndex + offset
            return digits[start..<(start + count)].reduce(0) { $0 * 10 + Int($1) }
        }
        return number(0, 2) == 20 && (1...12).contains(number(4, 2)) && (1...31).contains(number(6, 2))
            && number(8, 2) < 24 && number(10, 2) < 60 && number(12, 2) < 61
    }

    /// True if a hexadecimal or alphanumeric identifier contains a number of an issuer's range, or the chip form of
    /// track 2. Issuer ranges never begin with zeros, so application identifiers do not match.
    static func isHidden(in text: some StringProtocol) -> Bool {
        var run: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            if (0x30...0x39).contains(byte) {
                run.append(byte - 0x30)
                let longest = min(run.count, lengths.upperBound)
                guard longest >= lengths.lowerBound else { continue }
                if (lengths.lowerBound...longest).contains(where: { isIssued(run.suffix($0)) }) { return true }
            } else {
                let isSeparator = byte == 0x44 || byte == 0x64
                if isSeparator, run.count >= 12, bytes.prefix(7).count(where: { (0x30...0x39).contains($0) }) == 7 {
                    return true
                }
                run.removeAll(keepingCapacity: true)
            }
        }
        return false
    }

    /// The digits of a text that consists only of digits; nil for any other text.
    package static func digits(_ text: String) -> [UInt8]? { digits(of: text.utf8) }

    /// The digits of a text that consists only of digits; nil for any other text.
    package static func digits(_ text: Substring) -> [UInt8]? { digits(of: text.utf8) }

    /// The digits of a text that consists only of digits, blanks and hyphens; nil for any other text.
    static func digits(ofSpaced text: String) -> [UInt8]? {
        digits(of: text.utf8.lazy.filter { $0 != 0x20 && $0 != 0x2D })
    }

    private static func digits(of bytes: some Sequence<UInt8>) -> [UInt8]? {
        var digits: [UInt8] = []
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            digits.append(byte - 0x30)
        }
        return digits
    }
}

extension CardNumber {
    /// `4.111111111111111E15` without its exponent, for exponents of 0 to 19.
    static func plainDigits(of literal: String) -> String? {
        guard let mark = literal.firstIndex(where: { $0 == "e" || $0 == "E" }),
            let exponent = Int(literal[literal.index(after: mark)...]), (0...19).contains(exponent)
        else { return nil }
        let mantissa = literal[..<mark].split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = mantissa.first else { return nil }
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        let padding = String(repeating: "0", count: max(0, exponent - fraction.count))
        return whole + fraction.prefix(exponent) + padding
            + (fraction.count > exponent ? "." + fraction.dropFirst(exponent) : "")
    }
}
