package import Canonical

/// A document as it arrived. Only the scrubber may read it; nothing else may read, store, log or return it.
package struct UnscrubbedDocument: Sendable {
    fileprivate enum Content: Sendable {
        case parsed(JSONValue)
        case unreadable([UInt8])
    }

    fileprivate let content: Content

    package init(_ value: JSONValue) {
        content = .parsed(value)
    }

    /// A body that could not be parsed.
    package init(unreadable bytes: [UInt8]) {
        content = .unreadable(bytes)
    }
}

extension UnscrubbedDocument {
    /// True for a text or number without a member name, also in a list, and for a body that could not be parsed.
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

/// A document after scrubbing: free of card data and secrets. Only the scrubber creates one.
package struct ScrubbedDocument: Sendable, Hashable {
    /// The document; a single string if the body could not be parsed.
    package let value: JSONValue
    /// The redactions in document order, at most `Scrubber.listedRedactions`.
    package let redactions: [RedactedPlace]
    /// The number of further redactions.
    package let unlistedRedactions: Int

    fileprivate init(value: JSONValue, redactions: [RedactedPlace], unlistedRedactions: Int) {
        self.value = value
        self.redactions = redactions
        self.unlistedRedactions = unlistedRedactions
    }
}

/// Removes card data and secrets from documents: first by the adapter's declarations, then by the rules for every
/// document. Scrubbing a scrubbed document changes nothing.
package struct Scrubber: Sendable {
    /// The maximum number of redactions listed for one document.
    package static let listedRedactions = 1_000

    private let schema: RedactionSchema

    package init(schema: RedactionSchema = .none) {
        self.schema = schema
    }

    package func scrub(_ document: UnscrubbedDocument) -> ScrubbedDocument {
        if case .drop(let rule)? = schema.document, document.isBare {
            let redaction = RedactedPlace(path: "", rule: rule, action: .dropped)
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
            // A body that cannot be parsed may become a document after its broken characters are replaced.
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
