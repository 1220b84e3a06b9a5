import Canonical
import EventLog
import Payments

/// A record that was sent, as far as it could be read.
struct SubmittedRecord {
    let sender: Sender
    let reading: Result<PreparedDocument, RefusedDocument>
}

/// Records documents in their order, as many as possible with one append.
struct IntakeRun {
    typealias Outcome = Result<IntakeAnswer, IntakeProblem>

    /// The remaining work for a record that could not be answered from memory.
    enum Rest: Sendable {
        /// Decide from the log.
        case decision
        /// It was judged by the log: build the answer from what the log holds.
        case answer(AppendResult)
    }

    /// The outcome of a record, or what remains to be done for it.
    enum RecordOutcome: Sendable {
        case outcome(Outcome)
        /// To be completed by a `RecordInLog`.
        case rest(Rest)
    }

    /// An item that waits to be appended.
    private struct Pending {
        enum Subject {
            case payment(PreparedDocument, PaymentWindow.Decided)
            /// A report about something that has no state to check it against.
            case report(PreparedDocument)
            case refusal(IntakeProblem)
        }

        let index: Int
        let item: AppendItem
        let subject: Subject
    }

    private let recorder: TransactionRecorder
    /// Whether the rest is left to the senders, because none of the records must be recorded before another.
    private let leavesRest: Bool
    private var records: [SubmittedRecord] = []
    private var window: PaymentWindow
    private var pending: [Pending] = []
    private var fates: [RecordOutcome?] = []

    private init(_ recorder: TransactionRecorder, _ records: [SubmittedRecord], leavesRest: Bool) {
        self.recorder = recorder
        self.leavesRest = leavesRest
        self.records = records
        window = PaymentWindow(recorder)
        fates = Array(repeating: nil, count: records.count)
    }

    /// Records as many of these as possible, and the traces of the others; those about one payment in their order.
    ///
    /// - Returns: One outcome for each.
    static func take(_ records: [SubmittedRecord], _ recorder: TransactionRecorder) async -> [Outcome] {
        var run = IntakeRun(recorder, records, leavesRest: false)
        return await run.take().map { recordOutcome in
            if case .outcome(let outcome) = recordOutcome { return outcome }
            return .failure(IntakeProblem(appending: AppendError(.refused)))
        }
    }

    /// Records as many of these as possible without reading the log for a single one of them.
    ///
    /// - Returns: One result for each; what remains is completed by each sender for its own record.
    static func gather(_ records: [SubmittedRecord], _ recorder: TransactionRecorder) async -> [RecordOutcome] {
        var run = IntakeRun(recorder, records, leavesRest: true)
        return await run.take()
    }

    private mutating func take() async -> [RecordOutcome] {
        let payments = records.compactMap { record in
            record.payment.map { (document: $0, facts: $1, tenant: record.sender.tenant) }
        }
        // If reading ahead fails, the data is read again, or fails, when its turn comes.
        try? await recorder.recall(payments)
        for (index, record) in records.enumerated() {
            switch record.reading {
            case .failure(let refused): add(refused, index)
            case .success(let document):
                switch document.placement {
                case .payment(let facts): await add(document, facts, index)
                case .batch: await leave(.decision, index, afterFlush: true)
                case .reader, .checkout, .tenant: add(document, index)
                }
            }
        }
        await flush()
        return fates.map { $0 ?? .rest(.decision) }
    }

    private mutating func add(_ document: PreparedDocument, _ facts: [TransactionEvent], _ index: Int) async {
        do {
            let sender = records[index].sender
            var decision = try window.decide(document, facts, from: sender)
            if case .waits = decision {
                await flush()
                decision = try window.decide(document, facts, from: sender)
            }
            if case .item(let item, let decided) = decision {
                pending.append(Pending(index: index, item: item, subject: .payment(document, decided)))
            } else {
                await leave(.decision, index, afterFlush: true)
            }
        } catch {
            fates[index] = .outcome(.failure(IntakeProblem(appending: error)))
        }
    }

    /// Adds a document that is recorded as received.
    private mutating func add(_ document: PreparedDocument, _ index: Int) {
        do {
            guard let item = try recorder.journalItem(document, from: records[index].sender) else {
                fates[index] = .rest(.decision)
                return
            }
            pending.append(Pending(index: index, item: item, subject: .report(document)))
        } catch {
            fates[index] = .outcome(.failure(IntakeProblem(appending: error)))
        }
    }

    private mutating func add(_ refused: RefusedDocument, _ index: Int) {
        guard let trace = refused.trace else {
            fates[index] = .outcome(.failure(refused.problem))
            return
        }
        do {
            let sender = records[index].sender
            let item = AppendItem(
                tenant: sender.tenant,
                stream: StreamName.tenant(sender.tenant),
                expected: .any,
                idempotency: [trace.identity],
                events: try recorder.proposed(
                    [TenantEvent.intakeRefused(trace.refusal)],
                    occurredAt: recorder.clock.now(),
                    sender: sender,
                    hasDocument: false
                )
            )
            pending.append(Pending(index: index, item: item, subject: .refusal(refused.problem)))
        } catch {
            fates[index] = .outcome(.failure(IntakeProblem(appending: error)))
        }
    }

    /// Completes a record from what is in the log, or leaves that to its sender.
    ///
    /// - Parameter afterFlush: Whether the pending items must be in the log first.
    private mutating func leave(_ rest: Rest, _ index: Int, afterFlush: Bool = false) async {
        guard !leavesRest else {
            fates[index] = .rest(rest)
            return
        }
        if afterFlush { await flush() }
        fates[index] = .outcome(await RecordInLog(recorder).finish(records[index], rest))
    }

    /// Appends the pending items, and decides again from the log for those that were not appended as decided.
    private mutating func flush() async {
        guard !pending.isEmpty else { return }
        let appended = pending
        pending = []
        let era = recorder.memory.era
        let results = await recorder.sequencer.append(appended.map(\.item))
        window.clear()
        for (pending, result) in zip(appended, results) {
            switch pending.subject {
            case .refusal(let problem): fates[pending.index] = .outcome(.failure(traced(problem, result)))
            case .payment(let document, let decided):
                await settle(document, decided, result, era: era, pending.index)
            case .report(let document): await settle(document, pending.item, result, pending.index)
            }
        }
    }

    private func traced(_ problem: IntakeProblem, _ result: Result<AppendResult, AppendError>) -> IntakeProblem {
        switch result {
        case .success(.appended(let range)), .success(.duplicate(let range)):
            var problem = problem
            problem.tracePosition = range.firstPosition
            return problem
        case .success: return problem
        // Without a trace the document must not be reported as finally refused: the sender has to keep it.
        case .failure(let error): return IntakeProblem(appending: error)
        }
    }

    private mutating func settle(
        _ document: PreparedDocument,
        _ item: AppendItem,
        _ result: Result<AppendResult, AppendError>,
        _ index: Int
    ) async {
        switch result {
        case .success(.appended(let range)):
            let answer = IntakeAnswer(
                stream: item.stream,
                positions: range.positions,
                types: item.events.map(\.type),
                redactions: document.received.redactions,
                anomalies: document.reportedAnomalies,
                isDuplicate: false
            )
            fates[index] = .outcome(.success(answer))
        case .success(let result): await leave(.answer(result), index)
        case .failure(let error): fates[index] = .outcome(.failure(IntakeProblem(appending: error)))
        }
    }

    private mutating func settle(
        _ document: PreparedDocument,
        _ decided: PaymentWindow.Decided,
        _ result: Result<AppendResult, AppendError>,
        era: Int,
        _ index: Int
    ) async {
        switch result {
        case .success(.appended(let range)):
            recorder.memory.learn(decided.payment, on: decided.stream, keys: decided.keys, era: era)
            fates[index] = .outcome(.success(IntakeAnswer(range, decided, redactions: document.received.redactions)))
        // What is remembered stays: it was in the log, and what the log has after it is read next time.
        case .success(.conflict), .success(.claimed): await leave(.decision, index)
        case .success(let result): await leave(.answer(result), index)
        case .failure(let error):
            fates[index] = .outcome(.failure(IntakeProblem(appending: error)))
        }
    }
}

extension SubmittedRecord {
    /// The document and its facts, if it could be read and is about a payment.
    fileprivate var payment: (PreparedDocument, [TransactionEvent])? {
        guard case .success(let document) = reading, case .payment(let facts) = document.placement else { return nil }
        return (document, facts)
    }
}

extension IntakeAnswer {
    /// The answer to a record that was just appended.
    fileprivate init(_ range: AppendedRange, _ decided: PaymentWindow.Decided, redactions: [RedactionNote]) {
        self.init(
            stream: decided.stream.name,
            positions: range.positions,
            types: decided.events.map(\.type),
            redactions: redactions,
            anomalies: decided.events.compactMap { event in
                if case .anomalyRaised(let anomaly) = event { anomaly } else { nil }
            },
            isDuplicate: false
        )
    }
}
