import Canonical
import Payments
import Redaction
import Vendors

@testable import Projections

/// A case of `Tests/DaybookAPITests/DocumentCases`, folded without a ledger. What only a ledger has (replays, searches,
/// the log) has no value here.
struct FoldedCase {
    let documents: [JSONValue]
    private let expectations: [JSONValue]
    private let adapter: any VendorAdapter

    init(_ file: JSONValue, of adapter: any VendorAdapter) {
        documents = file["documents"]?.array ?? []
        expectations = file["expect"]?.array ?? []
        self.adapter = adapter
    }

    /// The values that the expectations name, in their order, after other documents.
    ///
    /// - Throws: The errors of encoding.
    func values(after documents: [JSONValue]) throws -> [String] {
        var ledger = FoldedDocuments(adapter)
        for document in documents { ledger.take(document) }
        let views = try ledger.views()
        return expectations.map { views.value($0) }
    }
}

/// Documents, folded by payment, reader, checkout and batch.
private struct FoldedDocuments {
    struct Payment {
        var reference: String?
        var keys: Set<ReferenceKey>
        var events: [TransactionEvent] = []
    }

    private let adapter: any VendorAdapter
    private var payments: [Payment] = []
    private var readers: [ReaderReference: ReaderView] = [:]
    private var checkouts: [String: CheckoutView] = [:]
    private var batches: [BatchReference: [BatchEvent]] = [:]
    private var anomalies: [String] = []
    private var refusals: [String] = []

    init(_ adapter: any VendorAdapter) { self.adapter = adapter }

    mutating func take(_ record: JSONValue) {
        guard let kind = record["kind"]?.string, let body = record["body"] else { return }
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        let context = DocumentContext(
            merchant: record["merchant"]?.string,
            terminal: record["terminal"]?.string,
            device: record["device"]?.string,
            namesPayment: record["transaction"] != nil
        )
        let observation: Observation
        do {
            observation = try adapter.interpret(document, kind: kind, context: context)
        } catch {
            return refusals.append(error.code.rawValue)
        }
        let isOfPayment = context.namesPayment || !observation.keys.isEmpty
        var raised: [Anomaly] = []
        switch observation.subject {
        case .transaction(let events): add(events, observation, record)
        case .device(let reader, let events, let found):
            for event in events { fold(event, reader, context) }
            raised = found
            if isOfPayment { add(events.map { .device($0) }, observation, record) }
        case .checkout(let checkout, let events, let found):
            raised = found
            var view =
                checkouts[checkout.digest]
                ?? CheckoutView(checkout.digest, vendor: adapter.vendor, at: .earliest, position: 1)
            for event in events { view.fold(event, of: nil, at: .earliest, position: 1) }
            checkouts[checkout.digest] = view
        case .batch(let batch, let events): batches[batch, default: []] += events
        case .unplaced(let found): raised = found
        }
        if isOfPayment, !raised.isEmpty {
            add(raised.map { .anomalyRaised($0) }, observation, record)
        } else {
            anomalies += raised.map(\.kind.rawValue)
        }
    }

    private mutating func add(_ events: [TransactionEvent], _ observation: Observation, _ record: JSONValue) {
        let reference = record["transaction"]?.string
        let keys = Set(observation.keys)
        let known = payments.firstIndex { payment in
            reference != nil && payment.reference == reference || !payment.keys.isDisjoint(with: keys)
        }
        if known == nil { payments.append(Payment(reference: reference, keys: keys)) }
        let index = known ?? payments.count - 1
        payments[index].keys.formUnion(keys)
        let received = DocumentReceived(
            vendor: adapter.vendor,
            kind: record["kind"]?.string ?? "",
            document: .null,
            redactions: [],
            merchant: record["merchant"]?.string,
            terminal: record["terminal"]?.string,
            device: record["device"]?.string,
            reference: reference,
            isTest: observation.isTest
        )
        let history = payments[index].events
        let answered = TransactionState(folding: history).answer(events, ifAsked: observation.ifAsked)
        let facts = answered.map { $0.limited(to: .relayed) }
        payments[index].events += Lifecycle.decide(
            [.documentReceived(received)] + facts,
            after: history,
            policy: observation.policy
        )
        for case .checkout(let event) in events {
            let digest = event.report.checkout.digest
            var view =
                checkouts[digest] ?? CheckoutView(digest, vendor: adapter.vendor, at: .earliest, position: 1)
            view.fold(event, of: nil, at: .earliest, position: 1)
            checkouts[digest] = view
        }
        for case .device(let event) in events where !isDevice(observation) {
            fold(event, event.report.reader, DocumentContext(terminal: record["terminal"]?.string))
        }
    }

    private func isDevice(_ observation: Observation) -> Bool {
        if case .device = observation.subject { true } else { false }
    }

    private mutating func fold(_ event: DeviceEvent, _ reader: ReaderReference?, _ context: DocumentContext) {
        let name = context.device.map(adapter.serial(ofDevice:)) ?? context.terminal ?? ReaderReference.unidentified
        let reader =
            event.report.reader ?? reader ?? ReaderReference(vendor: adapter.vendor, serial: name)
        var view = readers[reader] ?? ReaderView(reader, at: .earliest, position: 1)
        view.fold(event, of: nil, isOpen: false, at: .earliest, position: 1)
        readers[reader] = view
    }

    /// - Throws: The errors of encoding.
    func views() throws -> FoldedViews {
        var views = FoldedViews(refusals: refusals, anomalies: anomalies)
        for payment in payments {
            let state = TransactionState(folding: payment.events)
            let id = UUID128(high: 0, low: 1)
            let view = TransactionView(
                id: id,
                state: state,
                firstPosition: 1,
                lastPosition: 1,
                occurredAt: .earliest,
                recordedAt: .earliest
            )
            let receipt = Receipt(state, transaction: id, firstSeen: .earliest)
            views.payments.append(
                FoldedViews.Payment(
                    reference: payment.reference,
                    names: payment.keys.map(\.text).sorted(),
                    state: state,
                    view: try JSONValue(parsing: view.json.text),
                    receipt: try JSONValue(parsing: receipt.json.text),
                    printed: ReceiptText.render(receipt, copy: .merchant),
                    events: try payment.events.map { event in
                        try JSONValue.object(["type": .string(event.type), "data": event.data()])
                    }
                )
            )
        }
        views.readers = try readers.values.map { try $0.jsonValue() }.sorted { $0.text < $1.text }
        views.checkouts = try checkouts.values.map { try $0.jsonValue() }.sorted { $0.text < $1.text }
        views.batches = try batches.values.map { try BatchState(folding: $0).jsonValue() }
            .sorted { $0.text < $1.text }
        return views
    }
}
