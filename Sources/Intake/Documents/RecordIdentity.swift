import Canonical
import EventLog
import Payments
import Vendors

/// The keys by which a repeat of a record is recognised.
///
/// All of them are computed over scrubbed values: anyone who can try all card numbers can reverse a digest of one.
struct RecordIdentity {
    let keys: [IdempotencyKey]

    /// - Parameters:
    ///   - identity: How the vendor distinguishes the document from others. Without it the record as a whole is its
    ///     identity: a document without any id, sent twice with the same text, counts as one fact.
    ///   - isReport: Whether the document moves no money. Only then, and only if the sender gave no time, does the
    ///     sender's key distinguish two documents with the same text. A payment is never counted twice because of a new
    ///     key.
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
        // Records from before this field existed keep their digests.
        if let issuer = received.issuer { beside += [issuer.code, issuer.advice] }
        let natural: [UInt8]
        if let identity {
            // Without a time of the vendor's, the sender's time distinguishes two equal answers, such as the same tip
            // set again.
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
