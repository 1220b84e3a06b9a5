import Canonical
import DaybookTestKit
import Testing

/// Random values, random spellings of them, and random bytes.
@Suite("JSON properties")
struct JSONPropertyTests {
    private static let seeds: [UInt64] = [1, 2, 3, 4]

    @Test("Written JSON is read as the same value", arguments: seeds)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let value = JSONValue.random(using: &random)
            let bytes = value.canonicalBytes
            let parsed = try JSONValue(parsing: bytes)
            #expect(parsed == value)
            #expect(parsed.hashValue == value.hashValue)
            #expect(parsed.canonicalBytes == bytes)
            #expect(try JSONValue(parsing: value.sortedText).sortedText == value.sortedText)
        }
    }

    @Test("Every spelling is read as the same value", arguments: seeds)
    func spellings(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let value = JSONValue.random(using: &random)
            let spelled = value.spelled(using: &random)
            #expect(try JSONValue(parsing: spelled) == value)
        }
    }

    @Test("Sorted text does not depend on the order of members", arguments: seeds)
    func sortedText(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let value = JSONValue.random(using: &random)
            #expect(value.shuffled(using: &random).sortedText == value.sortedText)
        }
    }

    @Test("Random bytes give a value or an error", arguments: seeds)
    func randomBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("{}[]\",:\\/untrfals0123456789-+.eE \nud8dcé".utf8) + [0, 0x1F, 0x80, 0xC0, 0xED, 0xFF]
        for _ in 0..<3000 {
            let count = Int.random(in: 0...40, using: &random)
            let isAnyByte = Bool.random(using: &random)
            check(
                (0..<count).map { _ in
                    isAnyByte ? .random(in: 0...255, using: &random) : alphabet.randomElement(using: &random) ?? 0
                }
            )
        }
    }

    @Test("Documents with a few bytes changed, removed or cut off give a value or an error", arguments: seeds)
    func damagedDocuments(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<600 {
            var bytes = Array(JSONValue.random(using: &random).spelled(using: &random).utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                let position = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes[position] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: position)
                case 2: bytes.insert(.random(in: 0...255, using: &random), at: position)
                default: bytes.removeSubrange(position...)
                }
            }
            check(bytes)
        }
    }

    /// Checks that a value survives a round trip, and that an error points into the document.
    private func check(_ bytes: [UInt8]) {
        do throws(JSONParseError) {
            let value = try JSONValue(parsing: bytes)
            #expect(try JSONValue(parsing: value.canonicalBytes) == value, "\(bytes)")
            #expect(String(validating: bytes, as: UTF8.self) != nil, "\(bytes)")
        } catch {
            #expect(0...bytes.count ~= error.offset, "\(bytes)")
            if error.code == .unexpectedEnd { #expect(error.offset == bytes.count, "\(bytes)") }
            if error.code == .invalidUTF8 { #expect(String(validating: bytes, as: UTF8.self) == nil, "\(bytes)") }
        }
    }
}

extension JSONValue {
    /// Any kind of value, nested a few levels.
    static func random(depth: Int = 4, using random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .number(JSONNumber(Int64.random(in: .min ... .max, using: &random)))
        case 3:
            let literals = ["0", "-0", "0.10", "1e5", "-1.50E-07", "12345678901234567890", "1e999"]
            return literals.randomElement(using: &random).flatMap { JSONNumber(literal: $0) }.map { .number($0) }
                ?? .null
        case 4...6: return .string(.random(using: &random))
        case 7, 8:
            return .array(
                (0..<Int.random(in: 0...6, using: &random)).map { _ in .random(depth: depth - 1, using: &random) }
            )
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                object[.random(using: &random)] = .random(depth: depth - 2, using: &random)
            }
            return .object(object)
        }
    }

    /// A random spelling of the value: with white space, and with unnecessary escapes.
    func spelled(using random: inout SeededGenerator) -> String {
        let spaces = ["", "", "", " ", "\n", "\t\r\n  "]
        func space() -> String { spaces.randomElement(using: &random) ?? "" }
        func quoted(_ text: String) -> String {
            "\"" + text.unicodeScalars.map { $0.spelled(using: &random) }.joined() + "\""
        }
        let text =
            switch self {
            case .null, .bool, .number: self.text
            case .string(let text): quoted(text)
            case .array(let elements):
                "[" + space() + elements.map { $0.spelled(using: &random) }.joined(separator: ",") + "]"
            case .object(let object):
                "{" + space()
                    + object.members.map { quoted($0.key) + space() + ":" + $0.value.spelled(using: &random) }
                    .joined(separator: ",") + "}"
            }
        return space() + text + space()
    }

    /// The value with the members of every object in another order.
    func shuffled(using random: inout SeededGenerator) -> JSONValue {
        switch self {
        case .array(let elements):
            return .array(elements.map { $0.shuffled(using: &random) })
        case .object(let object):
            var shuffled = JSONObject()
            for member in object.members.shuffled(using: &random) {
                shuffled[member.key] = member.value.shuffled(using: &random)
            }
            return .object(shuffled)
        default: return self
        }
    }
}

extension Unicode.Scalar {
    /// The unescaped scalar if that is allowed, or one of its escapes.
    fileprivate func spelled(using random: inout SeededGenerator) -> String {
        let short: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\u{8}": "\\b", "\u{C}": "\\f", "\n": "\\n", "\r": "\\r",
            "\t": "\\t",
        ]
        let long = UTF16.encode(self)?.map { unit in
            let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        var spellings = [long?.joined() ?? ""]
        if let escape = short[self] { spellings.append(escape) }
        if value >= 0x20, self != "\"", self != "\\" { spellings += [String(self), String(self), String(self)] }
        return spellings.randomElement(using: &random) ?? ""
    }
}

extension String {
    /// Up to 24 scalars, from all planes and with many that need an escape.
    static func random(using random: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...24, using: &random) {
            let code: UInt32 =
                switch Int.random(in: 0...7, using: &random) {
                case 0: .random(in: 0...0x1F, using: &random)
                case 1: [0x22, 0x5C, 0x2F, 0x7F, 0xE9, 0x301].randomElement(using: &random) ?? 0
                case 2: .random(in: 0x80...0xD7FF, using: &random)
                case 3: .random(in: 0xE000...0x10FFFF, using: &random)
                default: .random(in: 0x20...0x7E, using: &random)
                }
            if let scalar = Unicode.Scalar(code) { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
