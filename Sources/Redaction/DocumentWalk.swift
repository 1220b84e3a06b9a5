import Canonical

/// One pass of the scrubber over one document.
struct DocumentWalk {
    private let schema: RedactionSchema
    /// The maximum nesting of strings that contain JSON; deeper strings are scrubbed as text.
    private static let deepestEmbedding = 3

    private(set) var redactions: [RedactedPlace] = []
    private(set) var unlistedRedactions = 0
    /// The normalised names of the members above the current value.
    private var names: [String] = []
    /// The same names as written, scrubbed; list positions included.
    private var pointer: [String] = []
    private var embedding = 0
    /// The mask for scalars inside a list or object that has the name of a number field.
    private var inherited: Mask?

    private struct Mask {
        let rule: RedactedPlace.Rule
        let hide: @Sendable (String) -> String

        static let cardNumber = Mask(rule: .pan) { CardMask.cardNumber($0) }
        static let account = Mask(rule: .bankAccount) { CardMask.account($0) }
    }

    init(schema: RedactionSchema) {
        self.schema = schema
    }

    /// The whole document.
    mutating func scrub(document value: JSONValue) -> JSONValue {
        guard case .string = value, let treatment = schema.document else { return scrub(value) }
        return treat(value, as: .declared(treatment)) ?? .null
    }

    mutating func scrub(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool: return value
        case .string(let text): return .string(inherited.map { mask(text, as: $0) } ?? scrub(text))
        case .number(let number):
            guard let inherited else { return scrub(number) }
            let masked = mask(number.literal, as: inherited)
            return masked == number.literal ? value : .string(masked)
        case .array(let elements):
            var scrubbed: [JSONValue] = []
            scrubbed.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                pointer.append(String(index))
                scrubbed.append(scrub(element))
                pointer.removeLast()
            }
            return .array(scrubbed)
        case .object(let object): return .object(scrub(object))
        }
    }

    private mutating func note(_ rule: RedactedPlace.Rule, _ action: RedactedPlace.Action) {
        guard redactions.count < Scrubber.listedRedactions else {
            unlistedRedactions += 1
            return
        }
        var path = ""
        for name in pointer {
            path += "/"
            path += Self.token(name)
        }
        let redaction = RedactedPlace(path: path, rule: rule, action: action)
        if redactions.last != redaction { redactions.append(redaction) }
    }

    // MARK: Objects

    private mutating func scrub(_ object: JSONObject) -> JSONObject {
        let memberNames = MemberNames.of(object).names
        let alias = aliasedName(in: object, memberNames)
        var values: [JSONValue] = []
        values.reserveCapacity(object.count)
        // The positions of removed members, in order.
        var removed: [Int] = []
        var isRenamed = false
        for (value, name) in zip(object.values, memberNames) {
            pointer.append(name.text)
            names.append(name.normalized)
            for redaction in name.redactions { note(redaction.rule, redaction.action) }
            var treatment = treatment(of: name)
            if treatment == nil, let alias, name.isValue {
                treatment = SensitiveNames.treatment(of: alias).map { .general($0) }
            }
            let value = treat(value, as: treatment)
            names.removeLast()
            pointer.removeLast()
            if value == nil { removed.append(values.count) } else if !name.redactions.isEmpty { isRenamed = true }
            values.append(value ?? .null)
        }
        if !isRenamed { return object.with(values: values, without: removed) }
        var scrubbed = JSONObject()
        var repeated: [String: Int] = [:]
        var left = removed[...]
        for (position, member) in memberNames.enumerated() {
            if left.first == position {
                left.removeFirst()
                continue
            }
            // Masking can make two names equal; both members are kept.
            var name = member.text
            while !scrubbed.append(name, values[position]) {
                let count = repeated[member.text, default: 1] + 1
                repeated[member.text] = count
                name = "\(member.text)#\(count)"
            }
        }
        return scrubbed
    }

    /// The sensitive name in an object of the form `{"name": "cvv", "value": "123"}`.
    private func aliasedName(in object: JSONObject, _ names: [MemberName]) -> String? {
        guard object.count <= 16, names.contains(where: \.isAlias) else { return nil }
        for (member, name) in zip(object.members, names) where name.isAlias {
            guard case .string(let text) = member.value, text.utf8.count <= 64 else { continue }
            let name = SensitiveNames.normalized(text)
            if SensitiveNames.treatment(of: name) != nil { return name }
        }
        return nil
    }

    /// A JSON Pointer token. Long names are cut to keep the list of redactions small.
    private static func token(_ name: String) -> String {
        if name.utf8.count <= 64, !name.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) { return name }
        var token = ""
        for (count, scalar) in name.unicodeScalars.enumerated() {
            guard count < 64 else {
                token += "…"
                break
            }
            switch scalar {
            case "~": token += "~0"
            case "/": token += "~1"
            default: token.unicodeScalars.append(scalar)
            }
        }
        return token
    }

    // MARK: Named fields

    private enum FieldTreatment {
        case declared(RedactionSchema.Treatment)
        case general(SensitiveNames.Treatment)
    }

    private func treatment(of name: MemberName) -> FieldTreatment? {
        let declared = schema.treatment(at: names)
        // Names that are generally secret take precedence: their values are neither ciphertext nor a harmless tag.
        switch declared {
        case .digestBlocks, .tags: if let general = name.treatment { return .general(general) }
        default: break
        }
        return declared.map { .declared($0) } ?? name.treatment.map { .general($0) }
    }

    /// - Returns: Nil if the member is removed.
    private mutating func treat(_ value: JSONValue, as treatment: FieldTreatment?) -> JSONValue? {
        guard let treatment, !Self.isAbsent(value) else { return scrub(value) }
        switch treatment {
        case .declared(.drop(let rule)), .general(.drop(let rule)):
            note(rule, .dropped)
            return nil
        case .declared(.dropBare(let rule)):
            if case .object = value { return scrub(value) }
            note(rule, .dropped)
            return nil
        case .declared(.dropBlocks(let rule)):
            if let text = Self.scalarText(value), !BytesInText.canBeBlock(text) { return scrub(value) }
            note(rule, .dropped)
            return nil
        case .declared(.only(let shape, let rule)):
            if let text = Self.scalarText(value), shape.matches(text) { return value }
            note(rule, .dropped)
            return nil
        case .declared(.digestBlocks(let rule)):
            return digestBlocks(value, rule: rule)
        case .declared(.tags):
            if case .object = value { return scrub(value) }
            if let text = Self.scalarText(value), BytesInText.isHexadecimal(text) { return scrub(value) }
            note(.emv, .dropped)
            return nil
        case .declared(.cardNumberTag):
            if let text = Self.scalarText(value), BytesInText.isHexadecimal(text) {
                return mask(value, as: .cardNumber)
            }
            note(.pan, .dropped)
            return nil
        case .declared(.maskCardNumber), .general(.maskCardNumber):
            return mask(value, as: .cardNumber)
        case .declared(.maskAccount), .general(.maskAccount):
            return mask(value, as: .account)
        case .declared(.digest(let rule)):
            return digest(value, rule: rule)
        case .declared(.flag):
            if let text = Self.scalarText(value), Self.truthValues.contains(text.lowercased()) { return value }
            return treat(value, as: names.last.flatMap(SensitiveNames.treatment(of:)).map { .general($0) })
        case .declared(.markup):
            guard case .string(let text) = value else { return scrub(value) }
            return .string(scrub(markup: text))
        case .general(.digest):
            return digest(value, rule: .token)
        case .declared(.identifier(let shape)):
            if let text = Self.scalarText(value), shape.matches(text) { return value }
            return scrub(value)
        case .general(.dropScalar(let rule)):
            guard Self.isBare(value) else { return scrub(value) }
            note(rule, .dropped)
            return nil
        case .general(.dropShortDigits):
            guard let text = Self.scalarText(value), (3...4).contains(text.utf8.count), CardNumber.digits(text) != nil
            else { return scrub(value) }
            note(.cvv, .dropped)
            return nil
        case .general(.dropTag(let rule, let hexDigits)):
            guard let text = Self.scalarText(value) else { return scrub(value) }
            guard Self.isHexadecimal(text, atLeast: hexDigits) || BytesInText.isBase64(text, bytes: hexDigits / 2)
            else {
                return scrub(value)
            }
            note(rule, .dropped)
            return nil
        case .general(.maskTag):
            guard let text = Self.scalarText(value) else { return scrub(value) }
            if Self.isHexadecimal(text, atLeast: 10) { return mask(value, as: .cardNumber) }
            guard BytesInText.isBase64(text, bytes: 5) else { return scrub(value) }
            note(.pan, .dropped)
            return nil
        }
    }

    private static let truthValues: Set<String> = ["yes", "no", "true", "false", "1", "0"]

    /// An absent value is not a secret and stays.
    private static func isAbsent(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text.isEmpty || text == "(null)" || text == TextEdits.marker
        default: false
        }
    }

    private static func scalarText(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.literal
        case .bool(let bool): String(bool)
        default: nil
        }
    }

    /// True for a value without named members.
    private static func isBare(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let elements): elements.allSatisfy(isBare)
        case .object: false
        case .null, .bool, .number, .string: true
        }
    }

    private static func isHexadecimal(_ text: String, atLeast count: Int) -> Bool {
        text.utf8.count >= count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x46).contains($0 & 0xDF) }
    }

    private mutating func mask(_ value: JSONValue, as mask: Mask) -> JSONValue {
        let outer = inherited
        inherited = mask
        defer { inherited = outer }
        return scrub(value)
    }

    private mutating func mask(_ text: String, as mask: Mask) -> String {
        let masked = mask.hide(text)
        if masked != text { note(mask.rule, .masked) }
        // The rest of the text may contain more than the number.
        return scrub(masked)
    }

    /// The digest of a payment token. A card number in its place is masked instead: its digest could be reversed by
    /// trying all card numbers.
    private mutating func digest(_ value: JSONValue, rule: RedactedPlace.Rule) -> JSONValue? {
        guard let text = Self.scalarText(value) else {
            note(rule, .dropped)
            return nil
        }
        if Self.isDigest(text) { return value }
        if let digits = CardNumber.digits(ofSpaced: text), CardNumber.lengths.contains(digits.count),
            CardNumber.passesLuhn(digits)
        {
            return mask(value, as: .cardNumber)
        }
        // A text that contains a readable card number is not ciphertext.
        guard rule != .emv || !BytesInText.hidesCardNumber(text) else {
            note(rule, .dropped)
            return nil
        }
        note(rule, .digested)
        return .string(PaymentTokenDigest.text(of: text))
    }

    /// Replaces texts that can be ciphertext by their digests. Objects are handled by the names of their members.
    private mutating func digestBlocks(_ value: JSONValue, rule: RedactedPlace.Rule) -> JSONValue? {
        switch value {
        case .string(let text) where BytesInText.canBeBlock(text): return digest(value, rule: rule)
        case .array(let elements):
            // A list of single bytes.
            if elements.count >= 8, elements.allSatisfy({ if case .number = $0 { true } else { false } }) {
                note(rule, .dropped)
                return nil
            }
            var kept: [JSONValue] = []
            for (index, element) in elements.enumerated() {
                pointer.append(String(index))
                kept.append(digestBlocks(element, rule: rule) ?? .null)
                pointer.removeLast()
            }
            return .array(kept)
        default: return scrub(value)
        }
    }

    private static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 71 && text.hasPrefix("sha256:")
            && text.utf8.dropFirst(7).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    // MARK: Values

    private mutating func scrub(_ text: String) -> String {
        if embedding < Self.deepestEmbedding, let embedded = scrubEmbedded(text) { return embedded }
        let traits = TextTraits(text)
        if schema.readsLines, traits.hasLineEnd, let lines = scrubLines(text) { return lines }
        return scrubText(text, traits)
    }

    private mutating func scrubText(_ text: String) -> String { scrubText(text, TextTraits(text)) }

    private mutating func scrubText(_ text: String, _ traits: TextTraits) -> String {
        let tags = traits.hasColon ? EMVTags.scrub(text: text) : nil
        if let (kept, findings) = tags ?? (traits.isHexadecimal ? EMVTags.scrub(tlv: text) : nil) {
            for finding in findings { note(finding.rule, finding.action) }
            return kept
        }
        guard TextScrubber.mayContainSecret(text) else { return text }
        let scrubbed = TextScrubber(schema: schema).scrub(text)
        for redaction in scrubbed.redactions { note(redaction.rule, redaction.action) }
        return scrubbed.text
    }

    /// Reduces HTML to passive content. If a secret extends across tags, only the text is kept.
    private mutating func scrub(markup source: String) -> String {
        guard source.utf8.contains(where: { $0 == 0x3C || $0 == 0x26 }) else { return scrub(source) }
        var markup = Markup(source)
        if markup.isReduced { note(.activeContent, .dropped) }
        markup.mapTexts { text in
            let scrubbed = TextScrubber().scrub(text)
            for redaction in scrubbed.redactions { note(redaction.rule, redaction.action) }
            return scrubbed.text
        }
        let visible = TextScrubber().scrub(markup.text)
        guard !visible.redactions.isEmpty else { return markup.html }
        for redaction in visible.redactions { note(redaction.rule, redaction.action) }
        return Markup(preformatted: visible.text).html
    }

    /// JSON inside a string, for example a callback's "raw response". Its redactions are listed at the string's own
    /// path.
    private mutating func scrubEmbedded(_ text: String) -> String? {
        guard let first = text.utf8.first(where: { $0 > 0x20 }), first == 0x7B || first == 0x5B,
            let value = try? JSONValue(parsing: text)
        else { return nil }
        var inner = DocumentWalk(schema: schema)
        inner.embedding = embedding + 1
        let scrubbed = inner.scrub(value)
        for redaction in inner.redactions { note(redaction.rule, redaction.action) }
        unlistedRedactions += inner.unlistedRedactions
        return scrubbed == value ? text : scrubbed.text
    }

    /// Scrubs a text of lines `name: value`, each like a member of that name; nil for any other text. Lines whose name
    /// is not a word, and lines without a name, are scrubbed as text.
    ///
    /// A private key's frame spans several lines, so a text with one is left to the general rules.
    private mutating func scrubLines(_ text: String) -> String? {
        guard !text.contains("-----") else { return nil }
        let end: Character = text.contains("\r\n") ? "\r\n" : "\n"
        let lines = text.split(separator: end, omittingEmptySubsequences: false)
        guard lines.contains(where: { Self.property(in: $0) != nil }) else { return nil }
        return lines.map { scrubLine($0) }.joined(separator: String(end))
    }

    private mutating func scrubLine(_ line: Substring) -> String {
        guard let (name, value) = Self.property(in: line) else { return scrubText(String(line)) }
        let member = MemberName.of(String(name))
        pointer.append(member.text)
        names.append(member.normalized)
        defer {
            pointer.removeLast()
            names.removeLast()
        }
        let text = String(value)
        if Self.isAbsent(.string(text)) { return scrubText(String(line)) }
        guard let treatment = treatment(of: member) else {
            let kept = scrubText(text)
            return scrubText("\(line[..<value.startIndex])\(kept)\(line[value.endIndex...])")
        }
        let treated = treat(.string(text), as: treatment).flatMap(Self.scalarText) ?? TextEdits.marker
        return "\(line[..<value.startIndex])\(treated)\(line[value.endIndex...])"
    }

    /// The name and value of a line `name: value`, without the white space around the value.
    private static func property(in line: Substring) -> (name: Substring, value: Substring)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let name = line[..<colon].drop { $0 == " " || $0 == "\t" }
        guard (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x2E })
        else { return nil }
        var value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
        while value.last?.isWhitespace == true { value.removeLast() }
        return (name, value)
    }

    /// A number that is or contains a card number becomes a string.
    private mutating func scrub(_ number: JSONNumber) -> JSONValue {
        guard number.literal.utf8.count >= 13 else { return .number(number) }
        let plain = CardNumber.plainDigits(of: number.literal) ?? number.literal
        let scrubbed = TextScrubber().scrub(plain)
        guard scrubbed.text != plain else { return .number(number) }
        for redaction in scrubbed.redactions { note(redaction.rule, redaction.action) }
        return .string(scrubbed.text)
    }
}
