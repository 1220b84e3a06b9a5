import Canonical
import EventLog
import Payments
import Vendors

/// By what a repeat of a record is recognised.
///
/// Everything is computed over scrubbed values: a digest of a card number is as good as the number to whoever can
/// try them all.
struct RecordIdentity {
    let keys: [IdempotencyKey]

    /// - Parameters:
    ///   - identity: How the vendor tells the document from others. Without one the record as a whole is its
    ///     identity: a document without any id, sent twice in the same words, is taken for one fact.
    ///   - isReport: Whether the document tells no money: only then, and only without a time of the sender's, does the
    ///     sender's key tell two in the same words apart. A payment is never counted twice for a new key.
    ///   - key: The sender's idempotency key.
    init(
        received: DocumentReceived,
        identity: DocumentIdentity?,
        isReport: Bool,
        occurredAt: Timestamp?,
        key: String?
    ) {
        let document = received.document.sortedText
        let vendor = received.vendor.rawValue
        var beside = [
            received.merchant, received.terminal, received.device, received.reference, occurredAt?.rfc3339,
        ]
        // What was recorded before it could be said has the digests of then.
        if let issuer = received.issuer { beside += [issuer.code, issuer.advice] }
        let natural: [UInt8]
        if let identity {
            // Without a time of the vendor's, the sender's tells two equal answers apart: the same tip, set again.
            let time = identity.time ?? occurredAt?.rfc3339
            natural = digest(
                ["identity", vendor, identity.account, identity.transaction, identity.kind, time, document]
            )
        } else {
            let reported = ["document", vendor, received.kind, document] + beside
            let isDistinguished = isReport && occurredAt == nil && key != nil
            natural = digest(isDistinguished ? reported + [key] : reported)
        }
        // The natural key contains the document, so it never stands for two requests.
        var keys = [IdempotencyKey(key: natural, request: natural)]
        if let key {
            let request = digest(["request", vendor, received.kind, document] + beside)
            keys.insert(IdempotencyKey(key: digest(["key", key]), request: request), at: 0)
        }
        self.keys = keys
    }
}
