import Canonical
import Payments
import Redaction
import Vendors

/// A record in the form of its trace, free of card data and secrets. Only the scrubber of records can make one from
/// what was read.
struct ScrubbedRecord {
    let value: JSONValue
    let redactions: [RedactionNote]

    /// The trace of a record that was never read.
    static let unread = ScrubbedRecord(value: .null, redactions: [])

    fileprivate init(value: JSONValue, redactions: [RedactionNote]) {
        self.value = value
        self.redactions = redactions
    }
}

/// Scrubs records by the most specific schema available: that of vendor and kind, that of the kind alone, else
/// everything any vendor declares.
struct RecordScrubber: Sendable {
    private let adapters: [any VendorAdapter]
    /// For documents of an unknown kind.
    private let any: RedactionSchema
    /// For text that may be a record; a scalar body is dropped.
    private let text: RedactionSchema
    /// The normalised names of guarded kinds: almost nothing of their documents may be stored.
    private let guarded: Set<String>

    init(_ adapters: [any VendorAdapter]) {
        self.adapters = adapters
        any = RedactionSchema(anyOf: adapters.flatMap { adapter in adapter.kinds.map(adapter.redactionSchema) })
        text =
            adapters.reduce(any) { $0.joined(with: $1.redactionSchema(for: "")) }
            .joined(with: RedactionSchema([(["body"], .dropBare(.credential))]))
            .forMembers
        guarded = Set(
            adapters.flatMap { adapter in
                adapter.kinds.filter { adapter.redactionSchema(for: $0).isGuarded }.map(Self.name)
            }
        )
    }

    /// The schema for documents of a kind that is unknown, or not known for this vendor: that of a kind of nearly the
    /// same name, joined with everything any vendor declares.
    ///
    /// - Parameter adapter: The vendor's; nil if the vendor is unknown.
    func schema(for kind: String, of adapter: (any VendorAdapter)?) -> RedactionSchema {
        (adapter.map { [$0] } ?? adapters).reduce(any) { $0.joined(with: $1.redactionSchema(for: kind)) }
    }

    /// The schema for documents of a kind, known or not.
    private func anySchema(for kind: String, of adapter: (any VendorAdapter)?) -> RedactionSchema {
        guard let adapter, adapter.kinds.contains(kind) else { return schema(for: kind, of: adapter) }
        return adapter.redactionSchema(for: kind)
    }

    // MARK: Events

    /// The data of an event in the ledger's own form. A vendor's document in it is scrubbed as if it had been sent
    /// alone.
    func scrub(data: JSONValue, ofType type: String) -> ScrubbedRecord {
        var trace = Trace()
        if type == JournalName.documentReceived.rawValue, var object = data.object,
            let document = object["document"]
        {
            let adapter = adapters.first { $0.vendor.rawValue == object["vendor"]?.string }
            let schema = anySchema(for: object["kind"]?.string ?? "", of: adapter)
            let scrubbed = Scrubber(schema: schema).scrub(UnscrubbedDocument(document))
            object["document"] = scrubbed.value
            trace.note(scrubbed, under: "/document")
            trace.add(Scrubber().scrub(UnscrubbedDocument(.object(object))))
        } else {
            trace.add(Scrubber().scrub(UnscrubbedDocument(data)))
        }
        return trace.record
    }

    // MARK: Traces

    /// A record whose document was read and scrubbed, and then refused.
    func scrub(_ json: JSONValue, with body: ScrubbedDocument) -> ScrubbedRecord {
        var trace = Trace()
        for member in json.object?.members ?? [:] where member.key != "body" { trace.add(member, by: any) }
        trace.add("body", body)
        return trace.record
    }

    /// A record that was refused before its document was interpreted.
    ///
    /// If it names a kind full of secrets anywhere other than in `kind`, it is impossible to tell which part is its
    /// document.
    ///
    /// - Parameter adapter: The vendor's; nil if the vendor is unknown.
    func scrub(refused json: JSONValue, of adapter: (any VendorAdapter)?) -> ScrubbedRecord {
        guard let object = json.object else {
            guard !namesGuarded(Array(json.text.utf8)) else { return Self.secret }
            var trace = Trace()
            trace.add(Scrubber(schema: schema(for: "", of: adapter)).scrub(UnscrubbedDocument(json)))
            return trace.record
        }
        let kind = object["kind"]?.string
        var others = JSONObject()
        for member in object.members where member.key != "kind" || kind == nil {
            others[member.key] = member.value
        }
        guard !namesGuarded(Array(JSONValue.object(others).text.utf8)) else { return Self.secret }
        let schema = anySchema(for: kind ?? "", of: adapter)
        var trace = Trace()
        for member in object.members {
            guard member.key == "body" || !IntakeRecord.fields.contains(member.key) else {
                trace.add(member, by: any)
                continue
            }
            trace.add(member, by: any, Scrubber(schema: schema).scrub(UnscrubbedDocument(member.value)))
        }
        return trace.record
    }

    /// A body that is not JSON. Its text is searched; if it names a kind full of secrets, it is impossible to tell
    /// where they are.
    func scrub(unreadable bytes: [UInt8]) -> ScrubbedRecord {
        guard !namesGuarded(bytes) else { return Self.secret }
        var trace = Trace()
        trace.add(Scrubber(schema: text).scrub(UnscrubbedDocument(unreadable: bytes)))
        return trace.record
    }

    private static let secret = ScrubbedRecord(
        value: .null,
        redactions: [RedactionNote(RedactedPlace(path: "", rule: .credential, action: .dropped), under: "")]
    )

    private func namesGuarded(_ bytes: [UInt8]) -> Bool {
        let letters = TextScrubber.lettersAndDigits(of: bytes)
        return guarded.contains { letters.contains($0) }
    }

    /// The name of the call; the names of its callbacks contain it.
    private static func name(_ kind: String) -> String {
        let call = [".didFinish", ".didProgress"].reduce(kind) { $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0 }
        return TextScrubber.lettersAndDigits(of: Array(call.utf8))
    }

    /// The trace of a record, composed member by member.
    private struct Trace {
        private var whole: JSONValue?
        private var object = JSONObject()
        private var redactions: [RedactionNote] = []

        var record: ScrubbedRecord { ScrubbedRecord(value: whole ?? .object(object), redactions: redactions) }

        mutating func note(_ document: ScrubbedDocument, under pointer: String) {
            redactions += document.redactions.map { RedactionNote($0, under: pointer) }
        }

        mutating func add(_ document: ScrubbedDocument) {
            whole = document.value
            redactions += document.redactions.map { RedactionNote($0, under: "") }
        }

        mutating func add(_ name: String, _ document: ScrubbedDocument) {
            object[name] = document.value
            redactions += document.redactions.map { RedactionNote($0, under: "/\(name)") }
        }

        /// - Parameter document: The member's value, if it is a document and was scrubbed as one.
        mutating func add(
            _ member: JSONObject.Member,
            by schema: RedactionSchema,
            _ document: ScrubbedDocument? = nil
        ) {
            // The member's name is scrubbed as well.
            var named = JSONObject()
            named[member.key] = document?.value ?? member.value
            let scrubbed = Scrubber(schema: schema.forMembers).scrub(UnscrubbedDocument(.object(named)))
            let place = scrubbed.value.object?.members.first?.key ?? ""
            for member in scrubbed.value.object?.members ?? [:] {
                // Two names can become the same by masking.
                var name = member.key
                while !object.append(name, member.value) { name += "#" }
            }
            redactions += document?.redactions.map { RedactionNote($0, under: "/\(place)") } ?? []
            redactions += scrubbed.redactions.map { RedactionNote($0, under: "") }
        }
    }
}
