import Canonical
import DaybookTestKit
import Testing

@testable import Redaction

/// Random documents with card numbers planted at random places, in every form.
@Suite("Scrubber properties")
struct ScrubberPropertyTests {
    /// Writes a card number in one of the usual forms.
    private static func dress(_ number: String, using generator: inout SeededGenerator) -> String {
        let separators = [" ", "-", ".", "\u{A0}", "%20", "+", "\u{2009}"]
        let separator = separators.randomElement(using: &generator) ?? " "
        let digits = Array(number)
        func grouped(_ size: Int) -> String {
            stride(from: 0, to: digits.count, by: size)
                .map { String(digits[$0..<min($0 + size, digits.count)]) }
                .joined(separator: separator)
        }
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: return grouped(4)
        case 1: return grouped(Int.random(in: 1...6, using: &generator))
        case 2:
            return digits.map { digit in
                Bool.random(using: &generator)
                    ? String(digit) + (separators.randomElement(using: &generator) ?? "") : String(digit)
            }.joined().trimmingSeparators()
        case 3: return String(number.unicodeScalars.map { Character(Unicode.Scalar($0.value - 0x30 + 0xFF10) ?? "０") })
        case 4: return number.utf8.map { "%3" + String($0 - 0x30) }.joined()
        case 5: return "pan=" + number + "&x=1"
        case 6: return #"{"raw":"\#(number)"}"#
        case 7: return "no \(number), thanks"
        default: return number
        }
    }

    private static func value(
        depth: Int,
        planting numbers: inout [String],
        using generator: inout SeededGenerator
    ) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
        case 0: return .null
        case 1: return .number(JSONNumber(Int64.random(in: -99_999...999_999_999, using: &generator)))
        case 2:
            let number = CardNumbers.random(using: &generator)
            guard let literal = JSONNumber(literal: number) else { return .null }
            numbers.append(number)
            return .number(literal)
        case 3, 4:
            let number = CardNumbers.random(using: &generator)
            numbers.append(number)
            return .string(dress(number, using: &generator))
        case 5:
            return .string(
                ["APPROVED", "13.40", "400907500270", "A01 - Approved"].randomElement(using: &generator) ?? ""
            )
        case 6: return .bool(Bool.random(using: &generator))
        case 7:
            return .array((0..<3).map { _ in value(depth: depth - 1, planting: &numbers, using: &generator) })
        default:
            var object = JSONObject()
            for index in 0..<4 {
                var key = "field\(index)"
                if Int.random(in: 0..<6, using: &generator) == 0 {
                    let number = CardNumbers.random(using: &generator)
                    numbers.append(number)
                    key = dress(number, using: &generator)
                }
                object[key] = value(depth: depth - 1, planting: &numbers, using: &generator)
            }
            return .object(object)
        }
    }

    /// Every scalar and every name, as text.
    private static func texts(in value: JSONValue) -> [String] {
        switch value {
        case .null, .bool: []
        case .number(let number): [number.literal]
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        case .object(let object): object.members.flatMap { [$0.key] + texts(in: $0.value) }
        }
    }

    /// The digits of a text in order, ignoring the characters between them; percent escapes decoded.
    private static func digits(of text: String) -> String {
        var digits = ""
        var plain = text
        for number in 0...9 { plain = plain.replacing("%3\(number)", with: "\(number)") }
        for escape in ["%20", "%C2%A0"] { plain = plain.replacing(escape, with: " ") }
        for scalar in plain.unicodeScalars where scalar.properties.numericType == .decimal {
            digits += String(Int(scalar.properties.numericValue ?? 0))
        }
        return digits
    }

    @Test("No planted card number survives, and a second scrubbing changes nothing", arguments: 0..<40 as Range<UInt64>)
    func planted(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            var numbers: [String] = []
            let document = Self.value(depth: 4, planting: &numbers, using: &generator)
            let scrubbed = Scrubber().scrub(UnscrubbedDocument(document))
            let texts = Self.texts(in: scrubbed.value)
            for text in texts {
                #expect(CardNumbers.validRuns(in: text).isEmpty, "seed \(seed)")
                let digits = Self.digits(of: text)
                #expect(!numbers.contains { digits.contains($0) }, "seed \(seed): \(text)")
            }
            let again = Scrubber().scrub(UnscrubbedDocument(scrubbed.value))
            #expect(again.value == scrubbed.value, "seed \(seed)")
            #expect(again.redactions.isEmpty, "seed \(seed)")
            #expect(numbers.isEmpty == scrubbed.redactions.isEmpty, "seed \(seed)")
        }
    }

    @Test("Scrubbing twice equals scrubbing once, for any mixture of digits", arguments: 0..<40 as Range<UInt64>)
    func idempotence(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            " ", "-", ".", "=", "D", "^", "?", ";", "%", "%B", "%20", "\"", ":", "pan", "cvv", "password", "{", "}",
            "*", "A", "é",
        ]
        for _ in 0..<60 {
            var text = ""
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                if Int.random(in: 0..<3, using: &generator) > 0 {
                    for _ in 0..<Int.random(in: 1...24, using: &generator) {
                        text += String(Int.random(in: 0...9, using: &generator))
                    }
                } else {
                    text += parts.randomElement(using: &generator) ?? ""
                }
            }
            let once = TextScrubber().scrub(text).text
            #expect(TextScrubber().scrub(once).text == once, "seed \(seed): \(text)")
            #expect(
                CardNumbers.validRuns(in: once).allSatisfy { $0.hasPrefix("20") || $0.hasPrefix("0000") },
                "seed \(seed): \(text)"
            )
        }
    }
}

extension String {
    fileprivate func trimmingSeparators() -> String {
        var text = Substring(self)
        for separator in ["%20", " ", "-", ".", "+", "\u{A0}", "\u{2009}"] where text.hasSuffix(separator) {
            text = text.dropLast(separator.count)
        }
        return String(text)
    }

    /// The fast check only saves work: it never rejects a text that the scanners would change.
    @Test("Text rejected by the fast check contains no secret", arguments: 0..<40 as Range<UInt64>)
    func prefilter(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            " ", "-", ".", "=", "D", "d", "^", "T", "Z", ":", "+", ",", "_", "pan", "dbk_", "A0000", "cvv 1", "\t", "x",
            "cvv", "CVC ", "pin", "PIN\t", "pin_block ", "-----BEGIN PRIVATE KEY-----",
            "2026-01-02T03:04:05", "2026-01-02 23:59:60", "B^A^2512",
        ]
        for _ in 0..<400 {
            var text = ""
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                if Bool.random(using: &generator) {
                    for _ in 0..<Int.random(in: 1...14, using: &generator) {
                        text += String(Int.random(in: 0...9, using: &generator))
                    }
                } else {
                    text += parts.randomElement(using: &generator) ?? ""
                }
            }
            guard !TextScrubber.mayContainSecret(text) else { continue }
            #expect(TextScrubber.pass(over: text) == nil, "seed \(seed): \(text)")
        }
    }

    @Test("A time or a plain word is not a secret, and no card number is taken for one")
    func harmless() {
        for text in [
            "USD", "APPROVED D1", "^", "card present", "2026-01-02T03:04:05Z", "2026-01-02 03:04:05",
            "2026-01-02T03:04:05.123456+00:00",
        ] {
            #expect(!TextScrubber.mayContainSecret(text), "\(text)")
        }
        for text in ["4111-11-11T11:11:11-411111111111", "2026-01-02T03:04:05.4111111111111", "57:4111111111111111"] {
            #expect(TextScrubber.mayContainSecret(text), "\(text)")
        }
    }

    /// The cached rules of a name depend only on the name.
    @Test func names() {
        for _ in 0..<2 {
            #expect(MemberName.of("Card-Number").normalized == "cardnumber")
            #expect(MemberName.of("Card-Number").treatment != nil)
            #expect(MemberName.of("VALUE").isValue)
            #expect(MemberName.of("tag").isAlias)
            #expect(MemberName.of("pan 4111111111111111").text == "pan 411111******1111")
            // Equal as strings, but not the same name.
            #expect(MemberName.of("e\u{301}").normalized == "e")
            #expect(MemberName.of("\u{E9}").normalized == "")
        }
    }
}
