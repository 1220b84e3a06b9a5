import Canonical
import EventLog
import Payments
import Redaction
package import Vendors

/// Ingests vendor documents: scrub, interpret, find the payment, decide, append.
package struct DocumentIntake: Sendable {
    private let adapters: [Vendor: any VendorAdapter]
    private let recorder: TransactionRecorder
    private let queue: IntakeQueue
    private let scrubber: RecordScrubber

    package init(
        adapters: [any VendorAdapter],
        recorder: TransactionRecorder,
        limits: IntakeLimits = IntakeLimits()
    ) {
        self.adapters = Dictionary(uniqueKeysWithValues: adapters.map { ($0.vendor, $0) })
        self.recorder = recorder
        queue = IntakeQueue(recorder, limits: limits)
        scrubber = RecordScrubber(adapters)
    }

    /// Records several documents, and returns when each is durable or refused. Documents about one payment are recorded
    /// in their order, as if each had been sent separately.
    ///
    /// - Parameters:
    ///   - records: The JSON text of one `IntakeRecord` each; nil for a record longer than `limit`, which is refused.
    ///   - limit: The maximum length of a record in bytes, for the refusal.
    ///   - vendor: As named by the sender; not trusted.
    ///   - idempotencyKey: From the request's header; a record's own key takes precedence.
    /// - Returns: One outcome for each record, in their order. The trace of a refused document is recorded before this
    ///   returns.
    package func submit(
        _ records: [[UInt8]?],
        limit: Int,
        vendor: String,
        idempotencyKey: String? = nil,
        sender: Sender
    ) async -> [Result<IntakeAnswer, IntakeProblem>] {
        let submitted = records.map { record in
            SubmittedRecord(
                sender: sender,
                reading: record.map { read($0, vendor: vendor, idempotencyKey: idempotencyKey, sender) }
                    ?? .failure(oversized(vendor: vendor, limit: limit, sender: sender))
            )
        }
        return await IntakeRun.take(submitted, recorder)
    }

    /// Records one document, together with those other senders submit meanwhile. Otherwise like the other `submit`;
    /// needs `run()`.
    ///
    /// A cancelled caller gets `outcomeUnknown` at once, and the record is still appended.
    ///
    /// - Throws: `IntakeProblem`.
    package func submit(
        _ bytes: [UInt8],
        vendor: String,
        idempotencyKey: String? = nil,
        sender: Sender
    ) async throws(IntakeProblem) -> IntakeAnswer {
        let reading = read(bytes, vendor: vendor, idempotencyKey: idempotencyKey, sender)
        let record = SubmittedRecord(sender: sender, reading: reading)
        return try await queue.take(record, byteCount: bytes.count).get()
    }

    /// Ingests single records until `close()`, then finishes those already accepted.
    package func run() async { await queue.run() }

    /// The number of single records that wait for the current window to end.
    package var waiting: Int { get async { await queue.depth } }

    /// Refuses further single records; `run()` returns when the accepted ones are done.
    package func close() async { await queue.close() }

    /// Records that a document was too large to be read. Nothing of it is kept: a document that was not read completely
    /// cannot be scrubbed.
    ///
    /// - Returns: The answer, with the position of the trace; or why the trace could not be recorded.
    package func refuseOversized(vendor: String, limit: Int, sender: Sender) async -> IntakeProblem {
        let results = await submit([nil], limit: limit, vendor: vendor, sender: sender)
        if case .failure(let problem)? = results.first { return problem }
        return IntakeProblem(appending: AppendError(.refused))
    }

    private func oversized(vendor: String, limit: Int, sender: Sender) -> RefusedDocument {
        guard sender.binding.allows(vendor: vendor) else {
            return RefusedDocument(forbidden: .keyBound(.vendor, at: nil))
        }
        return RefusedDocument(
            IntakeProblem(.tooLarge, "The record is larger than \(limit) bytes."),
            .unread,
            vendor: vendor,
            occurrence: sender.correlation
        )
    }

    /// Reads, scrubs and interprets a record.
    private func read(
        _ bytes: [UInt8],
        vendor: String,
        idempotencyKey: String?,
        _ sender: Sender
    ) -> Result<PreparedDocument, RefusedDocument> {
        guard sender.binding.allows(vendor: vendor) else {
            return .failure(RefusedDocument(forbidden: .keyBound(.vendor, at: nil)))
        }
        let adapter = Vendor(rawValue: vendor).flatMap { adapters[$0] }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            let detail = "The body is not JSON: \(error.code.rawValue) at byte \(error.offset)."
            let problem = IntakeProblem(.malformedJSON, detail)
            return .failure(RefusedDocument(problem, scrubber.scrub(unreadable: bytes), vendor: vendor))
        }
        guard let adapter else {
            let supported = adapters.keys.map(\.rawValue).sorted().joined(separator: ", ")
            let problem = IntakeProblem(.unknownVendor, "There is no such vendor. Known vendors: \(supported).")
            return .failure(RefusedDocument(problem, scrubber.scrub(refused: json, of: nil), vendor: vendor))
        }
        var record: IntakeRecord
        do {
            record = try IntakeRecord(json)
        } catch {
            return .failure(RefusedDocument(error, scrubber.scrub(refused: json, of: adapter), vendor: vendor))
        }
        record.idempotencyKey = record.idempotencyKey ?? idempotencyKey
        let reading = read(record, json: json, adapter, sender)
        if case .success(let document) = reading, let problem = document.breach(of: sender.binding) {
            return .failure(RefusedDocument(forbidden: problem))
        }
        return reading
    }

    private func read(
        _ record: IntakeRecord,
        json: JSONValue,
        _ adapter: any VendorAdapter,
        _ sender: Sender
    ) -> Result<PreparedDocument, RefusedDocument> {
        let isKnown = adapter.kinds.contains(record.kind)
        let schema =
            isKnown ? adapter.redactionSchema(for: record.kind) : scrubber.schema(for: record.kind, of: adapter)
        let document = Scrubber(schema: schema).scrub(UnscrubbedDocument(record.body))
        let beside = ScrubbedContext(record)
        do throws(Refusal) {
            let observation =
                isKnown
                ? try adapter.interpret(document, kind: record.kind, context: beside.context)
                : Observation(unknownKindOf: adapter)
            return .success(
                PreparedDocument(
                    document,
                    observation,
                    record,
                    beside,
                    adapter: adapter,
                    now: recorder.clock.now(),
                    isVouched: sender.vouches
                )
            )
        } catch {
            let problem = IntakeProblem(
                .refused(error.code),
                error.detail,
                pointer: error.pointer.map { "/body\($0)" }
            )
            return .failure(
                RefusedDocument(
                    problem,
                    scrubber.scrub(json, with: document),
                    vendor: adapter.vendor.rawValue,
                    kind: record.kind
                )
            )
        }
    }
}

extension Observation {
    /// A document of a kind the adapter does not know: it is kept, with an anomaly.
    fileprivate init(unknownKindOf adapter: any VendorAdapter) {
        let anomaly = Anomaly(.unknownKind, "\(adapter.vendor.rawValue) has no such kind of document")
        self.init(
            subject: .unplaced([anomaly]),
            keys: [],
            identity: nil,
            occurredAt: nil,
            policy: LifecyclePolicy()
        )
    }
}

extension IntakeProblem {
    package init(appending error: any Error) {
        if let problem = error as? IntakeProblem {
            self = problem
            return
        }
        guard let error = error as? AppendError else {
            self.init(.unavailable, "The ledger cannot be read at the moment. Nothing was recorded.")
            return
        }
        switch error.code {
        case .queueFull: self.init(.overloaded, "Too much is waiting to be recorded. Nothing was recorded.")
        case .shuttingDown: self.init(.unavailable, "The ledger is shutting down. Nothing was recorded.")
        case .refused, .notCanonical: self.init(.unavailable, "The database refused the record. Nothing was recorded.")
        case .itemTooLarge: self.init(.tooLarge, "The record is too large to be appended.")
        case .logUnproven:
            self.init(
                .logUnproven,
                "The log has not been compared with what is known of it. Nothing was recorded; `/readyz` or "
                    + "`daybook doctor` shows why."
            )
        case .logContradicted:
            self.init(
                .logContradicted,
                "The log lacks or contradicts events that are known of it. Nothing was recorded; `daybook doctor` shows "
                    + "what an operator has to do."
            )
        case .clockAhead:
            self.init(
                .clockAhead,
                "The clock of the service is more than 5 seconds ahead of the clock of the database. Nothing was recorded."
            )
        case .notDurable:
            self.init(
                .notDurable,
                "The setting synchronous_commit is neither on nor remote_apply. Nothing was recorded."
            )
        case .streamFull:
            self.init(
                .streamFull,
                "The payment or batch has the largest number of events. Nothing was recorded."
            )
        case .outcomeUnknown:
            self.init(.outcomeUnknown, "The record may be in the log. Send it again to learn its outcome.")
        }
    }
}
