import EMV

/// The parts of a tag's value that may be kept, by the dictionary of tags.
enum EMVTags {
    enum Sensitivity {
        case drop(RedactedPlace.Rule)
        case cardNumber
        /// Not secret; the value has at most this many bytes.
        case keep(bytes: Int)
    }

    /// Values that can be longer are searched like any text.
    private static let longestKept = 32

    /// Nil for unknown tags and for long values; both are searched like any text.
    static func sensitivity(of tag: EMVTag) -> Sensitivity? {
        guard let entry = TagDictionary.entry(for: tag) else { return nil }
        switch entry.sensitivity {
        case .cardNumber: return .cardNumber
        case .track: return .drop(.track)
        case .verificationValue: return .drop(.cvv)
        case .pin: return .drop(.pin)
        case .cardholder: return .drop(.cardholder)
        case .expiry: return .drop(.expiry)
        case .trackDerived: return .drop(.emv)
        case .none, .low, .pseudonymous:
            if entry.use == .drop { return .drop(.emv) }
            guard let most = entry.length?.upperBound, most <= longestKept else { return nil }
            return .keep(bytes: most)
        }
    }

    // MARK: Members named by tags

    /// The treatment of a member that is named by a tag: `40706`, as a Swift dictionary of `Int` prints it, `9F02`,
    /// `0x9F02`, `TAG_9F02_AMOUNT_AUTHORISED`, with or without leading zeros. A name of digits alone can be decimal or
    /// hexadecimal; a tag that is forbidden in one reading is forbidden.
    ///
    /// - Parameter name: A normalised name.
    static func treatment(ofMember name: String) -> RedactionSchema.Treatment? {
        var digits = name[...]
        if digits.hasPrefix("tag") { digits.removeFirst(3) }
        let isHexadecimal = digits.hasPrefix("0x")
        if isHexadecimal { digits.removeFirst(2) }
        digits = digits.drop { $0 == "0" }
        let decimal = isHexadecimal ? nil : UInt32(digits).flatMap { EMVTag(number: $0) }
        let whole = [decimal, EMVTag(hex: digits)].compactMap { $0 }
        // A description may follow the tag. Digits alone are not a description: all of DF00 to DFFF begin with 57 in
        // decimal.
        let isNumber = CardNumber.digits(digits) != nil
        let first = isNumber ? nil : [2, 4, 6, 8].lazy.compactMap { EMVTag(hex: digits.prefix($0)) }.first
        var kept: RedactionSchema.Treatment?
        for tag in whole + [first].compactMap({ $0 }) {
            switch sensitivity(of: tag) {
            case .drop(let rule): return .drop(rule)
            case .cardNumber: return .cardNumberTag
            case .keep(let bytes) where kept == nil && whole.contains(tag):
                let format = TagDictionary.entry(for: tag)?.format
                let isText = format == .text || format == .alphanumeric
                kept = .identifier(.init(isText ? .hexadecimalText : .hexadecimal, 2...(2 * bytes)))
            case .keep, nil: break
            }
        }
        return kept
    }

    // MARK: The text form: `4F:A0000000031010;95:8080008000;8A:`

    /// The text without forbidden tags, and the findings; nil if it does not have this form.
    ///
    /// Values of known harmless tags are kept unchanged if they have the right length: issuer application data often
    /// consists of digits only. Everything else is scanned like any text.
    static func scrub(text: String) -> (String, [TextEdits.Finding])? {
        guard beginsWithTag(text), text.utf8.count <= 4_096, let elements = elements(of: text), elements.count >= 2
        else { return nil }
        var kept: [String] = []
        var findings: [TextEdits.Finding] = []
        for (tag, value) in elements {
            switch EMVTag(hex: tag).flatMap(sensitivity) {
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

    /// Whether a text begins with the hexadecimal digits of a tag and a colon. Most texts do not and are not parsed.
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
        // The Greek question mark is canonically equivalent to a semicolon.
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let text = isASCII ? text : text.replacing("\u{37E}", with: ";")
        var parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        for part in parts {
            guard let colon = part.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let (tag, value) = (part[..<colon], part[part.index(after: colon)...])
            guard tag.count == 2 || tag.count == 4 || tag.count == 6, tag.allSatisfy(isHex),
                value.allSatisfy({ isHex($0) || $0 == 0x2A })
            else { return nil }
            elements.append((String(Substring(tag)), String(Substring(value))))
        }
        return elements
    }

    private static func isHex(_ byte: UInt8) -> Bool { Hexadecimal.nibble(byte) != nil }

    // MARK: BER-TLV in hexadecimal

    /// The TLV string without forbidden tags; nil if the text is not well-formed TLV, or is a number that is TLV by
    /// chance.
    ///
    /// As in the text form, the result is not searched further if every tag is known and has a valid length. Padding
    /// and invalid tags make it likelier that the text is not TLV; it is then searched too.
    static func scrub(tlv text: String) -> (String, [TextEdits.Finding])? {
        guard text.utf8.count >= 8, text.utf8.count <= 65_536, text.utf8.count % 2 == 0,
            let bytes = Hexadecimal.bytes(text), let reading = reading(bytes)
        else { return nil }
        var state = TLVState(isUnderstood: reading.isStrict)
        let kept = scrub(reading.objects, &state)
        if isNumber(text), state.findings.isEmpty || !reading.isStrict { return nil }
        let written = state.findings.isEmpty ? text : Hexadecimal.text(TLVWriter.bytes(kept))
        guard !state.isUnderstood || isNumber(written) else { return (written, state.findings) }
        let scrubbed = TextScrubber().scrub(written)
        return (scrubbed.text, state.findings + scrubbed.redactions.map { .init(rule: $0.rule, action: $0.action) })
    }

    /// True for a text that can be a number with a card number in it, and TLV by chance.
    private static func isNumber(_ text: String) -> Bool {
        text.utf8.count <= 38 && CardNumber.digits(text) != nil
    }

    /// The object limit equals the maximum for this number of bytes; a smaller limit could hide objects at the end of a
    /// long list.
    private static let limits = TLVLimits(depth: 8, objects: 32_768, bytes: 32_768)

    private static func reading(_ bytes: [UInt8]) -> TLVReading? {
        for quirks in [TagQuirks.none, .numberedBeyond9F7F] {
            if let reading = try? TLVReader(limits: limits, quirks: quirks).read(bytes) { return reading }
        }
        return nil
    }

    private struct TLVState {
        var isUnderstood: Bool
        var findings: [TextEdits.Finding] = []
    }

    private static func scrub(_ objects: [TLVObject], _ state: inout TLVState) -> [TLVObject] {
        var kept: [TLVObject] = []
        for object in objects {
            switch object.content {
            case .constructed(let children): kept.append(TLVObject(object.tag, scrub(children, &state)))
            case .primitive(let value):
                guard !value.isEmpty, let rule = treat(object.tag, value, &state) else {
                    kept.append(object)
                    continue
                }
                state.findings.append(.init(rule: rule, action: .dropped))
            }
        }
        return kept
    }

    /// The rule by which the value is removed; nil if it stays. A card number is removed entirely, because `*` is not
    /// valid in hexadecimal.
    private static func treat(_ tag: EMVTag, _ value: [UInt8], _ state: inout TLVState) -> RedactedPlace.Rule? {
        switch sensitivity(of: tag) {
        case .drop(let rule): return rule
        case .cardNumber: return .pan
        case .keep(let bytes) where value.count <= bytes && !CardNumber.isHidden(in: Hexadecimal.text(value)):
            return nil
        case .keep, nil:
            state.isUnderstood = false
            return nil
        }
    }
}

extension TLVReading {
    /// False for padding or an invalid tag, and if there are so many deviations that the reader may not list them all.
    fileprivate var isStrict: Bool {
        deviations.count < TLVReader.listedDeviations
            && deviations.allSatisfy { if case .longLength = $0 { true } else { false } }
    }
}
