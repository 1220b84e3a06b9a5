import EMV

/// What an adapter knows about the fields of its vendor's documents: which are secret whatever they hold, and which
/// are identifiers that only look like card numbers.
package struct RedactionSchema: Sendable, Hashable {
    /// What to do with a declared field.
    package enum Treatment: Sendable, Hashable {
        /// Take the member out, whatever its value.
        case drop(Redaction.Rule)
        /// Show at most the first six and last four digits.
        case maskCardNumber
        /// Show the last four characters.
        case maskAccount
        /// Replace the value by `sha256:` and the hexadecimal digest of its UTF-8 text.
        case digest(Redaction.Rule)
        /// Keep the value and do not search it, as long as it has the declared shape.
        case identifier(Shape)
        /// Keep a truth value; anything else is treated by the field's name.
        case flag
        /// Keep the value as HTML of structure and text only: no scripts, no event handlers, nothing that is fetched.
        case markup
    }

    /// The form of an identifier. A value of any other form is searched like every other text, so that a card number
    /// typed into an identifier field is found: shapes are chosen to exclude card numbers, and a value of digits
    /// that passes the Luhn check within an issuer's range of its length never has the shape; nor has one of letters
    /// and digits with such a number inside.
    package struct Shape: Sendable, Hashable {
        package enum Alphabet: Sendable, Hashable {
            case digits
            case hexadecimal
            case alphanumeric
            /// Printable ASCII, two hexadecimal digits for each character, and no card number in what it spells. As
            /// digits alone such a text is full of numbers: `617374657263617264` is in `Mastercard`.
            case hexadecimalText
            /// Digits that end in a calendar time `yyyyMMddHHmmss` of this century.
            case digitsEndingInTime
        }
        package let alphabet: Alphabet
        /// In characters, which are all ASCII.
        package let lengths: ClosedRange<Int>

        package init(_ alphabet: Alphabet, _ lengths: ClosedRange<Int>) {
            self.alphabet = alphabet
            self.lengths = lengths
        }

        /// Fourteen digits `yyyyMMddHHmmss`.
        package static let time = Shape(.digitsEndingInTime, 14...14)

        func matches(_ text: String) -> Bool {
            guard lengths.contains(text.utf8.count) else { return false }
            switch alphabet {
            case .digits: return !isCard(text) && CardNumber.digits(text) != nil
            case .hexadecimal:
                return !CardNumber.isHidden(in: text)
                    && text.utf8.allSatisfy { Self.isDigit($0) || (0x41...0x46).contains($0 & 0xDF) }
            case .hexadecimalText:
                guard !isCard(text), let bytes = Hexadecimal.bytes(text),
                    bytes.allSatisfy({ (0x20...0x7E).contains($0) })
                else { return false }
                let spelt = String(decoding: bytes, as: UTF8.self)
                return !CardNumber.isHidden(in: spelt) && TextScrubber().scrub(spelt).redactions.isEmpty
            case .alphanumeric:
                return !CardNumber.isHidden(in: text)
                    && text.utf8.allSatisfy { Self.isDigit($0) || (0x41...0x5A).contains($0 & 0xDF) }
            case .digitsEndingInTime:
                guard let digits = CardNumber.digits(text), digits.count >= 14 else { return false }
                return !isCard(text) && CardNumber.isCalendarTime(digits.suffix(14))
            }
        }

        private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

        private func isCard(_ text: String) -> Bool {
            guard let digits = CardNumber.digits(text) else { return false }
            return CardNumber.isIssued(digits[...])
        }
    }

    /// Declared fields by the normalised name of the member itself; each with the names of the members above it,
    /// innermost first.
    private var fields: [String: [Field]] = [:]

    /// The same for documents of one kind only: names that say too little to go by in a document nobody knows.
    private var ownFields: [String: [Field]] = [:]

    /// The normalised names of objects whose members are named by EMV tags.
    private var tagged: Set<String> = []

    private struct Field: Sendable, Hashable {
        let parents: [String]
        let treatment: Treatment
    }

    /// What to do with a document that is one text and no object.
    let document: Treatment?

    /// True where texts of lines `name: value` are scrubbed by their names, as if each were a member. It holds for text
    /// anywhere in the document: vendors print the same properties that they send as members.
    private(set) var readsLines = false

    /// A schema that declares nothing; the rules for every document still hold.
    package static let none = RedactionSchema()

    package init() {
        document = nil
    }

    /// - Parameters:
    ///   - declarations: Field to treatment. A field is a member's name, preceded by as many of the names above it as are
    ///     needed, joined by dots; lists do not count. Case and punctuation are ignored.
    ///   - document: What to do with a document that is one text and no object. Where that is to drop it, one that is a
    ///     number or cannot be parsed is dropped as well: a call that returns a secret hands it back so.
    ///   - readsLines: Whether the vendor also prints its properties as lines `name: value`.
    ///   - tagged: Objects whose members are named by EMV tags, and are treated as those tags are.
    package init(
        _ declarations: [(fields: [String], treatment: Treatment)],
        document: Treatment? = nil,
        readsLines: Bool = false,
        tagged: [String] = []
    ) {
        self.document = document
        self.readsLines = readsLines
        self.tagged = Set(tagged.map { SensitiveNames.normalized($0) })
        Self.declare(declarations, in: &fields)
    }

    private static func declare(
        _ declarations: [(fields: [String], treatment: Treatment)],
        in fields: inout [String: [Field]]
    ) {
        for (names, treatment) in declarations {
            for name in names {
                let path = name.split(separator: ".").map { SensitiveNames.normalized($0) }
                guard let last = path.last else { continue }
                fields[last, default: []].append(Field(parents: path.dropLast().reversed(), treatment: treatment))
            }
        }
    }

    /// This schema, and declarations that count before its own and hold for documents of one kind only: `anyOf` leaves
    /// them out.
    func adding(_ declarations: [(fields: [String], treatment: Treatment)]) -> RedactionSchema {
        var schema = self
        Self.declare(declarations, in: &schema.ownFields)
        return schema
    }

    /// A schema that declares what any of the schemas declares, for a document of which nobody knows whose it is.
    package init(anyOf schemas: [RedactionSchema]) {
        document = schemas.lazy.compactMap(\.document).first
        for schema in schemas {
            fields.merge(schema.fields) { $0 + $1 }
            readsLines = readsLines || schema.readsLines
            tagged.formUnion(schema.tagged)
        }
    }

    var isEmpty: Bool { fields.isEmpty && ownFields.isEmpty }

    /// How a value of this name is treated in a text, where nobody can say what stands above it.
    ///
    /// - Parameter name: A normalised name.
    func treatmentInText(of name: String) -> SensitiveNames.Treatment? {
        switch treatment(at: [name]) {
        case .drop(let rule): .drop(rule)
        case .maskCardNumber: .maskCardNumber
        case .maskAccount: .maskAccount
        case .digest: .digest
        case .identifier, .flag, .markup, nil: nil
        }
    }

    /// The shape of the identifier of this name, in a text.
    ///
    /// - Parameter name: A normalised name.
    func shapeInText(of name: String) -> Shape? {
        if case .identifier(let shape) = treatment(at: [name]) { shape } else { nil }
    }

    /// The treatment of the member at `path`, normalised names from the outside in; the longest declaration wins.
    func treatment(at path: [String]) -> Treatment? {
        guard let last = path.last else { return nil }
        let parents = path.dropLast().reversed()
        for fields in [ownFields, fields] {
            guard let candidates = fields[last] else { continue }
            let declared =
                candidates
                .filter { parents.starts(with: $0.parents) }
                .max { $0.parents.count < $1.parents.count }
            if let declared { return declared.treatment }
        }
        guard !tagged.isEmpty, parents.contains(where: tagged.contains) else { return nil }
        return EMVTags.treatment(ofMember: last)
    }
}
