package import Canonical
package import Payments

/// Reads one vendor's documents. An adapter is pure: a scrubbed document in, facts out; no storage, no clock.
package protocol VendorAdapter: Sendable {
    var vendor: Vendor { get }
    /// The kinds it reads: the SDK's own callback and structure names, aliases included.
    var kinds: [String] { get }
    /// What in a document of `kind` is secret, and which fields are identifiers that only look like card numbers.
    ///
    /// - Parameter kind: Any kind, and in any spelling: a secret is one under a name that is only nearly right, too.
    func redactionSchema(for kind: String) -> RedactionSchema
    /// One spelling for the serial number of a device the sender names, as the vendor's documents have it.
    func serial(ofDevice device: String) -> String
    /// What the document attests.
    ///
    /// - Throws: `Refusal` when the document cannot be understood. A document that merely contradicts the lifecycle
    ///   is never refused here.
    func interpret(_ document: ScrubbedDocument, kind: String, context: DocumentContext) throws(Refusal) -> Observation
}

extension VendorAdapter {
    package func serial(ofDevice device: String) -> String { device }
}

/// What the sender said beside the document.
package struct DocumentContext: Sendable, Hashable {
    package var merchant: String?
    package var terminal: String?
    package var device: String?
    /// The device's clock when it happened, if the sender told.
    package var occurredAt: Timestamp?
    /// What the issuer said, if the sender knows: no SDK hands over the networks' advice codes.
    package var issuer: IssuerAnswer?
    /// True when the sender says which payment the document belongs to.
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

/// What one document attests, in the ledger's own terms.
package struct Observation: Sendable, Hashable {
    package enum Subject: Sendable, Hashable {
        /// Facts about one payment, in the order they happened; adapter-level anomalies (`amountUnreadable`)
        /// come after the fact they are about.
        case transaction([TransactionEvent])
        /// Facts about one settlement batch.
        case batch(BatchReference, [BatchEvent])
        /// What a reader, a terminal or the SDK tells. It belongs to the payment which the keys or the app's reference
        /// lead to; where there are none, to the reader itself. Nil where the document does not name the reader.
        case device(ReaderReference?, [DeviceEvent], [Anomaly] = [])
        /// What happens to a wallet checkout outside of its payment.
        case checkout(CheckoutReference, [CheckoutEvent], [Anomaly] = [])
        /// A document of which nobody can say what it attests. It belongs to the payment which the keys or the app's
        /// reference lead to; where there are none, to the tenant.
        case unplaced([Anomaly])
    }

    package var subject: Subject
    /// The names by which the payment can be found, strongest first. Only names that are unique within a tenant:
    /// an invoice number is not.
    package var keys: [ReferenceKey]
    /// How the vendor itself tells this document from every other: account, its transaction id, kind and time. Nil
    /// where the document carries no id of its own.
    package var identity: DocumentIdentity?
    /// The vendor's clock in the document.
    package var occurredAt: Timestamp?
    /// Which rules of the lifecycle depend on the vendor.
    package var policy: LifecyclePolicy

    package init(
        subject: Subject,
        keys: [ReferenceKey],
        identity: DocumentIdentity?,
        occurredAt: Timestamp?,
        policy: LifecyclePolicy
    ) {
        self.subject = subject
        self.keys = keys
        self.identity = identity
        self.occurredAt = occurredAt
        self.policy = policy
    }
}

/// The vendor's own identity of a document; a repeat of it is recognised without any idempotency header.
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

/// Why a document could not be understood. Carries no value from the document.
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
    /// What is wrong and what would be right, in words, without any value from the document.
    package var detail: String
    /// JSON Pointer to the place, where there is one.
    package var pointer: String?

    package init(_ code: Code, _ detail: String, pointer: String? = nil) {
        self.code = code
        self.detail = detail
        self.pointer = pointer
    }
}
