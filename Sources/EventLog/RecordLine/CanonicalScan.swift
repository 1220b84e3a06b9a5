import Canonical

/// Scans canonical JSON and accepts nothing else: no spaces, only the escapes the writer uses, no member name twice. It
/// builds no values, so it can scan a whole log.
struct CanonicalScan {
    /// The deepest nesting accepted.
    static let maximumDepth = 200

    private struct Level {
        var isObject: Bool
        /// The index in `names` of the level's first member name.
        var firstName: Int
    }

    /// The range between the quotation marks of a string, and whether the string contains U+0000.
    struct Text {
        var range: Range<Int>
        var hasNUL: Bool
    }

    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0
    private var levels: [Level] = []
    private var names: [Range<Int>] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Skips exactly this text.
    mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] { return false }
        position += count
        return true
    }

    /// Reads a whole number from 1 to `most`, without leading zeros.
    mutating func positiveInteger(upTo most: Int64) -> Int64? {
        var value: Int64 = 0
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 {
            let (tens, isOver) = value.multipliedReportingOverflow(by: 10)
            let (sum, isAlsoOver) = tens.addingReportingOverflow(Int64(bytes[position] - 0x30))
            if isOver || isAlsoOver { return nil }
            value = sum
            position += 1
        }
        guard position > start, bytes[start] != 0x30, value <= most else { return nil }
        return value
    }

    /// Reads exactly `count` decimal digits.
    mutating func digits(_ count: Int) -> Int? {
        guard bytes.count - position >= count else { return nil }
        var value = 0
        for byte in bytes[position..<position + count] {
            guard byte &- 0x30 < 10 else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += count
        return value
    }

    /// Reads a string.
    mutating func string() -> Text? {
        guard let base = bytes.baseAddress, skip("\"") else { return nil }
        let start = position
        var isASCII = true
        var hasNUL = false
        while true {
            let plain = ByteScan.firstSpecial(base, from: position, to: bytes.count)
            if !plain.isASCII { isASCII = false }
            position = plain.position
            guard position < bytes.count else { return nil }
            if bytes[position] == UInt8(ascii: "\"") { break }
            guard let escaped = escape() else { return nil }
            if escaped == 0 { hasNUL = true }
        }
        let range = start..<position
        position += 1
        guard isASCII || ByteScan.firstInvalidUTF8(bytes[range]) == nil else { return nil }
        return Text(range: range, hasNUL: hasNUL)
    }

    /// Reads an escape: the short form if the character has one, else `\u00` and two digits for a control character.
    private mutating func escape() -> UInt8? {
        guard bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count else { return nil }
        position += 2
        switch bytes[position - 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): return bytes[position - 1]
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            guard skip("00"), let code = lowercaseHexadecimalByte(), code < 0x20 else { return nil }
            let hasShortEscape = code == 0x08 || code == 0x09 || code == 0x0A || code == 0x0C || code == 0x0D
            return hasShortEscape ? nil : code
        default: return nil
        }
    }

    /// Reads two hexadecimal digits in lower case.
    mutating func lowercaseHexadecimalByte() -> UInt8? {
        guard position + 1 < bytes.count, let high = digit(bytes[position]), let low = digit(bytes[position + 1]) else {
            return nil
        }
        position += 2
        return high << 4 | low
    }

    private func digit(_ byte: UInt8) -> UInt8? {
        if byte &- 0x30 < 10 { return byte - 0x30 }
        return byte &- 0x61 < 6 ? byte - 0x57 : nil
    }

    /// Skips a value of any kind.
    mutating func value() -> Bool {
        levels.removeAll(keepingCapacity: true)
        names.removeAll(keepingCapacity: true)
        // Reserved once, instead of growing.
        if names.capacity == 0 {
            levels.reserveCapacity(8)
            names.reserveCapacity(32)
        }
        while true {
            guard let isOpened = begin() else { return false }
            if isOpened { continue }
            guard let isDone = afterValue() else { return false }
            if isDone { return true }
        }
    }

    /// Skips a scalar or an empty array or object, or enters an array or object.
    ///
    /// - Returns: True when a value must follow; nil when there is no valid value.
    private mutating func begin() -> Bool? {
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""): return string() == nil ? nil : false
        case UInt8(ascii: "{"):
            position += 1
            guard levels.count < Self.maximumDepth else { return nil }
            if skip("}") { return false }
            levels.append(Level(isObject: true, firstName: names.count))
            return name() ? true : nil
        case UInt8(ascii: "["):
            position += 1
            guard levels.count < Self.maximumDepth else { return nil }
            if skip("]") { return false }
            levels.append(Level(isObject: false, firstName: names.count))
            return true
        case UInt8(ascii: "t"): return skip("true") ? false : nil
        case UInt8(ascii: "f"): return skip("false") ? false : nil
        case UInt8(ascii: "n"): return skip("null") ? false : nil
        default: return JSONNumber.scan(bytes, from: &position) ? false : nil
        }
    }

    /// Skips what may follow a value: closing brackets, and a comma with the next member's name.
    ///
    /// - Returns: True when nothing is open any more, false when a value must follow; nil when neither is the case.
    private mutating func afterValue() -> Bool? {
        while let level = levels.last {
            if skip(",") { return !level.isObject || name() ? false : nil }
            guard level.isObject ? skip("}") : skip("]") else { return nil }
            guard !level.isObject || hasDistinctNames(from: level.firstName) else { return nil }
            names.removeSubrange(level.firstName...)
            levels.removeLast()
        }
        return true
    }

    private mutating func name() -> Bool {
        guard let text = string(), skip(":") else { return false }
        names.append(text.range)
        return true
    }

    /// Escapes are canonical, so names are equal exactly when their bytes are.
    private mutating func hasDistinctNames(from first: Int) -> Bool {
        let count = names.count - first
        if count < 2 { return true }
        if count > 24 {
            // After sorting, equal names are neighbours.
            let sorted = names[first...].sorted { compare($0, $1) < 0 }
            return zip(sorted, sorted.dropFirst()).allSatisfy { compare($0, $1) != 0 }
        }
        // A name is compared with the earlier ones only if its mark was seen.
        var seen: UInt64 = 0
        for index in first..<names.count {
            let mark = mark(of: names[index])
            if seen & mark != 0 {
                for other in first..<index where compare(names[index], names[other]) == 0 { return false }
            }
            seen |= mark
        }
        return true
    }

    /// One of 64 bits; equal names have the same bit.
    private func mark(of name: Range<Int>) -> UInt64 {
        guard let last = name.last else { return 1 }
        let middle = bytes[name.lowerBound + name.count / 2]
        let mixed = UInt64(bytes[last]) &* 0x9E37_79B9 &+ UInt64(middle) &* 0x85EB_CA6B &+ UInt64(name.count)
        return 1 << ((mixed &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }

    /// Negative, zero or positive, in a total order.
    private func compare(_ left: Range<Int>, _ right: Range<Int>) -> Int {
        if left.count != right.count { return left.count - right.count }
        for offset in 0..<left.count {
            let (a, b) = (bytes[left.lowerBound + offset], bytes[right.lowerBound + offset])
            if a != b { return Int(a) - Int(b) }
        }
        return 0
    }
}
