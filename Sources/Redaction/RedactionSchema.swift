import EMV

/// An adapter's declarations for the fields of its vendor's documents: fields that are always secret, and identifiers
/// that only look like card numbers.
package struct RedactionSchema: Sendable, Hashable {
    package enum Treatment: Sendable, Hashable {
        /// Remove the member, whatever its value.
        case drop(RedactedPlace.Rule)
        /// Remove the member unless it is an object, whose members are then scrubbed.
        case dropBare(RedactedPlace.Rule)
        /// Remove lists, objects and texts that can be a block of bytes; keep other values.
        case dropBlocks(RedactedPlace.Rule)
        /// Keep the value if it has the shape; remove it otherwise.
        case only(Shape, else: RedactedPlace.Rule)
        /// Replace texts that can be a block of bytes by their digests, also in lists, and keep other values.
        case digestBlocks(RedactedPlace.Rule)
        /// EMV tags, as an object or in hexadecimal digits. Any other form cannot be searched and is removed.
        case tags
        /// The hexadecimal digits of a card number, masked; any other form is removed.
        case cardNumberTag
        /// Show at most the first six and last four digits.
        case maskCardNumber
        /// Show the last four characters.
        case maskAccount
        /// Replace the value by `sha256:` and the hexadecimal digest of its UTF-8 text.
        case digest(RedactedPlace.Rule)
        /// Keep the value without searching it, if it has the declared shape.
        case identifier(Shape)
        /// Keep a truth value; treat anything else by the field's name.
        case flag
        /// Keep the value as HTML of structure and text only: no scripts, no event handlers, no references to other
        /// resources.
        case markup
    }

    /// The form of an identifier. A value of any other form is searched like any text, so that a card number typed into
    /// an identifier field is found. Shapes exclude card numbers: a value of digits that passes the Luhn check within
    /// an issuer's range of its length never has the shape, and neither does one of letters and digits that contains
    /// such a number.
    package struct Shape: Sendable, Hashable {
        package enum Alphabet: Sendable, Hashable {
            case digits
            case hexadecimal
            case alphanumeric
            /// Printable ASCII, two hexadecimal digits for each character, without a card number in the decoded text.
            /// The digits themselves often look like card numbers: `617374657263617264` is in `Mastercard`.
            case hexadecimalText
            /// Digits that end in a calendar time `yyyyMMddHHmmss` of this century.
            case digitsEndingInTime
        }
        package let alphabet: Alphabet
        /// The number of characters, all ASCII.
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

    /// Declared fields by the normalised name of the member; each with the names of the members above it, innermost
    /// first.
    private var fields: [String: [Field]] = [:]

    /// The same for documents of one kind only: names too general for documents of other kinds.
    private var ownFields: [String: [Field]] = [:]

    /// The normalised names of objects whose members are named by EMV tags.
    private var tagged: Set<String> = []

    /// Marks of the names in `fields` and `ownFields`. Most names have none of these marks and are not searched.
    private var marks = NameMarks()

    private struct Field: Sendable, Hashable {
        let parents: [String]
        let treatment: Treatment
    }

    /// The treatment of undeclared members, in documents of one kind.
    private enum Rest: Sendable, Hashable {
        /// They are searched like any text.
        case searched
        /// They are removed, declared or not, except members with these names.
        case dropped(RedactedPlace.Rule, except: Set<String>, objects: Set<String>)
        /// Values that can be a block of ciphertext are replaced by their digests, except under these names.
        case digested(RedactedPlace.Rule, except: Set<String>)
    }

    private var rest = Rest.searched

    /// Schemas that apply in addition to this one. The strictest treatment of a field wins.
    private var others: [RedactionSchema] = []

    /// The treatment of a document that is not an object: a text, a number, or a list of them.
    private(set) var document: Treatment?

    /// True if a text of lines `name: value` is scrubbed line by line, as if each line were a member with that name.
    /// This applies to every text in the document, because vendors repeat members in printed text.
    private(set) var readsLines = false

    /// A schema without declarations; the rules for every document still apply.
    package static let none = RedactionSchema()

    package init() {}

    /// - Parameters:
    ///   - declarations: Field to treatment. A field is a member's name, preceded by as many of the names above it as
    ///     needed, joined by dots; lists do not count. Case and punctuation are ignored.
    ///   - document: The treatment of a document that is one text instead of an object. If it is to drop the text, a
    ///     document that is a number, a list of such, or cannot be parsed is dropped as well, because a call that
    ///     returns a secret may return it in that form.
    ///   - readsLines: Whether the vendor also prints its properties as lines `name: value`.
    ///   - tagged: Objects whose members are named by EMV tags and are treated like those tags.
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
        marks.insert(fields.keys)
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

    /// This schema with additional declarations, which take precedence and apply to documents of one kind only: `anyOf`
    /// omits them.
    package func adding(_ declarations: [(fields: [String], treatment: Treatment)]) -> RedactionSchema {
        var schema = self
        Self.declare(declarations, in: &schema.ownFields)
        schema.marks.insert(schema.ownFields.keys)
        return schema
    }

    /// This schema for a kind whose documents are secret except for a few members. All other members are removed,
    /// whatever their names, and so is a document that is not an object.
    package func keeping(_ names: [String], objects: [String] = [], dropping rule: RedactedPlace.Rule)
        -> RedactionSchema
    {
        var schema = self
        schema.rest = .dropped(rule, except: Self.normalized(names), objects: Self.normalized(objects))
        schema.document = .drop(rule)
        return schema
    }

    /// This schema for a kind whose documents contain ciphertext under unknown names. A value that can be a block of
    /// ciphertext is kept as a digest only, and a document that is not an object is removed.
    ///
    /// - Parameter names: Members whose values are identifiers that look like ciphertext.
    package func digestingBlocks(_ rule: RedactedPlace.Rule, except names: [String]) -> RedactionSchema {
        var schema = self
        schema.rest = .digested(rule, except: Self.normalized(names))
        schema.document = .drop(rule)
        return schema
    }

    private static func normalized(_ names: [String]) -> Set<String> {
        Set(names.map { SensitiveNames.normalized($0) })
    }

    /// A schema with the declarations of all the schemas, for a document of an unknown kind.
    package init(anyOf schemas: [RedactionSchema]) {
        var seen: Set<RedactionSchema> = []
        for var schema in schemas {
            schema.ownFields = [:]
            schema.rest = .searched
            if seen.insert(schema).inserted { join(schema) }
        }
    }

    /// This schema and another, for a document that can be of either kind. The stricter treatment of each field wins.
    package func joined(with other: RedactionSchema) -> RedactionSchema {
        var schema = self
        schema.join(other)
        return schema
    }

    private mutating func join(_ other: RedactionSchema) {
        others.append(other)
        document = Self.stricter(document, other.document)
        readsLines = readsLines || other.readsLines
    }

    /// The same schema without its rule for documents that are not objects: for a part of a record that is not an
    /// object.
    package var forMembers: RedactionSchema {
        var schema = self
        schema.document = nil
        return schema
    }

    /// True for a kind of which almost nothing may be kept unread.
    package var isGuarded: Bool { rest != .searched }

    var isEmpty: Bool { fields.isEmpty && ownFields.isEmpty && others.allSatisfy(\.isEmpty) }

    /// The treatment of a value with this name in a text, where the enclosing members are unknown.
    ///
    /// - Parameter name: A normalised name.
    func treatmentInText(of name: String) -> SensitiveNames.Treatment? {
        switch treatment(at: [name]) {
        case .drop(let rule): .drop(rule)
        case .dropBare(let rule): .dropScalar(rule)
        case .maskCardNumber: .maskCardNumber
        case .maskAccount: .maskAccount
        case .digest: .digest
        case .identifier, .flag, .markup, .dropBlocks, .only, .digestBlocks, .tags, .cardNumberTag, nil: nil
        }
    }

    /// The shape of the identifier with this name in a text.
    ///
    /// - Parameter name: A normalised name.
    func shapeInText(of name: String) -> Shape? {
        if case .identifier(let shape) = treatment(at: [name]) { shape } else { nil }
    }

    /// The treatment of the member at `path`, normalised names from the outermost to the innermost. Within a schema the
    /// longest declaration wins, among several schemas the strictest treatment.
    func treatment(at path: [String]) -> Treatment? {
        guard let last = path.last else { return nil }
        let own = ownTreatment(of: last, below: path.dropLast().reversed())
        guard !others.isEmpty else { return own }
        return others.reduce(own) { Self.stricter($0, $1.treatment(at: path)) }
    }

    private func ownTreatment(of name: String, below parents: ReversedCollection<ArraySlice<String>>) -> Treatment? {
        let declared = declaredTreatment(of: name, below: parents)
        switch rest {
        case .searched: return declared
        case .dropped(let rule, let kept, let objects):
            if kept.contains(name) { return declared ?? .dropBlocks(rule) }
            return objects.contains(name) ? .dropBare(rule) : .drop(rule)
        case .digested(let rule, let kept):
            return declared ?? (kept.contains(name) ? nil : .digestBlocks(rule))
        }
    }

    private func declaredTreatment(
        of name: String,
        below parents: ReversedCollection<ArraySlice<String>>
    ) -> Treatment? {
        if marks.mayContain(name) {
            func longest(in fields: [String: [Field]]) -> Field? {
                guard !fields.isEmpty, let candidates = fields[name] else { return nil }
                var longest: Field?
                for field in candidates where parents.starts(with: field.parents) {
                    if field.parents.count > longest?.parents.count ?? -1 { longest = field }
                }
                return longest
            }
            if let field = longest(in: ownFields) ?? longest(in: fields) { return field.treatment }
        }
        guard !tagged.isEmpty else { return nil }
        if tagged.contains(name) { return .tags }
        return parents.contains(where: tagged.contains) ? EMVTags.treatment(ofMember: name) ?? .tags : nil
    }

    private static func stricter(_ one: Treatment?, _ other: Treatment?) -> Treatment? {
        guard let one, let other else { return one ?? other }
        return one.strictness >= other.strictness ? one : other
    }
}

extension RedactionSchema.Treatment {
    /// A higher strictness leaves less of a value.
    fileprivate var strictness: Int {
        switch self {
        case .drop: 9
        case .only: 8
        case .dropBare: 7
        case .dropBlocks: 6
        case .digest: 5
        case .tags, .cardNumberTag: 4
        case .maskCardNumber, .maskAccount: 3
        case .digestBlocks: 2
        case .markup: 1
        case .identifier, .flag: 0
        }
    }
}
