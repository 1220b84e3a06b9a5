import Canonical
import EventLog
import Payments
import Redaction

/// A record that may be appended.
struct PreparedEvents {
    let record: EventRecord
    /// The events about a payment; empty for other streams.
    let facts: [TransactionEvent]
    /// The statement lines that the events name, with the index of the event.
    let statementLines: [(event: Int, line: UUID128)]
    /// The times at which an event states to have occurred and cannot have, each once.
    let timeFlags: [(anomaly: Anomaly, at: Timestamp)]
    private let isFolded: Bool
    private let events: [ProposedEvent]
    private let idempotency: [IdempotencyKey]
    private let redactions: [RedactionNote]
    private let sender: Sender

    /// - Throws: `IntakeProblem` when an event is not allowed on the record's stream.
    init(
        _ record: EventRecord,
        _ allowsEvidence: Bool,
        sender: Sender,
        ids: any UUIDGenerator,
        now: Timestamp,
        _ scrubber: RecordScrubber
    ) throws(IntakeProblem) {
        var redactions: [RedactionNote] = []
        var scrubbed: [JSONValue] = []
        scrubbed.reserveCapacity(record.events.count)
        for (index, event) in record.events.enumerated() {
            let data = scrubber.scrub(data: event.data, ofType: event.type)
            redactions += data.redactions.map {
                RedactionNote(path: "/events/\(index)/data\($0.path)", rule: $0.rule, action: $0.action)
            }
            scrubbed.append(data.value)
        }
        let accepted = try StreamRules.accepted(
            record,
            data: scrubbed,
            allowingEvidence: allowsEvidence,
            tenant: sender.tenant
        )
        var key = record.idempotencyKey
        // Its digest would be kept forever, and can be reversed by trying all numbers.
        if let text = key, TextScrubber().scrub(text).text != text {
            key = nil
            redactions.append(RedactionNote(path: "/idempotencyKey", rule: "pan", action: "dropped"))
        }
        self.record = record
        self.redactions = redactions
        self.sender = sender
        isFolded = accepted.isFolded
        facts = accepted.facts
        statementLines = accepted.facts.enumerated().compactMap { index, fact in
            fact.statementLine.map { (event: index, line: $0) }
        }
        timeFlags = accepted.isFolded ? Self.flags(record.events.map(\.occurredAt), now) : []
        idempotency = Self.identity(record, key: key, accepted.data).map { [$0] } ?? []
        events = zip(record.events, accepted.data).map { event, data in
            ProposedEvent(
                id: event.id ?? ids.next(),
                type: event.type,
                schema: event.schema,
                occurredAt: event.occurredAt,
                actor: sender.actor,
                correlation: sender.correlation,
                data: data.text
            )
        }
    }

    /// Whether the record is about a payment, so that it is judged by the payment's history.
    var isAboutPayment: Bool { !facts.isEmpty }

    var stream: TenantName { TenantName(tenant: sender.tenant, name: record.stream) }

    /// The problem if the events name something else than their sender is bound to. A payment must name the merchant
    /// and the terminal, in the events or before them; other streams need not.
    ///
    /// - Parameter state: The payment before the events.
    func breach(_ state: TransactionState? = nil) -> IntakeProblem? {
        guard !sender.binding.isEmpty, isFolded else { return nil }
        var named = NamedParties()
        if let state { named.add(state) }
        if let reader = StreamName.readerReference(record.stream) { named.add(reader.vendor.rawValue, as: .vendor) }
        for (index, event) in events.enumerated() {
            guard let data = try? JSONValue(parsing: event.data) else { continue }
            named.add(data)
            if let subject = sender.binding.breach(by: named) { return .keyBound(subject, at: "/events/\(index)/data") }
        }
        let required: Set<SenderBinding.Subject> = isAboutPayment ? [.merchant, .terminal] : []
        return sender.binding.breach(by: named, requiring: required).map { .keyBound($0, at: "/stream") }
    }

    /// The record and the findings about it.
    ///
    /// - Parameters:
    ///   - findings: Appended after the sender's events.
    ///   - limit: The version that the stream must not exceed.
    /// - Throws: The errors of encoding an event.
    func item(
        _ expected: AppendItem.Expectation,
        _ findings: [TransactionEvent],
        ids: any UUIDGenerator,
        limit: Int64? = nil,
        isFromMemory: Bool = false
    ) throws -> AppendItem {
        let last = record.events.last?.occurredAt ?? .earliest
        let found = try findings.map { finding in
            // The anomaly about a time has this time: so its lines of money are found (`ImplausibleTimes`).
            let flag = timeFlags.first { .anomalyRaised($0.anomaly) == finding }
            return try ProposedEvent(finding, id: ids.next(), at: flag?.at ?? last, by: sender)
        }
        return AppendItem(
            tenant: sender.tenant,
            stream: record.stream,
            expected: expected,
            idempotency: idempotency,
            events: found.isEmpty ? events : events + found,
            isFromMemory: isFromMemory,
            versionLimit: limit
        )
    }

    private static func flags(_ times: [Timestamp], _ now: Timestamp) -> [(anomaly: Anomaly, at: Timestamp)] {
        var flagged: Set<Timestamp> = []
        return times.compactMap { time in
            guard let anomaly = PlausibleTime.anomaly(of: .instant(time), now: now), flagged.insert(time).inserted
            else {
                return nil
            }
            return (anomaly, time)
        }
    }

    /// The key by which a repeat is recognised: the sender's key, else the ids of the events if each has one. A record
    /// with neither is appended as often as it is sent.
    private static func identity(_ record: EventRecord, key: String?, _ data: [JSONValue]) -> IdempotencyKey? {
        let name: [UInt8]
        if let key {
            name = digest(["key", key])
        } else {
            let ids = record.events.compactMap(\.id)
            guard ids.count == record.events.count else { return nil }
            name = digest(["events", record.stream] + ids.map(\.description))
        }
        var request: [String?] = ["events", record.stream, record.expectedVersion.map(String.init)]
        for (event, data) in zip(record.events, data) {
            request += [
                event.id?.description, event.type, String(event.schema), event.occurredAt.rfc3339, data.sortedText,
            ]
        }
        return IdempotencyKey(key: name, request: digest(request))
    }

    /// The answer to the sender. A repeat gets the same: only the positions come from the log.
    func answer(_ result: Result<AppendResult, AppendError>) -> Result<EventAnswer, IntakeProblem> {
        switch result {
        case .success(.appended(let range)): .success(answer(range, isDuplicate: false))
        case .success(.duplicate(let range)): .success(answer(range, isDuplicate: true))
        case .success(.mismatch): .failure(.idempotencyMismatch)
        case .success(.conflict(let actual)): .failure(.versionConflict(actual: actual))
        case .success(.claimed): .failure(IntakeProblem(appending: AppendError(.refused)))
        case .failure(let error): .failure(IntakeProblem(appending: error))
        }
    }

    private func answer(_ range: AppendedRange, isDuplicate: Bool) -> EventAnswer {
        EventAnswer(
            stream: record.stream,
            positions: Array(range.positions.prefix(events.count)),
            redactions: redactions,
            isDuplicate: isDuplicate
        )
    }
}

extension TransactionEvent {
    /// The statement line that the event names as its evidence.
    fileprivate var statementLine: UUID128? {
        switch self {
        case .outcomeResolved(let resolution): resolution.statementLine
        case .captureReversed(let fact), .voided(let fact), .reversed(let fact), .refunded(let fact),
            .refundVoided(let fact), .chargedBack(let fact), .chargebackReversed(let fact):
            fact.statementLine
        default: nil
        }
    }
}
