/// Removes card data and secrets from any text: log lines, error bodies, bodies that could not be parsed.
///
/// It searches for forms and names, see `CardNumberScanner`, `NamedValueScanner` and `PrivateKeyScanner`. Scrubbing a
/// scrubbed text changes nothing. The time is linear in the length of the text.
package struct TextScrubber: Sendable {
    private let schema: RedactionSchema

    /// - Parameter schema: The vendor's declarations for named values in its texts.
    package init(schema: RedactionSchema = .none) {
        self.schema = schema
    }

    /// The text without card data and secrets.
    package func scrub(_ text: String) -> ScrubbedText { scrub(text, after: []) }

    /// - Parameter findings: The changes made before.
    private func scrub(_ text: String, after findings: Set<TextEdits.Finding>) -> ScrubbedText {
        guard Self.mayContainSecret(text) else { return ScrubbedText(text: text, findings: findings) }
        var text = text
        var findings = findings
        // A removal can leave a shorter run of digits that is itself a card number. Every round hides more digits, and
        // two or three rounds suffice; the bound only guards against a programming error.
        for _ in 0..<8 {
            guard Self.mayContainSecret(text), let (next, found) = Self.pass(over: text, schema) else { break }
            text = next
            findings.formUnion(found)
        }
        return ScrubbedText(text: text, findings: findings)
    }

    /// Decodes bytes as UTF-16 if they look like it, else as UTF-8, and scrubs the text. Unreadable bytes and control
    /// characters become U+FFFD. It is unknown which members contain bytes, so Base64 is searched as well.
    package func scrub(bytes: [UInt8]) -> ScrubbedText {
        var decoded = String.UnicodeScalarView()
        for scalar in Self.decode(bytes).unicodeScalars {
            let isControl = scalar.value < 0x20 && ![0x09, 0x0A, 0x0D].contains(scalar.value) || scalar.value == 0x7F
            decoded.append(isControl ? "\u{FFFD}" : scalar)
        }
        let text = String(decoded)
        guard let hidden = BytesInText.hidingEncodedCardNumbers(in: text) else { return scrub(text) }
        return scrub(hidden, after: [TextEdits.Finding(rule: .pan, action: .dropped)])
    }

    /// The ASCII letters and digits of the decoded bytes, in lower case and with escapes resolved, to search for names
    /// in any spelling. The result is not scrubbed and must not be kept.
    package static func lettersAndDigits(of bytes: [UInt8]) -> String {
        let units = TextUnits(Array(decode(bytes).unicodeScalars), decodingEscapes: true)
        var text = String.UnicodeScalarView()
        for value in units.values { text.append(Unicode.Scalar(value) ?? " ") }
        return SensitiveNames.normalized(String(text))
    }

    /// One round; nil if nothing changed.
    static func pass(over text: String, _ schema: RedactionSchema = .none) -> (String, Set<TextEdits.Finding>)? {
        let scalars = Array(text.unicodeScalars)
        var edits = TextEdits(count: scalars.count)
        let units = TextUnits(scalars, decodingEscapes: true).keepingIdentifiers(declaredBy: schema)
        CardNumberScanner.scan(units, into: &edits)
        NamedValueScanner.scan(units, schema: schema, into: &edits)
        PrivateKeyScanner.scan(units, into: &edits)
        if units.hasEscapes {
            let plain = TextUnits(scalars, decodingEscapes: false).keepingIdentifiers(declaredBy: schema)
            CardNumberScanner.scan(plain, into: &edits)
        }
        return edits.applied(to: scalars).map { ($0, edits.findings) }
    }

    /// A fast check without false negatives: false only for text that no rule can match.
    ///
    /// A card number needs thirteen digits with at most two separators between any two of them. A track needs twelve,
    /// followed by its field separator. A named value needs a sign, or a word, a blank and three to twelve digits. A
    /// private key needs its frame, and an API key of Daybook its `dbk_`. Text with escapes or characters outside ASCII
    /// can hide any of these, so the result is true.
    static func mayContainSecret(_ text: String) -> Bool {
        if isTime(text) { return false }
        var run = 0
        var gap = 0
        var hyphens = 0
        // The number of digits since a blank after a word; nil elsewhere.
        var loose: Int?
        var previous: UInt8 = 0
        for byte in text.utf8 {
            var isWord = true
            switch byte {
            case 0x30...0x39:
                run += 1
                gap = 0
                if run >= CardNumber.lengths.lowerBound { return true }
                loose = loose.map { $0 + 1 }
                previous = byte
                continue
            // % : < = \ and everything outside ASCII
            case 0x25, 0x3A, 0x3C, 0x3D, 0x5C, 0x80...: return true
            case 0x00, 0x09, 0x20, 0x2B, 0x2C, 0x2D, 0x2E, 0x5F:
                if byte == 0x5F, previous == 0x6B { return true }
                if byte == 0x2D { hyphens += 1 }
                isWord = byte == 0x2D || byte == 0x5F
                gap += 1
                if gap > 2 { run = 0 }
            default:
                // ^ D d
                if run >= 12, byte == 0x5E || byte == 0x44 || byte == 0x64 { return true }
                isWord = Self.isLetter(byte)
                run = 0
            }
            if !isWord, let loose, Self.looseLengths.contains(loose) { return true }
            let isBlank = byte == 0x20 || byte == 0x09
            loose = isBlank && Self.isWord(previous) ? 0 : nil
            previous = byte
        }
        return hyphens >= 10 || loose.map(Self.looseLengths.contains) == true
    }

    /// The number of digits in a value separated from its name by a blank only: `cvv 123`, `PIN 1234`.
    private static let looseLengths = 3...12

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
    }

    /// True for `2026-01-02T03:04:05`, with or without a fraction and an offset. The colons make it look like a named
    /// value, and documents contain many times. It does not contain thirteen digits with only separators between them.
    private static func isTime(_ text: String) -> Bool {
        guard (19...32).contains(text.utf8.count) else { return false }
        // Ten digits after the seconds; with the seconds' own two, one fewer than a card number.
        var digitsLeft = 10
        for (index, byte) in text.utf8.enumerated() {
            let isDigit = (0x30...0x39).contains(byte)
            if index > 19, isDigit { digitsLeft -= 1 }
            switch index {
            case 4, 7: if byte != 0x2D { return false }
            case 10: if byte != 0x54 && byte != 0x20 { return false }
            case 13, 16: if byte != 0x3A { return false }
            case 0..<19: if !isDigit { return false }
            case 19: if byte != 0x2E && byte != 0x5A && byte != 0x2B && byte != 0x2D { return false }
            // Z + - :
            default: if !isDigit && byte != 0x5A && byte != 0x2B && byte != 0x2D && byte != 0x3A { return false }
            }
        }
        return digitsLeft >= 0
    }

    private static func decode(_ bytes: [UInt8]) -> String {
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), bigEndian: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), bigEndian: true) }
        if bytes.count >= 8 {
            // Without a byte order mark, UTF-16 is recognised by zeros in every other byte.
            let even = stride(from: 0, to: bytes.count, by: 2).count { bytes[$0] == 0 }
            let odd = stride(from: 1, to: bytes.count, by: 2).count { bytes[$0] == 0 }
            if odd * 5 > bytes.count * 2 { return utf16(bytes[...], bigEndian: false) }
            if even * 5 > bytes.count * 2 { return utf16(bytes[...], bigEndian: true) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> String {
        var codes: [UInt16] = []
        codes.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            codes.append(bigEndian ? first << 8 | second : second << 8 | first)
            index += 2
        }
        return String(decoding: codes, as: UTF16.self)
    }
}

/// Text after scrubbing. Only the scrubber creates one.
package struct ScrubbedText: Sendable, Hashable {
    package let text: String
    /// The redactions, each kind once, with an empty path.
    package let redactions: [RedactedPlace]

    fileprivate init(text: String, findings: Set<TextEdits.Finding>) {
        self.text = text
        redactions =
            findings
            .sorted { ($0.rule.rawValue, $0.action.rawValue) < ($1.rule.rawValue, $1.action.rawValue) }
            .map { RedactedPlace(path: "", rule: $0.rule, action: $0.action) }
    }

    fileprivate init(cut text: String, redactions: [RedactedPlace]) {
        self.text = text
        self.redactions = redactions
    }

    /// The longest prefix that fits, cut between characters. Only scrubbed text can be cut: a cut through a secret
    /// would hide it from the scrubber.
    ///
    /// - Parameter bytes: The maximum number of UTF-8 bytes, 0 or more.
    package func truncated(toBytes bytes: Int) -> ScrubbedText {
        guard text.utf8.count > bytes else { return self }
        var end = text.utf8.index(text.startIndex, offsetBy: max(0, bytes))
        while end > text.startIndex, end.samePosition(in: text) == nil { end = text.utf8.index(before: end) }
        return ScrubbedText(cut: String(text[..<end]), redactions: redactions)
    }
}
