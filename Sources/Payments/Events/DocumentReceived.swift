package import Canonical

/// A vendor document arrived. It is the original entry: all other events of the same append were read from it. The
/// scrubbed document is kept so that an auditor can check the reading, and so that it can be read again with better
/// code.
package struct DocumentReceived: Sendable, Hashable, Codable {
    package var vendor: Vendor
    /// The SDK's name of the callback or structure.
    package var kind: String
    package var document: JSONValue
    /// The values removed before anything was stored.
    package var redactions: [RedactionNote]
    package var merchant: String?
    package var terminal: String?
    package var device: String?
    /// The app's reference for the transaction.
    package var reference: String?
    /// The issuer's answer, if the sender knows it from another source.
    package var issuer: IssuerAnswer?
    /// Whether the document is about the vendor's test system, where no money moves; nil if it does not state it.
    package var isTest: Bool?

    package init(
        vendor: Vendor,
        kind: String,
        document: JSONValue,
        redactions: [RedactionNote],
        merchant: String? = nil,
        terminal: String? = nil,
        device: String? = nil,
        reference: String? = nil,
        issuer: IssuerAnswer? = nil,
        isTest: Bool? = nil
    ) {
        self.vendor = vendor
        self.kind = kind
        self.document = document
        self.redactions = redactions
        self.merchant = merchant
        self.terminal = terminal
        self.device = device
        self.reference = reference
        self.issuer = issuer
        self.isTest = isTest
    }
}

/// One place in a document where a value was removed.
package struct RedactionNote: Sendable, Hashable, Codable {
    /// JSON Pointer (RFC 6901) into the record: the document is at `/body`.
    package var path: String
    /// The kind of secret: `pan`, `cvv`, `credential`.
    package var rule: String
    /// `dropped`, `masked` or `digested`.
    package var action: String

    package init(path: String, rule: String, action: String) {
        self.path = path
        self.rule = rule
        self.action = action
    }
}
