/// Reads the text of a JSON document in one pass and returns only the requested values, without building the rest. It
/// is for large numbers of documents with a known shape.
///
/// It accepts less than `JSONValue(parsing:)`: only text without white space, and strings without escapes where a
/// string is requested. If any call returns nil or false, the result is unusable and the caller parses the document in
/// the ordinary way. Skipped parts are not checked.
package struct JSONTextReader {
    /// The name of a member, for comparing with literals.
    package struct Name {
        fileprivate let bytes: UnsafeBufferPointer<UInt8>

        package static func ~= (literal: StaticString, name: Name) -> Bool {
            let count = literal.utf8CodeUnitCount
            guard name.bytes.count == count else { return false }
            for index in 0..<count where name.bytes[index] != literal.utf8Start[index] { return false }
            return true
        }
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// Reads a whole document.
    ///
    /// - Returns: Nil when `read` returns nil, or when it leaves anything unread.
    package static func read<Value>(_ text: String, _ read: (inout JSONTextReader) -> Value?) -> Value? {
        var text = text
        return text.withUTF8 { bytes in
            var reader = JSONTextReader(bytes)
            guard let value = read(&reader), reader.position == bytes.count else { return nil }
            return value
        }
    }

    // MARK: Values

    /// A string without escapes; nil for anything else.
    package mutating func text() -> String? {
        guard let range = plainString() else { return nil }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// A whole number that fits, as the canonical form writes it; nil for anything else.
    package mutating func integer() -> Int64? {
        let isNegative = skip(UInt8(ascii: "-"))
        let start = position
        var value: Int64 = 0
        while position < bytes.count, bytes[position] &- 0x30 < 10 {
            value = value &* 10 &- Int64(bytes[position] &- 0x30)
            position += 1
        }
        // Seventeen digits never overflow. No fraction or exponent may follow.
        guard 1...17 ~= position - start, position - start == 1 || bytes[start] != 0x30 else { return nil }
        if position < bytes.count, [0x2E, 0x65, 0x45].contains(bytes[position]) { return nil }
        return isNegative ? value : -value
    }

    package mutating func flag() -> Bool? {
        if skip("true") { return true }
        return skip("false") ? false : nil
    }

    /// Reads the members of an object.
    ///
    /// - Parameter read: Reads or skips the value of each, and returns whether it succeeded.
    /// - Returns: False when this is not an object, or `read` returned false.
    package mutating func members(_ read: (Name, inout JSONTextReader) -> Bool) -> Bool {
        guard skip(UInt8(ascii: "{")) else { return false }
        if skip(UInt8(ascii: "}")) { return true }
        while true {
            guard let range = plainString(), skip(UInt8(ascii: ":")) else { return false }
            let name = Name(bytes: UnsafeBufferPointer(rebasing: bytes[range]))
            guard read(name, &self) else { return false }
            if skip(UInt8(ascii: ",")) { continue }
            return skip(UInt8(ascii: "}"))
        }
    }

    /// The elements of an array; nil when this is not an array, or `read` returns nil.
    package mutating func elements<Element>(_ read: (inout JSONTextReader) -> Element?) -> [Element]? {
        guard skip(UInt8(ascii: "[")) else { return nil }
        var elements: [Element] = []
        if skip(UInt8(ascii: "]")) { return elements }
        while let element = read(&self) {
            elements.append(element)
            if skip(UInt8(ascii: ",")) { continue }
            return skip(UInt8(ascii: "]")) ? elements : nil
        }
        return nil
    }

    /// Skips a value of any kind.
    package mutating func skip() -> Bool {
        var depth = 0
        repeat {
            guard position < bytes.count else { return false }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return false }
                depth -= 1
                position += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { return false }
                position += 1
            default:
                skipWord()
            }
        } while depth > 0
        return true
    }

    // MARK: Bytes

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for offset in 0..<count where bytes[position + offset] != word.utf8Start[offset] { return false }
        position += count
        return true
    }

    /// Skips a number, `true`, `false` or `null`: to the next byte that cannot be part of one.
    private mutating func skipWord() {
        position += 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ":"): return
            default: position += 1
            }
        }
    }

    /// The range of the well-formed text of a string without escapes.
    private mutating func plainString() -> Range<Int>? {
        guard let base = bytes.baseAddress, skip(UInt8(ascii: "\"")) else { return nil }
        let start = position
        let plain = ByteScan.firstSpecial(base, from: start, to: bytes.count)
        guard plain.position < bytes.count, bytes[plain.position] == UInt8(ascii: "\"") else { return nil }
        guard plain.isASCII || ByteScan.firstInvalidUTF8(bytes[start..<plain.position]) == nil else { return nil }
        position = plain.position + 1
        return start..<plain.position
    }

    private mutating func skipString() -> Bool {
        guard let base = bytes.baseAddress else { return false }
        position += 1
        while true {
            position = ByteScan.firstSpecial(base, from: position, to: bytes.count).position
            guard position < bytes.count else { return false }
            if bytes[position] == UInt8(ascii: "\"") {
                position += 1
                return true
            }
            // The byte after a backslash is always part of the escape.
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
    }
}
