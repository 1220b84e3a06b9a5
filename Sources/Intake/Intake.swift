import Canonical
import EventLog
import Payments
package import Vendors

/// Takes vendor documents in: scrub, interpret, find the payment, decide, append.
package struct Intake: Sendable {
    private let adapters: [Vendor: any VendorAdapter]
    private let recorder: TransactionRecorder
    /// For records of which the kind, or even the vendor, is not known.
    private let anySchema: RedactionSchema

    package init(adapters: [any VendorAdapter], recorder: TransactionRecorder) {
        self.adapters = Dictionary(uniqueKeysWithValues: adapters.map { ($0.vendor, $0) })
        self.recorder = recorder
        anySchema = RedactionSchema(anyOf: adapters.flatMap { adapter in adapter.kinds.map(adapter.redactionSchema) })
    }

    /// Takes one record in and answers when it is durable.
    ///
    /// - Parameters:
    ///   - vendor: As named by the sender; not trusted.
    ///   - bytes: The JSON form of an `IntakeRecord`.
    ///   - idempotencyKey: From the request's header; the record's own key wins.
    /// - Throws: `IntakeProblem`. When a document was sent, its trace is recorded before.
    package func submit(
        _ bytes: [UInt8],
        vendor: String,
        idempotencyKey: String? = nil,
        sender: Sender
    ) async throws(IntakeProblem) -> IntakeAnswer {
        let known = Vendor(rawValue: vendor)
        let adapter = known.flatMap { adapters[$0] }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            let detail = "The body is not JSON: \(error.code.rawValue) at byte \(error.offset)."
            let problem = IntakeProblem(.malformedJSON, detail)
            throw await traced(problem, UnscrubbedDocument(unreadable: bytes), vendor: vendor, sender: sender)
        }
        guard let adapter else {
            let supported = adapters.keys.map(\.rawValue).sorted().joined(separator: ", ")
            let problem = IntakeProblem(.unknownVendor, "There is no such vendor. Known are: \(supported).")
            throw await traced(problem, UnscrubbedDocument(json), schema: anySchema, vendor: vendor, sender: sender)
        }
        var record: IntakeRecord
        do {
            record = try IntakeRecord(json)
        } catch {
            throw await traced(error, UnscrubbedDocument(json), schema: anySchema, vendor: vendor, sender: sender)
        }
        record.idempotencyKey = record.idempotencyKey ?? idempotencyKey
        return try await submit(record, json: json, to: adapter, sender: sender)
    }

    private func submit(
        _ record: IntakeRecord,
        json: JSONValue,
        to adapter: any VendorAdapter,
        sender: Sender
    ) async throws(IntakeProblem) -> IntakeAnswer {
        let schema = adapter.redactionSchema(for: record.kind)
        let document = Scrubber(schema: schema).scrub(UnscrubbedDocument(record.body))
        let beside = ScrubbedContext(record)
        let observation: Observation
        do throws(Refusal) {
            guard adapter.kinds.contains(record.kind) else {
                let kinds = adapter.kinds.joined(separator: ", ")
                throw Refusal(.unknownKind, "\(adapter.vendor.rawValue) has no such kind. Known are: \(kinds).")
            }
            observation = try adapter.interpret(document, kind: record.kind, context: beside.context)
        } catch {
            let problem = IntakeProblem(
                .refused(error.code),
                error.detail,
                pointer: error.pointer.map { "/body\($0)" }
            )
            throw await traced(
                problem,
                UnscrubbedDocument(json),
                schema: schema,
                vendor: adapter.vendor.rawValue,
                kind: record.kind,
                sender: sender
            )
        }
        let received = DocumentReceived(
            vendor: adapter.vendor,
            kind: record.kind,
            document: document.value,
            redactions: document.redactions.map { RedactionNote($0, under: "/body") } + beside.redactions,
            merchant: beside.context.merchant,
            terminal: beside.context.terminal,
            device: beside.context.device,
            reference: beside.reference
        )
        let result = try await append(observation, received, record, beside, sender)
        return try await answer(result)
    }

    private func append(
        _ observation: Observation,
        _ received: DocumentReceived,
        _ record: IntakeRecord,
        _ beside: ScrubbedContext,
        _ sender: Sender
    ) async throws(IntakeProblem) -> AppendResult {
        let idempotency = RecordIdentity(
            received: received,
            identity: observation.identity,
            occurredAt: beside.context.occurredAt,
            key: beside.idempotencyKey
        ).keys
        let occurredAt = beside.context.occurredAt ?? observation.occurredAt ?? recorder.clock.now()
        do {
            switch observation.subject {
            case .transaction(let facts):
                let (stream, key) = try await named(beside.reference, sender.tenant)
                return try await recorder.record(
                    facts,
                    from: received,
                    stream: stream,
                    keys: observation.keys + (key.map { [$0] } ?? []),
                    idempotency: idempotency,
                    policy: observation.policy,
                    occurredAt: occurredAt,
                    sender: sender
                )
            case .batch(let batch, let facts):
                return try await recorder.record(
                    facts,
                    about: batch,
                    from: received,
                    idempotency: idempotency,
                    occurredAt: occurredAt,
                    sender: sender
                )
            }
        } catch {
            throw IntakeProblem(appending: error)
        }
    }

    /// What the app's own reference means: a transaction of the ledger, or a name to remember it by.
    private func named(_ reference: String?, _ tenant: String) async throws -> (stream: String?, key: ReferenceKey?) {
        guard let reference else { return (nil, nil) }
        if let id = UUID128(reference) {
            let stream = StreamName.transaction(id)
            if try await !recorder.reader.stream(stream, of: tenant, limit: 1).isEmpty { return (stream, nil) }
        }
        return (nil, ReferenceKey(vendor: nil, scheme: .app, value: reference))
    }

    /// What the sender is told, read back from the log, so that a repeat is told the same.
    private func answer(_ result: AppendResult) async throws(IntakeProblem) -> IntakeAnswer {
        let range: AppendedRange
        let isReplay: Bool
        switch result {
        case .appended(let appended): (range, isReplay) = (appended, false)
        case .duplicate(let earlier): (range, isReplay) = (earlier, true)
        case .mismatch:
            throw .idempotencyMismatch
        case .claimed, .conflict:
            throw IntakeProblem(.overloaded, "Too many requests about one payment at once. Send it again.")
        }
        do {
            return try IntakeAnswer(range, try await recorder.reader.range(range), isReplay: isReplay)
        } catch {
            // The facts are durable; only their echo failed. A repeat of the request gives the answer.
            throw IntakeProblem(.outcomeUnknown, "The record may be in the log. Send it again to learn its fate.")
        }
    }

    /// Records the trace of a refused document.
    private func traced(
        _ problem: IntakeProblem,
        _ document: UnscrubbedDocument,
        schema: RedactionSchema = .none,
        vendor: String,
        kind: String? = nil,
        occurrence: String? = nil,
        sender: Sender
    ) async -> IntakeProblem {
        var problem = problem
        let trace = RefusalTrace(
            problem,
            document,
            schema: schema,
            vendor: vendor,
            kind: kind,
            occurrence: occurrence
        )
        do {
            let event = TenantEvent.intakeRefused(trace.refusal)
            let item = AppendItem(
                tenant: sender.tenant,
                stream: StreamName.tenant(sender.tenant),
                expected: .any,
                idempotency: [trace.identity],
                events: try recorder.proposed(
                    [event],
                    occurredAt: recorder.clock.now(),
                    sender: sender,
                    hasDocument: false
                )
            )
            switch try await recorder.sequencer.append(item) {
            case .appended(let range), .duplicate(let range): problem.tracePosition = range.firstPosition
            case .mismatch, .claimed, .conflict: break
            }
            return problem
        } catch {
            // Without a trace the document must not be called refused for good: the sender has to keep it.
            return IntakeProblem(appending: error)
        }
    }
}

extension IntakeProblem {
    init(appending error: any Error) {
        guard let error = error as? AppendError else {
            self.init(.unavailable, "The ledger cannot be read at the moment. Nothing was recorded.")
            return
        }
        switch error.code {
        case .queueFull: self.init(.overloaded, "Too much is waiting to be recorded. Nothing was recorded.")
        case .shuttingDown: self.init(.unavailable, "The ledger is shutting down. Nothing was recorded.")
        case .refused: self.init(.unavailable, "The database refused the record. Nothing was recorded.")
        case .itemTooLarge: self.init(.tooLarge, "The record is too large to be appended.")
        case .outcomeUnknown:
            self.init(.outcomeUnknown, "The record may be in the log. Send it again to learn its fate.")
        }
    }
}

extension Intake {
    /// Records that a document was too large to be read. Nothing of it is kept: what was not read to its end cannot
    /// be scrubbed.
    ///
    /// - Returns: The answer, with the position of the trace; or why the trace could not be recorded.
    package func refuseOversized(vendor: String, limit: Int, sender: Sender) async -> IntakeProblem {
        let problem = IntakeProblem(.tooLarge, "The record is larger than \(limit) bytes.")
        return await traced(
            problem,
            UnscrubbedDocument(.null),
            vendor: vendor,
            occurrence: sender.correlation,
            sender: sender
        )
    }
}
