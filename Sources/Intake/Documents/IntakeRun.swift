import Canonical
import EventLog
import Payments
import Vendors

/// Records the documents of one request: as many as possible with one append, in their order.
struct IntakeRun {
    typealias Outcome = Result<IntakeAnswer, IntakeProblem>

    /// What waits to be appended.
    private struct Pending {
        enum Subject {
            case payment(PreparedDocument, [TransactionEvent], PaymentWindow.Decided)
            case refusal(IntakeProblem)
        }

        let index: Int
        let item: AppendItem
        let subject: Subject
    }

    private let recorder: TransactionRecorder
    private let sender: Sender
    private var window: PaymentWindow
    private var pending: [Pending] = []
    private var outcomes: [Outcome?] = []

    init(_ recorder: TransactionRecorder, _ sender: Sender) {
        self.recorder = recorder
        self.sender = sender
        window = PaymentWindow(recorder, sender)
    }

    /// Records what can be recorded of these, and the traces of the others.
    ///
    /// - Returns: One outcome for each.
    consuming func take(_ records: [Result<PreparedDocument, RefusedDocument>]) async -> [Outcome] {
        outcomes = Array(repeating: nil, count: records.count)
        let payments = records.compactMap { record -> (PreparedDocument, [TransactionEvent])? in
            guard case .success(let document) = record,
                case .transaction(let facts) = document.observation.subject
            else { return nil }
            return (document, facts)
        }
        // What cannot be read ahead is read, or fails, when its turn comes.
        try? await recorder.recall(payments, of: sender.tenant)
        for (index, reading) in records.enumerated() {
            switch reading {
            case .failure(let refused): outcomes[index] = add(refused, index)
            case .success(let document):
                switch document.observation.subject {
                case .transaction(let facts): await add(document, facts, index)
                case .batch(let batch, let facts):
                    await flush()
                    outcomes[index] = await record(document, batch, facts)
                }
            }
        }
        await flush()
        return outcomes.map { $0 ?? .failure(IntakeProblem(appending: AppendError(.refused))) }
    }

    private mutating func add(_ document: PreparedDocument, _ facts: [TransactionEvent], _ index: Int) async {
        do {
            var decision = try window.decide(document, facts)
            if case .waits = decision {
                await flush()
                decision = try window.decide(document, facts)
            }
            if case .item(let item, let decided) = decision {
                pending.append(Pending(index: index, item: item, subject: .payment(document, facts, decided)))
            } else {
                await flush()
                outcomes[index] = await record(document, facts)
            }
        } catch {
            outcomes[index] = .failure(IntakeProblem(appending: error))
        }
    }

    private mutating func add(_ refused: RefusedDocument, _ index: Int) -> Outcome? {
        do {
            let item = AppendItem(
                tenant: sender.tenant,
                stream: StreamName.tenant(sender.tenant),
                expected: .any,
                idempotency: [refused.trace.identity],
                events: try recorder.proposed(
                    [TenantEvent.intakeRefused(refused.trace.refusal)],
                    occurredAt: recorder.clock.now(),
                    sender: sender,
                    hasDocument: false
                )
            )
            pending.append(Pending(index: index, item: item, subject: .refusal(refused.problem)))
            return nil
        } catch {
            return .failure(IntakeProblem(appending: error))
        }
    }

    /// Appends what was decided, and decides again from the log where that did not come true.
    private mutating func flush() async {
        guard !pending.isEmpty else { return }
        let results = await recorder.sequencer.append(pending.map(\.item))
        window.clear()
        for (pending, result) in zip(pending, results) {
            switch pending.subject {
            case .refusal(let problem): outcomes[pending.index] = .failure(traced(problem, result))
            case .payment(let document, let facts, let decided):
                outcomes[pending.index] = await settle(document, facts, decided, result)
            }
        }
        pending.removeAll(keepingCapacity: true)
    }

    private func traced(_ problem: IntakeProblem, _ result: Result<AppendResult, AppendError>) -> IntakeProblem {
        switch result {
        case .success(.appended(let range)), .success(.duplicate(let range)):
            var problem = problem
            problem.tracePosition = range.firstPosition
            return problem
        case .success: return problem
        // Without a trace the document must not be called refused for good: the sender has to keep it.
        case .failure(let error): return IntakeProblem(appending: error)
        }
    }

    private func settle(
        _ document: PreparedDocument,
        _ facts: [TransactionEvent],
        _ decided: PaymentWindow.Decided,
        _ result: Result<AppendResult, AppendError>
    ) async -> Outcome {
        switch result {
        case .success(.appended(let range)):
            recorder.memory.learn(decided.payment, on: decided.stream, keys: decided.keys, of: sender.tenant)
            return .success(IntakeAnswer(range, decided, redactions: document.received.redactions))
        case .success(.conflict), .success(.claimed):
            recorder.memory.forget(decided.stream, sender.tenant)
            return await record(document, facts)
        case .success(let result): return await answer(result, document)
        case .failure(let error):
            recorder.memory.forget(decided.stream, sender.tenant)
            return .failure(IntakeProblem(appending: error))
        }
    }

    // MARK: From the log

    /// Decides about a payment from what is in the log.
    private func record(_ document: PreparedDocument, _ facts: [TransactionEvent]) async -> Outcome {
        do {
            let known = try await named(document)
            let result = try await recorder.record(
                facts,
                from: document.received,
                stream: known,
                keys: document.keys(isNamed: known != nil),
                idempotency: document.idempotency,
                policy: document.observation.policy,
                occurredAt: document.occurredAt,
                sender: sender
            )
            return await answer(result, document)
        } catch {
            return .failure(IntakeProblem(appending: error))
        }
    }

    private func record(_ document: PreparedDocument, _ batch: BatchReference, _ facts: [BatchEvent]) async -> Outcome {
        do {
            let result = try await recorder.record(
                facts,
                about: batch,
                from: document.received,
                idempotency: document.idempotency,
                occurredAt: document.occurredAt,
                sender: sender
            )
            return await answer(result, document)
        } catch {
            return .failure(IntakeProblem(appending: error))
        }
    }

    /// The stream the app's reference names, if there is one.
    private func named(_ document: PreparedDocument) async throws -> String? {
        guard let stream = document.namedStream else { return nil }
        return try await recorder.reader.stream(stream, of: sender.tenant, limit: 1).isEmpty ? nil : stream
    }

    /// What the sender is told, read back from the log, so that a repeat is told the same.
    private func answer(_ result: AppendResult, _ document: PreparedDocument) async -> Outcome {
        do {
            switch result {
            case .appended(let range):
                return .success(try IntakeAnswer(range, try await recorder.reader.range(range), isReplay: false))
            case .duplicate(let range): return try await RepeatedRequest(recorder, sender).answer(range, document)
            case .mismatch: return .failure(.idempotencyMismatch)
            case .claimed, .conflict:
                return .failure(
                    IntakeProblem(.overloaded, "Too many requests about one payment at once. Send it again.")
                )
            }
        } catch {
            // The facts are durable; only their echo failed. A repeat of the request gives the answer.
            return .failure(
                IntakeProblem(.outcomeUnknown, "The record may be in the log. Send it again to learn its fate.")
            )
        }
    }
}

extension IntakeAnswer {
    /// The answer to a record that was just appended.
    fileprivate init(_ range: AppendedRange, _ decided: PaymentWindow.Decided, redactions: [RedactionNote]) {
        self.init(
            stream: decided.stream,
            positions: range.positions,
            types: decided.events.map(\.type),
            redactions: redactions,
            anomalies: decided.events.compactMap { event in
                if case .anomalyRaised(let anomaly) = event { anomaly } else { nil }
            },
            isReplay: false
        )
    }
}
