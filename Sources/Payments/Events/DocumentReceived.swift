package import Canonical

/// A vendor document arrived: the original entry everything else in the same append was read from. Keeping the
/// scrubbed document lets an auditor check the reading, and lets a better reading be made later.
package struct DocumentReceived: Sendable, Hashable, Codable {
    package var vendor: Vendor
    /// The SDK's own name of the callback or structure.
    package var kind: String
    package var document: JSONValue
    /// What was removed before anything was stored.
    package var redactions: [RedactionNote]
    package var merchant: String?
    package var terminal: String?
    package var device: String?
    /// The app's own reference for the transaction.
    package var reference: String?
    /// What the issuer said, where the sender knows it from elsewhere.
    package var issuer: IssuerAnswer?

    package init(
        vendor: Vendor,
        kind: String,
        document: JSONValue,
        redactions: [RedactionNote],
        merchant: String? = nil,
        terminal: String? = nil,
        device: String? = nil,
        reference: String? = nil,
        issuer: IssuerAnswer? = nil
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
    }
}

extension DocumentReceived {
    /// What encoding it gives, member by member: every document passes through here, and the way through the
    /// encoder's containers costs as much as everything else that is done to it.
    var json: JSONValue {
        var object: JSONObject = [
            "vendor": .string(vendor.rawValue), "kind": .string(kind), "document": document,
            "redactions": .array(
                redactions.map { ["path": .string($0.path), "rule": .string($0.rule), "action": .string($0.action)] }
            ),
        ]
        if let merchant { object["merchant"] = .string(merchant) }
        if let terminal { object["terminal"] = .string(terminal) }
        if let device { object["device"] = .string(device) }
        if let reference { object["reference"] = .string(reference) }
        if let issuer { object["issuer"] = issuer.json }
        return .object(object)
    }
}

/// One place in a document where something was taken out.
package struct RedactionNote: Sendable, Hashable, Codable {
    /// JSON Pointer (RFC 6901) into the record: the document is at `/body`.
    package var path: String
    /// What kind of secret it was: `pan`, `cvv`, `credential`.
    package var rule: String
    /// `dropped`, `masked` or `digested`.
    package var action: String

    package init(path: String, rule: String, action: String) {
        self.path = path
        self.rule = rule
        self.action = action
    }
}
