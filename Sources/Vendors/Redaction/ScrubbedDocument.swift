package import Canonical

/// A document as it arrived. Nothing but the scrubber may read, store, log or answer it.
package struct UnscrubbedDocument: Sendable {
    fileprivate enum Content: Sendable {
        case parsed(JSONValue)
        case unreadable([UInt8])
    }

    fileprivate let content: Content

    /// A parsed document.
    package init(_ value: JSONValue) {
        content = .parsed(value)
    }

    /// A body that could not be parsed.
    package init(unreadable bytes: [UInt8]) {
        content = .unreadable(bytes)
    }
}

extension UnscrubbedDocument {
    /// True where there is a text or a number without a member's name that says what it is, and for what could not be
    /// parsed.
    fileprivate var isBare: Bool {
        switch content {
        case .parsed(let value): Self.isBare(value)
        case .unreadable: true
        }
    }

    private static func isBare(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .number: true
        case .array(let elements): elements.contains(where: isBare)
        case .null, .bool, .object: false
        }
    }
}

/// A document that went through the scrubber: free of card data and secrets. Only the scrubber makes one.
package struct ScrubbedDocument: Sendable, Hashable {
    /// The document; one string where the body could not be parsed.
    package let value: JSONValue
    /// What was taken out, in document order, at most `Scrubber.listedRedactions` places.
    package let redactions: [Redaction]
    /// How many places more there were.
    package let unlistedRedactions: Int

    fileprivate init(value: JSONValue, redactions: [Redaction], unlistedRedactions: Int) {
        self.value = value
        self.redactions = redactions
        self.unlistedRedactions = unlistedRedactions
    }
}

/// Takes card data and secrets out of documents: first by what the adapter declares about its fields, then by the
/// rules that hold for every document. Scrubbing a scrubbed document changes nothing.
package struct Scrubber: Sendable {
    /// The most places listed for one document.
    package static let listedRedactions = 1_000

    private let schema: RedactionSchema

    package init(schema: RedactionSchema = .none) {
        self.schema = schema
    }

    package func scrub(_ document: UnscrubbedDocument) -> ScrubbedDocument {
        if case .drop(let rule)? = schema.document, document.isBare {
            let redaction = Redaction(path: "", rule: rule, action: .dropped)
            return ScrubbedDocument(value: .null, redactions: [redaction], unlistedRedactions: 0)
        }
        switch document.content {
        case .parsed(let value):
            var walk = DocumentWalk(schema: schema)
            let value = walk.scrub(document: value)
            return ScrubbedDocument(
                value: value,
                redactions: walk.redactions,
                unlistedRedactions: walk.unlistedRedactions
            )
        case .unreadable(let bytes):
            let scrubbed = TextScrubber(schema: schema).scrub(bytes: bytes)
            // What is unreadable as it came can be a document once its broken characters are replaced.
            var walk = DocumentWalk(schema: schema)
            let value = walk.scrub(.string(scrubbed.text))
            return ScrubbedDocument(
                value: value,
                redactions: scrubbed.redactions + walk.redactions,
                unlistedRedactions: walk.unlistedRedactions
            )
        }
    }
}
