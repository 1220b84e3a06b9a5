import Canonical
import EventLog
import Payments
import Vendors

/// A record that was read, scrubbed and understood, and is about to be recorded.
struct PreparedDocument {
    let received: DocumentReceived
    let observation: Observation
    let idempotency: [IdempotencyKey]
    let occurredAt: Timestamp
    /// Whether the sender gave a key of its own; it is then the first of `idempotency`.
    let hasSenderKey: Bool

    /// - Parameter now: Counts where neither sender nor document says when it happened.
    init(
        _ document: ScrubbedDocument,
        _ observation: Observation,
        _ record: IntakeRecord,
        _ beside: ScrubbedContext,
        vendor: Vendor,
        now: Timestamp
    ) {
        received = DocumentReceived(
            vendor: vendor,
            kind: record.kind,
            document: document.value,
            redactions: document.redactions.map { RedactionNote($0, under: "/body") } + beside.redactions,
            merchant: beside.context.merchant,
            terminal: beside.context.terminal,
            device: beside.context.device,
            reference: beside.reference
        )
        self.observation = observation
        idempotency =
            RecordIdentity(
                received: received,
                identity: observation.identity,
                occurredAt: beside.context.occurredAt,
                key: beside.idempotencyKey
            ).keys
        hasSenderKey = beside.idempotencyKey != nil
        occurredAt = beside.context.occurredAt ?? observation.occurredAt ?? now
    }

    /// The stream the app's reference names, where it is an id the ledger may have given.
    var namedStream: String? {
        received.reference.flatMap { UUID128($0) }.map { StreamName.transaction($0) }
    }

    /// The names by which the payment can be found, strongest first.
    ///
    /// - Parameter isNamed: Whether the reference is the id of a payment, and so no name to remember it by.
    func keys(isNamed: Bool) -> [ReferenceKey] {
        guard let reference = received.reference, !isNamed else { return observation.keys }
        return observation.keys + [ReferenceKey(vendor: nil, scheme: .app, value: reference)]
    }
}
