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
    private let namedReader: NamedReader?
    /// Whether the sender gave a key; it is then the first of `idempotency`.
    let hasSenderKey: Bool
    /// Set if the document cannot have arisen at the time it states.
    let timeAnomaly: Anomaly?

    /// - Parameters:
    ///   - now: Used if neither sender nor document says when it happened.
    ///   - isVouched: Whether the sender got the document from the gateway itself.
    init(
        _ document: ScrubbedDocument,
        _ observation: Observation,
        _ record: IntakeRecord,
        _ beside: ScrubbedContext,
        adapter: any VendorAdapter,
        now: Timestamp,
        isVouched: Bool
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
            issuer: beside.context.issuer,
            isTest: observation.isTest
        )
        self.observation = isVouched ? observation : observation.limited(to: .relayed)
        let device = beside.context.device
        namedReader = (device.map(adapter.serial(ofDevice:)) ?? beside.context.terminal).map {
            NamedReader(
                reader: ReaderReference(vendor: adapter.vendor, serial: $0),
                isAnyName: adapter.hasReaderNames && device != nil
            )
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
        occurredAt = beside.context.occurredAt ?? observation.occurredAt?.instant ?? now
        timeAnomaly =
            PlausibleTime.anomaly(of: .instant(occurredAt), now: now)
            ?? observation.occurredAt.flatMap { PlausibleTime.anomaly(of: $0, now: now) }
    }

    /// The facts if the document answers one of these operations.
    var ifAsked: [AskedOperation: [TransactionEvent]] {
        observation.ifAsked.mapValues { facts in
            facts.map { $0.reported(by: namedReader).answered(by: received.issuer) }
                + [timeAnomaly].compactMap(\.self).map { .anomalyRaised($0) }
        }
    }

    /// The anomalies of a document that is recorded as received.
    var reportedAnomalies: [Anomaly] { observation.reportedAnomalies + [timeAnomaly].compactMap(\.self) }

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
        let flags = [timeAnomaly].compactMap(\.self)
        switch observation.subject {
        case .transaction(let facts):
            return .payment(
                facts.map { $0.reported(by: namedReader).answered(by: received.issuer) }
                    + flags.map { .anomalyRaised($0) }
            )
        case .batch(let batch, let facts): return .batch(batch, facts + flags.map { .anomalyRaised($0) })
        case .device(_, let events, _) where belongsToPayment:
            return .payment(
                events.map { TransactionEvent.device($0).reported(by: namedReader) }
                    + reportedAnomalies.map { .anomalyRaised($0) }
            )
        case .device(let reader, let events, _):
            return .reader(
                reader ?? namedReader?.reader
                    ?? ReaderReference(vendor: received.vendor, serial: ReaderReference.unidentified),
                events.map { .report($0.named(by: namedReader)) } + reportedAnomalies.map { .anomalyRaised($0) }
            )
        case .checkout(let checkout, let events, _):
            return .checkout(checkout, events.map { .report($0) } + reportedAnomalies.map { .anomalyRaised($0) })
        case .unplaced where belongsToPayment: return .payment(reportedAnomalies.map { .anomalyRaised($0) })
        case .unplaced: return .tenant(reportedAnomalies.map { .anomalyRaised($0) })
        }
    }

    /// The problem if the document does not name the merchant and terminal that its sender is bound to, in itself or
    /// beside it, or names others as well.
    func breach(of binding: SenderBinding) -> IntakeProblem? {
        guard !binding.isEmpty else { return nil }
        var named = NamedParties()
        named.add(received.vendor.rawValue, as: .vendor)
        named.add(received.merchant, as: .merchant)
        named.add(received.terminal, as: .terminal)
        let facts: [any LedgerEvent] =
            switch placement {
            case .payment(let facts): facts
            case .batch(_, let facts): facts
            case .reader(_, let facts): facts
            case .checkout(_, let facts): facts
            case .tenant(let facts): facts
            }
        for fact in facts { if let data = try? fact.data() { named.add(data) } }
        return binding.breach(by: named, requiring: [.merchant, .terminal]).map { subject in
            .keyBound(subject, at: subject == .vendor ? nil : "/\(subject.rawValue)")
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
    /// The observation with evidence of at most this rank.
    func limited(to limit: Evidence) -> Observation {
        var limited = self
        switch subject {
        case .transaction(let facts): limited.subject = .transaction(facts.map { $0.limited(to: limit) })
        case .batch(let batch, let facts): limited.subject = .batch(batch, facts.map { $0.limited(to: limit) })
        case .device, .checkout, .unplaced: break
        }
        limited.ifAsked = ifAsked.mapValues { facts in facts.map { $0.limited(to: limit) } }
        return limited
    }

    /// True for a report of a reader, a terminal or the SDK that moves no money.
    fileprivate var isReport: Bool {
        if case .device = subject { true } else { false }
    }

    /// The anomalies of an observation that is not about a payment or a batch.
    fileprivate var reportedAnomalies: [Anomaly] {
        switch subject {
        case .device(_, _, let anomalies), .checkout(_, _, let anomalies), .unplaced(let anomalies): anomalies
        case .transaction, .batch: []
        }
    }
}

/// A reader as the sender names it.
private struct NamedReader {
    var reader: ReaderReference
    /// True if the name may be any name of the reader, and not only its serial number.
    var isAnyName: Bool
}

extension DeviceEvent {
    /// The report with the sender's name for the reader, which is another name of the one that the document has.
    fileprivate func named(by named: NamedReader?) -> DeviceEvent {
        guard let named, named.isAnyName, report.names == nil, report.reader != named.reader else { return self }
        var event = self
        event.report.names = ReaderNames(serial: report.reader?.serial, name: named.reader.serial)
        return event
    }
}

extension TransactionEvent {
    /// A reader's report, with the reader's name added if the document has none.
    fileprivate func reported(by named: NamedReader?) -> TransactionEvent {
        guard case .device(var event) = self, let named else { return self }
        event = event.named(by: named)
        event.report.reader = event.report.reader ?? named.reader
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
