/// What the EMV tag table says about keeping a tag's value (facts of EMV book 3 annex A and the kernels).
enum EMVTags {
    enum Sensitivity {
        case drop(Redaction.Rule)
        case cardNumber
        /// Not secret; the value has at most so many bytes.
        case keep(bytes: Int)
    }

    static func sensitivity(of tag: String) -> Sensitivity? { table[tag.uppercased()] }

    private static let table: [String: Sensitivity] = {
        var table: [String: Sensitivity] = ["5A": .cardNumber]
        for tag in ["56", "57", "58", "9F1F", "9F20", "9F6B"] { table[tag] = .drop(.track) }
        for tag in ["5F20", "9F0B"] { table[tag] = .drop(.cardholder) }
        table["99"] = .drop(.pin)
        table["5F24"] = .drop(.expiry)
        table["5F30"] = .drop(.emv)
        table["90"] = .drop(.emv)
        table["DF5A"] = .drop(.cvv)
        let kept: [(Int, String)] = [
            (1, "5F34 5F36 5F57 8F 9C 9F11 9F17 9F27 9F35 9F39 9F53"),
            (2, "5F28 5F2A 82 8A 9F07 9F08 9F09 9F15 9F1A 9F36 9F42 9F6C"),
            (3, "42 5F25 9A 9B 9F21 9F33 9F34"),
            (4, "81 9F18 9F37 9F41 9F66"),
            (5, "95 9F0D 9F0E 9F0F 9F40"),
            (6, "89 9F01 9F02 9F03"),
            (8, "5F2D 9F1C 9F1E 9F26 9F4C DF8129"),
            (16, "4F 50 84 91 9F06 9F12"),
            (15, "9F16"), (20, "98"), (29, "9F24"), (32, "9F10 9F6E 9F7C"),
        ]
        for (bytes, tags) in kept {
            for tag in tags.split(separator: " ") { table[String(tag)] = .keep(bytes: bytes) }
        }
        return table
    }()

    // MARK: The text form: `4F:A0000000031010;95:8080008000;8A:`

    /// The text without forbidden tags, and what was done; nil when it does not have this form.
    ///
    /// Values of known harmless tags are kept as they are when they have the right length: issuer application data
    /// is often nothing but digits. Everything else is scanned like any text.
    static func scrub(text: String) -> (String, [TextEdits.Finding])? {
        guard beginsWithTag(text), text.utf8.count <= 4_096, let elements = elements(of: text), elements.count >= 2
        else { return nil }
        var kept: [String] = []
        var findings: [TextEdits.Finding] = []
        for (tag, value) in elements {
            switch sensitivity(of: tag) {
            case .drop(let rule) where !value.isEmpty:
                findings.append(.init(rule: rule, action: .dropped))
            case .cardNumber:
                let masked = CardMask.cardNumber(value)
                if masked != value { findings.append(.init(rule: .pan, action: .masked)) }
                kept.append("\(tag):\(masked)")
            case .keep(let bytes) where value.utf8.count <= bytes * 2 && !CardNumber.isHidden(in: value):
                kept.append("\(tag):\(value)")
            default:
                let scrubbed = TextScrubber().scrub(value)
                findings.append(contentsOf: scrubbed.redactions.map { .init(rule: $0.rule, action: $0.action) })
                kept.append("\(tag):\(scrubbed.text)")
            }
        }
        return (kept.joined(separator: ";") + (text.hasSuffix(";") ? ";" : ""), findings)
    }

    /// Whether a text begins with the hexadecimal digits of a tag and a colon; most texts do not, and are spared the
    /// taking apart.
    private static func beginsWithTag(_ text: String) -> Bool {
        var count = 0
        for byte in text.utf8 {
            if byte == 0x3A { return count == 2 || count == 4 || count == 6 }
            guard count < 6, isHex(byte) else { return false }
            count += 1
        }
        return false
    }

    private static func elements(of text: String) -> [(tag: String, value: String)]? {
        var elements: [(String, String)] = []
        var parts = text.split(separator: ";", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        for part in parts {
            let halves = part.split(separator: ":", omittingEmptySubsequences: false)
            guard halves.count == 2, [2, 4, 6].contains(halves[0].utf8.count), halves[0].utf8.allSatisfy(isHex),
                halves[1].utf8.allSatisfy({ isHex($0) || $0 == 0x2A })
            else { return nil }
            elements.append((String(halves[0]), String(halves[1])))
        }
        return elements
    }

    private static func isHex(_ byte: UInt8) -> Bool { nibble(byte) != nil }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    // MARK: BER-TLV in hexadecimal

    /// The TLV string without forbidden tags; nil when the text is not well-formed TLV, or is a number that is TLV
    /// by chance.
    ///
    /// Like the text form it is not searched any further when every tag is known and has a length it can have.
    static func scrub(tlv text: String) -> (String, [TextEdits.Finding])? {
        guard text.utf8.count >= 8, text.utf8.count <= 65_536, text.utf8.count % 2 == 0,
            text.utf8.allSatisfy(isHex)
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for byte in text.utf8 {
            guard let value = nibble(byte) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        var state = TLVState()
        guard let kept = scrub(tlv: bytes[...], depth: 0, &state) else { return nil }
        if text.utf8.count <= 38, CardNumber.digits(text) != nil, state.findings.isEmpty { return nil }
        guard state.isUnderstood else {
            let scrubbed = TextScrubber().scrub(state.findings.isEmpty ? text : hex(kept))
            return (scrubbed.text, state.findings + scrubbed.redactions.map { .init(rule: $0.rule, action: $0.action) })
        }
        return (state.findings.isEmpty ? text : hex(kept), state.findings)
    }

    private struct TLVState {
        var isUnderstood = true
        var findings: [TextEdits.Finding] = []
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            for value in [byte >> 4, byte & 15] { text.append(value < 10 ? value + 0x30 : value + 0x37) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func scrub(
        tlv bytes: ArraySlice<UInt8>,
        depth: Int,
        _ state: inout TLVState
    ) -> [UInt8]? {
        guard depth < 8 else { return nil }
        var kept: [UInt8] = []
        var rest = bytes
        while let first = rest.first {
            guard let tag = takeTag(&rest), let length = takeLength(&rest), length <= rest.count else { return nil }
            var value = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            if first & 0x20 != 0 {
                guard let inner = scrub(tlv: value[...], depth: depth + 1, &state) else { return nil }
                value = inner
            } else if !value.isEmpty {
                switch sensitivity(of: hex(tag)) {
                case .drop(let rule):
                    state.findings.append(.init(rule: rule, action: .dropped))
                    continue
                case .cardNumber:
                    // `*` has no place in hexadecimal.
                    state.findings.append(.init(rule: .pan, action: .dropped))
                    continue
                case .keep(let bytes) where length <= bytes && !CardNumber.isHidden(in: hex(value)): break
                case .keep, nil: state.isUnderstood = false
                }
            }
            kept += tag + lengthBytes(value.count) + value
        }
        return kept
    }

    private static func takeTag(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let first = rest.popFirst(), first != 0 else { return nil }
        var tag = [first]
        guard first & 0x1F == 0x1F else { return tag }
        while tag.count < 4, let next = rest.popFirst() {
            tag.append(next)
            if next & 0x80 == 0 { return tag }
        }
        return nil
    }

    private static func takeLength(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first & 0x80 != 0 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...3).contains(count), rest.count >= count else { return nil }
        var length = 0
        for _ in 0..<count { length = length << 8 | Int(rest.removeFirst()) }
        return length
    }

    private static func lengthBytes(_ length: Int) -> [UInt8] {
        switch length {
        case ..<0x80: [UInt8(length)]
        case ..<0x100: [0x81, UInt8(length)]
        case ..<0x1_0000: [0x82, UInt8(length >> 8), UInt8(length & 0xFF)]
        default: [0x83, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
        }
    }
}
