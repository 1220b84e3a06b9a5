import Canonical
import EventLog
import Payments
import Redaction
import Vendors

/// A record that was read, scrubbed and interpreted, and is about to be recorded.
struct PreparedDocument {
    let received: DocumentReceived
    let observation: Observation
    let idempotency: [IdempotencyKey]
    let occurredAt: Timestamp
    /// The reader as the sender names it, in the vendor's canonical spelling.
    private let namedReader: ReaderReference?
    /// Whether the sender gave a key; it is then the first of `idempotency`.
    let hasSenderKey: Bool

    /// - Parameter now: Used if neither sender nor document says when it happened.
    init(
        _ document: ScrubbedDocument,
        _ observation: Observation,
        _ record: IntakeRecord,
        _ beside: ScrubbedContext,
        adapter: any VendorAdapter,
        now: Timestamp
    ) {
        received = DocumentReceived(
            vendor: adapter.vendor,
            kind: beside.kind,
            document: document.value,
            redactions: document.redactions.map { RedactionNote($0, under: "/body") } + beside.redactions,
            merchant: beside.context.merchant,
            terminal: beside.context.terminal,
            device: beside.context.device,
            reference: beside.reference,
            issuer: beside.context.issuer
        )
        self.observation = observation
        namedReader = (received.device.map(adapter.serial(ofDevice:)) ?? received.terminal).map {
            ReaderReference(vendor: adapter.vendor, serial: $0)
        }
        idempotency =
            RecordIdentity(
                received: received,
                identity: observation.identity,
                isReport: observation.isReport,
                occurredAt: beside.context.occurredAt,
                key: beside.idempotencyKey
            ).keys
        hasSenderKey = beside.idempotencyKey != nil
        occurredAt = beside.context.occurredAt ?? observation.occurredAt ?? now
    }

    /// The subject of the document's facts.
    enum Placement {
        case payment([TransactionEvent])
        case batch(BatchReference, [BatchEvent])
        case reader(ReaderReference, [ReaderStreamEvent])
        case checkout(CheckoutReference, [CheckoutStreamEvent])
        case tenant([TenantEvent])
    }

    var placement: Placement {
        let belongsToPayment = !observation.keys.isEmpty || received.reference != nil
        switch observation.subject {
        case .transaction(let facts):
            return .payment(facts.map { $0.reported(by: namedReader).answered(by: received.issuer) })
        case .batch(let batch, let facts): return .batch(batch, facts)
        case .device(_, let events, let anomalies) where belongsToPayment:
            return .payment(
                events.map { TransactionEvent.device($0).reported(by: namedReader) }
                    + anomalies.map { .anomalyRaised($0) }
            )
        case .device(let reader, let events, let anomalies):
            return .reader(
                reader ?? namedReader
                    ?? ReaderReference(vendor: received.vendor, serial: ReaderReference.unidentified),
                events.map { .report($0) } + anomalies.map { .anomalyRaised($0) }
            )
        case .checkout(let checkout, let events, let anomalies):
            return .checkout(checkout, events.map { .report($0) } + anomalies.map { .anomalyRaised($0) })
        case .unplaced(let anomalies) where belongsToPayment: return .payment(anomalies.map { .anomalyRaised($0) })
        case .unplaced(let anomalies): return .tenant(anomalies.map { .anomalyRaised($0) })
        }
    }

    /// The stream that the app's reference names, if it is an id the ledger may have given.
    var namedStream: String? {
        received.reference.flatMap { UUID128($0) }.map { StreamName.transaction($0) }
    }

    /// The names by which the payment can be found, strongest first.
    ///
    /// - Parameter isNamed: Whether the reference is the id of a payment, and therefore not a name to store.
    func keys(isNamed: Bool) -> [ReferenceKey] {
        guard let reference = received.reference, !isNamed else { return observation.keys }
        return observation.keys + [ReferenceKey(vendor: nil, scheme: .app, value: reference)]
    }
}

extension Observation {
    /// True for a report of a reader, a terminal or the SDK that moves no money.
    fileprivate var isReport: Bool {
        if case .device = subject { true } else { false }
    }
}

extension TransactionEvent {
    /// A reader's report, with the reader's name added if the document has none.
    fileprivate func reported(by reader: ReaderReference?) -> TransactionEvent {
        guard case .device(var event) = self, event.report.reader == nil, let reader else { return self }
        event.report.reader = reader
        return .device(event)
    }

    /// An answer to a payment, with the issuer's answer added if the document has none. Values in the document are
    /// kept; what the sender supplied is stored with the document.
    fileprivate func answered(by issuer: IssuerAnswer?) -> TransactionEvent {
        guard let issuer else { return self }
        func reported(_ response: Response) -> Response {
            var response = response
            response.issuer = IssuerAnswer(
                code: response.issuer?.code ?? issuer.code,
                advice: response.issuer?.advice ?? issuer.advice
            )
            return response
        }
        func reported(_ approval: Approval) -> Approval {
            var approval = approval
            approval.response = reported(approval.response)
            return approval
        }
        func reported(_ verdict: Verdict) -> Verdict {
            var verdict = verdict
            verdict.response = reported(verdict.response)
            return verdict
        }
        switch self {
        case .authorizationApproved(let approval): return .authorizationApproved(reported(approval))
        case .partiallyApproved(let approval): return .partiallyApproved(reported(approval))
        case .creditApproved(let approval): return .creditApproved(reported(approval))
        case .accountVerified(let approval): return .accountVerified(reported(approval))
        case .declined(let verdict): return .declined(reported(verdict))
        case .failed(let verdict): return .failed(reported(verdict))
        case .outcomeUnknown(let verdict): return .outcomeUnknown(reported(verdict))
        default: return self
        }
    }
}
