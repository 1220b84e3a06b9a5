package import Canonical
package import Payments
package import Vendors

/// One record of a sender: a vendor document, and further facts about it.
package struct IntakeRecord: Sendable, Hashable {
    /// The SDK's name of the callback or structure.
    package var kind: String
    package var body: JSONValue
    /// The app's reference for the payment, or the id the ledger gave it.
    package var transaction: String?
    package var context: DocumentContext
    package var idempotencyKey: String?

    static let fields: Set<String> = [
        "kind", "body", "transaction", "merchant", "terminal", "device", "occurredAt", "issuer", "idempotencyKey",
    ]

    /// Reads the JSON form of a record. Only the documented fields are accepted.
    ///
    /// - Throws: `IntakeProblem` with `malformed-record`.
    package init(_ json: JSONValue) throws(IntakeProblem) {
        guard let object = json.object else {
            throw IntakeProblem(.malformedRecord, "A record is a JSON object with `kind` and `body`.")
        }
        for member in object.members where !Self.fields.contains(member.key) {
            let known = Self.fields.sorted().joined(separator: ", ")
            throw IntakeProblem(.malformedRecord, "The record has an unknown field. Known fields: \(known).")
        }
        func text(_ field: String, limit: Int) throws(IntakeProblem) -> String? {
            guard let value = object[field], value != .null else { return nil }
            guard let text = value.string, !text.isEmpty, text.utf8.count <= limit,
                text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
            else {
                throw IntakeProblem(
                    .malformedRecord,
                    "`\(field)` must be a string of 1 to \(limit) bytes without control characters.",
                    pointer: "/\(field)"
                )
            }
            return text
        }
        guard let kind = try text("kind", limit: 64) else {
            throw IntakeProblem(.malformedRecord, "`kind` is missing.", pointer: "/kind")
        }
        guard let body = object["body"], body != .null else {
            throw IntakeProblem(.malformedRecord, "`body` is missing.", pointer: "/body")
        }
        self.kind = kind
        self.body = body
        transaction = try text("transaction", limit: 128)
        idempotencyKey = try text("idempotencyKey", limit: 255)
        var occurredAt: Timestamp?
        if let stamp = try text("occurredAt", limit: 64) {
            occurredAt = Timestamp(rfc3339: stamp)
            guard occurredAt != nil else {
                throw IntakeProblem(.malformedRecord, "`occurredAt` must be an RFC 3339 time.", pointer: "/occurredAt")
            }
        }
        context = DocumentContext(
            merchant: try text("merchant", limit: 64),
            terminal: try text("terminal", limit: 64),
            device: try text("device", limit: 64),
            occurredAt: occurredAt,
            issuer: try Self.issuer(object["issuer"])
        )
    }

    /// Reads `{"code": "51", "advice": "03"}`, with at least one of the two; each has two digits or capital letters.
    private static func issuer(_ value: JSONValue?) throws(IntakeProblem) -> IssuerAnswer? {
        guard let value, value != .null else { return nil }
        let isTwoCharacters = { (text: String) in
            text.utf8.count == 2
                && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        }
        guard let members = value.object?.members, !members.isEmpty,
            members.allSatisfy({ ["code", "advice"].contains($0.key) && $0.value.string.map(isTwoCharacters) == true })
        else {
            throw IntakeProblem(
                .malformedRecord,
                "`issuer` is an object of `code` (ISO 8583 field 39) and `advice` (merchant advice code), or of one of "
                    + "them: two capital letters or digits each.",
                pointer: "/issuer"
            )
        }
        return IssuerAnswer(code: value["code"]?.string, advice: value["advice"]?.string)
    }
}

/// The sender of a record, and the request it belongs to.
package struct Sender: Sendable, Hashable {
    package var tenant: String
    /// The sender's name in the audit trail: `key:<id>`, `cli:<user>`.
    package var actor: String
    /// The id of the request.
    package var correlation: String
    /// The user behind the actor, if known: one user may have several keys.
    package var holder: String?
    /// What its documents and events must name.
    package var binding: SenderBinding
    /// True if it got its documents from the gateway itself. The documents of others are relayed: their facts are
    /// evidence of at most `Evidence.relayed`.
    package var vouches: Bool

    package init(
        tenant: String,
        actor: String,
        correlation: String,
        holder: String? = nil,
        binding: SenderBinding = SenderBinding(),
        vouches: Bool = false
    ) {
        self.vouches = vouches
        self.tenant = tenant
        self.actor = actor
        self.correlation = correlation
        self.holder = holder
        self.binding = binding
    }
}

/// The answer to a sender once a record is in the log.
package struct IntakeAnswer: Sendable, Hashable {
    /// The stream of the transaction or batch the record belongs to.
    package var stream: String
    package var positions: [Int64]
    package var types: [String]
    package var redactions: [RedactionNote]
    package var anomalies: [Anomaly]
    /// True when the record had been received before, and this repeats the first answer.
    package var isDuplicate: Bool

    package init(
        stream: String,
        positions: [Int64],
        types: [String],
        redactions: [RedactionNote],
        anomalies: [Anomaly],
        isDuplicate: Bool
    ) {
        self.stream = stream
        self.positions = positions
        self.types = types
        self.redactions = redactions
        self.anomalies = anomalies
        self.isDuplicate = isDuplicate
    }
}

/// Why a record was not accepted. Contains no value from the document.
package struct IntakeProblem: Error, Hashable {
    package enum Code: Sendable, Hashable {
        /// The bytes are not JSON.
        case malformedJSON
        /// The JSON is not a record.
        case malformedRecord
        /// The record is larger than allowed.
        case tooLarge
        case unknownVendor
        /// The adapter could not read the document.
        case refused(Refusal.Code)
        /// An event that may not be appended as it is, with the code of the rule it breaks.
        case refusedEvent(String)
        /// The record does not name what the sender's key is bound to, or names something else; nothing was recorded.
        case keyBound
        /// The stream has another version than expected.
        case versionConflict
        /// The idempotency key was used for another record.
        case idempotencyMismatch
        /// Too many records are waiting; nothing was recorded.
        case overloaded
        /// The ledger is closing, or its database cannot be written; nothing was recorded.
        case unavailable
        /// The log was not compared with its evidence yet; nothing was recorded.
        case logUnproven
        /// The log lacks or contradicts something that is known of it; nothing is recorded until an operator decides.
        case logContradicted
        /// The clock of the service is ahead of the clock of the database; nothing was recorded.
        case clockAhead
        /// The database would answer a commit before it is durable; nothing was recorded.
        case notDurable
        /// The stream has the largest number of events; nothing was recorded.
        case streamFull
        /// It is unknown whether the record is in the log; send it again.
        case outcomeUnknown

        /// The stable name.
        package var name: String {
            switch self {
            case .malformedJSON: "malformed-json"
            case .malformedRecord: "malformed-record"
            case .tooLarge: "body-too-large"
            case .unknownVendor: "unknown-vendor"
            case .refused(let code): code.rawValue
            case .refusedEvent(let code): code
            case .keyBound: "key-bound"
            case .versionConflict: "version-conflict"
            case .idempotencyMismatch: "idempotency-mismatch"
            case .overloaded: "overloaded"
            case .unavailable: "unavailable"
            case .logUnproven: "log-unproven"
            case .logContradicted: "log-contradicted"
            case .clockAhead: "clock-ahead"
            case .notDurable: "setting-synchronous-commit"
            case .streamFull: "stream-full"
            case .outcomeUnknown: "outcome-unknown"
            }
        }
    }

    package var code: Code
    /// The fault and the expectation, in words.
    package var detail: String
    /// JSON Pointer into the record.
    package var pointer: String?
    /// The position of the refused document's trace.
    package var tracePosition: Int64?
    /// The version the stream has, if another was expected.
    package var actualVersion: Int64?

    package init(_ code: Code, _ detail: String, pointer: String? = nil) {
        self.code = code
        self.detail = detail
        self.pointer = pointer
    }
}
