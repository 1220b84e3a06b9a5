package import Canonical
package import EventLog
import Payments
import Redaction
package import Vendors

/// Appends events in the ledger's own form: read, scrub, check, append.
///
/// They are recorded as received. Nothing is concluded from them here: a sender that reports captures and batches
/// directly also judges them, and the read models fold whatever the streams hold. Only an implausible time is flagged,
/// by an anomaly after the record's events.
package struct EventIntake: Sendable {
    private let sequencer: Sequencer
    private let ids: any UUIDGenerator
    private let clock: any WallClock
    private let scrubber: RecordScrubber

    /// - Parameter adapters: The vendors whose documents may be recorded.
    package init(
        sequencer: Sequencer,
        ids: any UUIDGenerator,
        clock: any WallClock,
        adapters: [any VendorAdapter]
    ) {
        self.sequencer = sequencer
        self.ids = ids
        self.clock = clock
        scrubber = RecordScrubber(adapters)
    }

    /// Appends records, and returns when each is durable or refused. They reach the log in their order.
    ///
    /// - Parameters:
    ///   - records: Each the JSON form of an `EventRecord`.
    ///   - idempotencyKey: From the request's header; a record's own key takes precedence.
    ///   - allowsEvidence: Whether the sender may report evidence of a gateway or of settlement.
    /// - Returns: One outcome for each record.
    package func submit(
        _ records: [[UInt8]],
        idempotencyKey: String? = nil,
        allowingEvidence allowsEvidence: Bool,
        sender: Sender
    ) async -> [Result<EventAnswer, IntakeProblem>] {
        var prepared: [Result<PreparedEvents, IntakeProblem>] = []
        prepared.reserveCapacity(records.count)
        var items: [AppendItem] = []
        items.reserveCapacity(records.count)
        for record in records {
            let result = prepare(record, idempotencyKey, allowsEvidence, sender)
            if case .success(let one) = result { items.append(one.item) }
            prepared.append(result)
        }
        var results = await sequencer.append(items).makeIterator()
        return prepared.map { record in
            record.flatMap { record in
                results.next().map { record.answer($0) } ?? .failure(IntakeProblem(appending: AppendError(.refused)))
            }
        }
    }

    private func prepare(
        _ bytes: [UInt8],
        _ key: String?,
        _ allowsEvidence: Bool,
        _ sender: Sender
    ) -> Result<PreparedEvents, IntakeProblem> {
        do throws(IntakeProblem) {
            let json: JSONValue
            do {
                json = try JSONValue(parsing: bytes)
            } catch {
                let detail = "The record is not JSON: \(error.code.rawValue) at byte \(error.offset)."
                throw IntakeProblem(.malformedJSON, detail)
            }
            var record = try EventRecord(json)
            record.idempotencyKey = record.idempotencyKey ?? key
            return .success(
                try PreparedEvents(record, allowsEvidence, sender: sender, ids: ids, now: clock.now(), scrubber)
            )
        } catch {
            return .failure(error)
        }
    }
}

/// A record that may be appended.
struct PreparedEvents {
    let item: AppendItem
    private let redactions: [RedactionNote]
    /// The number of events that the sender sent; an anomaly may follow them.
    private let count: Int

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
        let stored = try StreamRules.stored(
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
        self.redactions = redactions
        count = record.events.count
        let flags = try Self.flags(record, sender, ids, now)
        item = AppendItem(
            tenant: sender.tenant,
            stream: record.stream,
            expected: record.expectedVersion.map { .version($0) } ?? .any,
            idempotency: Self.identity(record, key: key, stored).map { [$0] } ?? [],
            events: zip(record.events, stored).map { event, data in
                ProposedEvent(
                    id: event.id ?? ids.next(),
                    type: event.type,
                    schema: event.schema,
                    occurredAt: event.occurredAt,
                    actor: sender.actor,
                    correlation: sender.correlation,
                    data: data.text
                )
            } + flags
        )
    }

    /// One anomaly for a record on a stream of the ledger with an implausible time.
    private static func flags(
        _ record: EventRecord,
        _ sender: Sender,
        _ ids: any UUIDGenerator,
        _ now: Timestamp
    ) throws(IntakeProblem) -> [ProposedEvent] {
        guard StreamRules.isFolded(record.stream) else { return [] }
        for event in record.events {
            guard let anomaly = PlausibleTime.anomaly(of: event.occurredAt, now: now) else { continue }
            do {
                return [
                    try ProposedEvent(
                        TransactionEvent.anomalyRaised(anomaly),
                        id: ids.next(),
                        at: event.occurredAt,
                        by: sender
                    )
                ]
            } catch {
                throw IntakeProblem(appending: AppendError(.refused))
            }
        }
        return []
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
            stream: item.stream,
            positions: Array(range.positions.prefix(count)),
            redactions: redactions,
            isDuplicate: isDuplicate
        )
    }
}

extension IntakeProblem {
    package static let idempotencyMismatch = IntakeProblem(
        .idempotencyMismatch,
        "This idempotency key was used for another record. Use a new key for a new record."
    )

    package static func versionConflict(actual: Int64) -> IntakeProblem {
        var problem = IntakeProblem(
            .versionConflict,
            "The stream has version \(actual). Read the events appended meanwhile, and decide again.",
            pointer: "/expectedVersion"
        )
        problem.actualVersion = actual
        return problem
    }
}
