package import Canonical
package import Payments
package import Redaction

/// Reads one vendor's documents. An adapter is pure: a scrubbed document in, facts out; no storage, no clock.
package protocol VendorAdapter: Sendable {
    var vendor: Vendor { get }
    /// The kinds it reads: the SDK's own callback and structure names, aliases included.
    var kinds: [String] { get }
    /// The secrets in a document of `kind`, and the fields whose identifiers only look like card numbers.
    ///
    /// - Parameter kind: Any kind, in any spelling: a document with a misspelled kind contains the same secrets.
    func redactionSchema(for kind: String) -> RedactionSchema
    /// The serial number of a device that the sender names, in the form of the vendor's documents.
    func serial(ofDevice device: String) -> String
    /// True if the sender's `device` may be any name of a reader, so that it is another name of the reader whose serial
    /// number the document has.
    var hasReaderNames: Bool { get }
    /// The account at the vendor that a document names, where its payment was made: BridgePay's MerchantAccountCode,
    /// Dejavoo's TPN, the serial number of Handpoint's reader. Nil if the document names none, or if the vendor has
    /// none.
    ///
    /// - Parameters:
    ///   - terminal: The terminal that the sender named.
    ///   - device: The device that the sender named.
    func merchantAccount(in document: JSONValue, terminal: String?, device: String?) -> String?
    /// The names by which the vendor's gateway can be queried for a payment.
    ///
    /// - Parameters:
    ///   - references: The references that the vendor's documents carry.
    ///   - appReference: The reference that the app gave the payment in its reports.
    func lookupNames(_ references: References, appReference: String?) -> LookupNames
    /// True if the vendor's gateway can be queried by invoice number where it has given no id.
    var findsByInvoice: Bool { get }
    /// How well the name identifies the payment that the gateway is queried by.
    ///
    /// - Parameters:
    ///   - isOwn: True if Daybook sent the payment.
    ///   - invoice: The invoice number of the query; nil if it has a better name.
    func lookupProof(isOwn: Bool, invoice: LookupInvoice?) -> LookupProof
    /// The number of the batch that the vendor's id of a transaction contains; nil if it contains none.
    func batchNumber(inTransaction transaction: String) -> String?
    /// True if the tip of a request may be beside its amount, so that the gateway approves their sum.
    var tipMayBeOnTop: Bool { get }
    /// The tender that a call about a payment names to the vendor's gateway.
    ///
    /// - Parameter tender: The tender of the payment, as its documents name it.
    func calledTender(of tender: String?) -> String
    /// The rules of the lifecycle for the vendor's payments.
    var policy: LifecyclePolicy { get }
    /// The meaning of the one code that an event keeps of an answer.
    ///
    /// - Parameter code: Not empty.
    func code(_ code: String, by evidence: Evidence) -> VendorCode
    /// What the vendor says to do about an error of a reader, in plain words; nil if it says nothing.
    ///
    /// - Parameter error: The vendor's code, or its text if there is none.
    func remedy(of error: String) -> String?
    /// What to do when a reader holds the result of a payment that the app has not fetched; nil if the vendor's readers
    /// report no such thing.
    var pendingResultRemedy: String? { get }
    /// What the document attests.
    ///
    /// - Throws: `Refusal` if the document cannot be understood. A document that only contradicts the lifecycle is not
    ///   refused here.
    func interpret(_ document: ScrubbedDocument, kind: String, context: DocumentContext) throws(Refusal) -> Observation
}

extension VendorAdapter {
    package func remedy(of error: String) -> String? { nil }

    package var pendingResultRemedy: String? { nil }

    package var tipMayBeOnTop: Bool { false }

    package func calledTender(of tender: String?) -> String { "credit" }

    package var hasReaderNames: Bool { false }
}

/// What the sender said beside the document.
package struct DocumentContext: Sendable, Hashable {
    package var merchant: String?
    package var terminal: String?
    package var device: String?
    /// The device's clock at the event, if the sender supplies it.
    package var occurredAt: Timestamp?
    /// The same, as facts have it.
    package var reportedTime: ReportedTime? { occurredAt.map { .instant($0) } }
    /// The issuer's answer, if the sender knows it: no SDK reports the networks' advice codes.
    package var issuer: IssuerAnswer?
    /// True if the sender names the document's payment.
    package var namesPayment: Bool

    package init(
        merchant: String? = nil,
        terminal: String? = nil,
        device: String? = nil,
        occurredAt: Timestamp? = nil,
        issuer: IssuerAnswer? = nil,
        namesPayment: Bool = false
    ) {
        self.merchant = merchant
        self.terminal = terminal
        self.device = device
        self.occurredAt = occurredAt
        self.issuer = issuer
        self.namesPayment = namesPayment
    }
}

/// The facts of one document, in the ledger's terms.
package struct Observation: Sendable, Hashable {
    package enum Subject: Sendable, Hashable {
        /// Facts about one payment, in the order of occurrence; adapter-level anomalies (`amountUnreadable`) follow the
        /// fact they are about.
        case transaction([TransactionEvent])
        case batch(BatchReference, [BatchEvent])
        /// Reports of a reader, a terminal or the SDK. They belong to the payment that the keys or the app's reference
        /// identify, or else to the reader. Nil if the document does not name the reader.
        case device(ReaderReference?, [DeviceEvent], [Anomaly] = [])
        /// Events of a wallet checkout outside of its payment.
        case checkout(CheckoutReference, [CheckoutEvent], [Anomaly] = [])
        /// A document whose facts are unknown. It belongs to the payment that the keys or the app's reference identify,
        /// or else to the tenant.
        case unplaced([Anomaly])
    }

    package var subject: Subject
    /// The keys of the payment, strongest first. They must be unique within a tenant; an invoice number is not.
    package var keys: [ReferenceKey]
    /// The vendor's identity of this document: account, transaction id, kind and time. Nil if the document has no id.
    package var identity: DocumentIdentity?
    /// The time that the document states.
    package var occurredAt: ReportedTime?
    /// The lifecycle rules that depend on the vendor.
    package var policy: LifecyclePolicy
    /// Whether the document is about the vendor's test system; nil if it does not state it.
    package var isTest: Bool?
    /// The facts about the payment if the document answers one of these operations: for a document that does not name
    /// what it answers. They count if the payment's last request is for that operation.
    package var ifAsked: [AskedOperation: [TransactionEvent]] = [:]

    package init(
        subject: Subject,
        keys: [ReferenceKey],
        identity: DocumentIdentity?,
        occurredAt: ReportedTime?,
        policy: LifecyclePolicy,
        isTest: Bool? = nil
    ) {
        self.subject = subject
        self.keys = keys
        self.identity = identity
        self.occurredAt = occurredAt
        self.policy = policy
        self.isTest = isTest
    }
}

/// The vendor's identity of a document. It identifies a repeat without an idempotency header.
package struct DocumentIdentity: Sendable, Hashable {
    package var account: String?
    package var transaction: String
    package var kind: String
    package var time: String?

    package init(account: String?, transaction: String, kind: String, time: String?) {
        self.account = account
        self.transaction = transaction
        self.kind = kind
        self.time = time
    }
}

/// The reason why a document could not be understood. It contains no value from the document.
package struct Refusal: Error, Hashable {
    /// Stable codes; each is a problem `code` of the API.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case unknownKind = "unknown-kind"
        case malformedDocument = "malformed-document"
        case missingField = "missing-field"
        case missingMoney = "missing-money"
        case malformedMoney = "malformed-money"
        case negativeAmount = "negative-amount"
        case amountTooLarge = "amount-too-large"
        case unknownCurrency = "unknown-currency"
        case unsupportedOperation = "unsupported-operation"
    }

    package var code: Code
    /// A description of the error and the expected value, without any value from the document.
    package var detail: String
    /// JSON Pointer to the place of the error, if known.
    package var pointer: String?

    package init(_ code: Code, _ detail: String, pointer: String? = nil) {
        self.code = code
        self.detail = detail
        self.pointer = pointer
    }
}

extension Anomaly {
    /// No vendor's document gives a meaning to a refund without an amount.
    static let refundWithoutAmount = Anomaly(
        .amountUnreadable,
        "the refund states no amount; all that was left to give back is counted"
    )
}
