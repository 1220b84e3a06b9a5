import EventLog
import Payments
import Vendors

/// Judges and appends records in their order, with as few appends as possible. A record about a payment is judged by
/// the payment's history: from memory, and from the log if memory does not suffice or was wrong.
struct EventRun {
    typealias Outcome = Result<EventAnswer, IntakeProblem>

    /// A conflict means that another request was faster. In each round at least one succeeds, so only very many
    /// concurrent requests for one payment can use up all rounds.
    private static let rounds = 64

    private struct Pending {
        let index: Int
        let events: PreparedEvents
        let item: AppendItem
        /// The payment after the record; nil for other streams.
        let history: PaymentHistory?
    }

    private let recorder: TransactionRecorder
    /// Whether what the sender reports may end anomalies.
    private let clears: Bool
    private let settled: SettledBatches
    private var pending: [Pending] = []
    private var pendingStreams: Set<TenantName> = []
    private var outcomes: [Outcome]

    private init(_ recorder: TransactionRecorder, clears: Bool, _ settled: SettledBatches, count: Int) {
        self.recorder = recorder
        self.clears = clears
        self.settled = settled
        outcomes = Array(repeating: .failure(IntakeProblem(appending: AppendError(.refused))), count: count)
    }

    /// - Returns: One outcome for each record.
    static func take(
        _ records: [Result<PreparedEvents, IntakeProblem>],
        _ recorder: TransactionRecorder,
        clearing clears: Bool,
        _ sender: Sender
    ) async -> [Outcome] {
        // Other streams have no history, and their events settle nothing.
        let isJudged = records.contains { if case .success(let events) = $0 { events.isAboutPayment } else { false } }
        guard isJudged else { return await takeUnjudged(records, recorder) }
        let facts = records.flatMap { (try? $0.get().facts) ?? [] }
        let settled: SettledBatches
        do {
            let streams = Set(records.compactMap { try? $0.get().record.stream })
            settled = try await SettledBatches(named: facts, of: sender.tenant, beside: streams, recorder.reader)
        } catch {
            return records.map { $0.flatMap { _ in .failure(IntakeProblem(appending: error)) } }
        }
        var run = EventRun(recorder, clears: clears, settled, count: records.count)
        return await run.take(records)
    }

    private static func takeUnjudged(
        _ records: [Result<PreparedEvents, IntakeProblem>],
        _ recorder: TransactionRecorder
    ) async -> [Outcome] {
        var items: [AppendItem] = []
        let allowed = records.map { record -> Result<PreparedEvents, IntakeProblem> in
            do {
                items.append(try unjudged(try record.get(), recorder))
                return record
            } catch {
                return .failure(error as? IntakeProblem ?? IntakeProblem(appending: error))
            }
        }
        var results = await recorder.sequencer.append(items).makeIterator()
        return allowed.map { record in
            record.flatMap { events in
                results.next().map { events.answer($0) } ?? .failure(IntakeProblem(appending: AppendError(.refused)))
            }
        }
    }

    /// The item of a record that is not about a payment.
    private static func unjudged(_ events: PreparedEvents, _ recorder: TransactionRecorder) throws -> AppendItem {
        if let problem = events.breach() { throw problem }
        return try events.item(
            events.record.expectedVersion.map { .version($0) } ?? .any,
            events.timeFlags.map { .anomalyRaised($0.anomaly) },
            ids: recorder.ids,
            limit: StreamName.batchID(events.record.stream) == nil ? nil : recorder.streamLimit
        )
    }

    private mutating func take(_ records: [Result<PreparedEvents, IntakeProblem>]) async -> [Outcome] {
        let unread = await unread(in: records)
        for (index, record) in records.enumerated() {
            do {
                let events = try record.get()
                guard events.isAboutPayment else {
                    let item = try Self.unjudged(events, recorder)
                    pending.append(Pending(index: index, events: events, item: item, history: nil))
                    continue
                }
                // A record is judged by what is in the log: what was appended before it may be refused.
                if pendingStreams.contains(events.stream) { await flush() }
                // A stream that seems to be new may only have been forgotten: it is read before a record is refused.
                if let history = remembered(events, unread),
                    history.version > 0 || events.breach(history.state) == nil
                {
                    try add(events, history, index)
                } else {
                    await flush()
                    outcomes[index] = await judgedInLog(events)
                }
            } catch {
                outcomes[index] = .failure(error as? IntakeProblem ?? IntakeProblem(appending: error))
            }
        }
        await flush()
        return outcomes
    }

    /// Reads the histories that are not in memory, as far as possible.
    ///
    /// - Returns: The streams that could not be read; a stream that was read and is not in memory has no event.
    private func unread(in records: [Result<PreparedEvents, IntakeProblem>]) async -> Set<TenantName> {
        var streams: Set<TenantName> = []
        for case .success(let events) in records
        where events.isAboutPayment && events.record.expectedVersion != 0
            && recorder.memory.payment(events.stream) == nil
        {
            streams.insert(events.stream)
        }
        guard !streams.isEmpty else { return [] }
        do {
            try await recorder.recall(streams)
            return []
        } catch {
            return streams
        }
    }

    /// The history by which a record can be judged without reading the log; nil if there is none at the version that
    /// the sender expects.
    private func remembered(_ events: PreparedEvents, _ unread: Set<TenantName>) -> PaymentHistory? {
        let known = recorder.memory.payment(events.stream)?.history
        guard let history = known ?? (unread.contains(events.stream) ? nil : PaymentHistory()) else { return nil }
        guard let expected = events.record.expectedVersion else { return history }
        return history.version == expected ? history : nil
    }

    private mutating func add(_ events: PreparedEvents, _ history: PaymentHistory, _ index: Int) throws {
        if let problem = events.breach(history.state) { throw problem }
        var after = history
        let findings = findings(events, after: &after)
        let item = try events.item(
            .version(history.version),
            findings,
            ids: recorder.ids,
            limit: recorder.streamLimit,
            isFromMemory: true
        )
        pending.append(Pending(index: index, events: events, item: item, history: after))
        pendingStreams.insert(events.stream)
    }

    private func findings(_ events: PreparedEvents, after history: inout PaymentHistory) -> [TransactionEvent] {
        let vendor =
            history.state.identity.vendor
            ?? events.facts.lazy.compactMap { fact in
                if case .documentReceived(let received) = fact { received.vendor } else { nil }
            }.first
        var policy = vendor.map { VendorAdapters.adapter(of: $0).policy } ?? LifecyclePolicy()
        // Only documents make a reversal due.
        policy.terminalCompletes = false
        let flags = events.timeFlags.map(\.anomaly) + settled.unknown(in: events.facts, history.state)
        return Lifecycle.findings(
            in: events.facts,
            at: events.record.events.map(\.occurredAt),
            flags: flags,
            clearing: clears,
            after: &history,
            policy: policy
        )
    }

    private mutating func flush() async {
        guard !pending.isEmpty else { return }
        let appended = pending
        pending = []
        pendingStreams = []
        let era = recorder.memory.era
        let results = await recorder.sequencer.append(appended.map(\.item))
        for (pending, result) in zip(appended, results) {
            let events = pending.events
            guard let history = pending.history else {
                outcomes[pending.index] = events.answer(result)
                continue
            }
            switch result {
            case .success(.appended):
                recorder.memory.learn(PaymentMemory.Payment(history), on: events.stream, keys: [], era: era)
                outcomes[pending.index] = events.answer(result)
            // What is remembered stays: it was in the log, and what the log has after it is read next time.
            case .success(.conflict), .success(.claimed): outcomes[pending.index] = await judgedInLog(events)
            case .success, .failure: outcomes[pending.index] = events.answer(result)
            }
        }
    }

    /// Judges by what is in the log, and appends.
    private func judgedInLog(_ events: PreparedEvents) async -> Outcome {
        do {
            for _ in 0..<Self.rounds {
                let era = recorder.memory.era
                var (history, isFromMemory) = try await recorder.history(of: events.stream)
                if let problem = events.breach(history.state) { return .failure(problem) }
                let version = history.version
                let expected = events.record.expectedVersion ?? version
                let isJudged = expected == version
                let item = try events.item(
                    .version(expected),
                    isJudged ? findings(events, after: &history) : [],
                    ids: recorder.ids,
                    // At another version the log answers with a conflict or the first answer; nothing is appended
                    // unjudged.
                    limit: isJudged ? recorder.streamLimit : 0,
                    isFromMemory: isFromMemory
                )
                let result = await recorder.sequencer.append([item]).first
                if isJudged, case .success(let result)? = result {
                    _ = recorder.learn(history, of: events.stream, from: result, era: era)
                }
                switch result {
                case .success(.claimed)?:
                    recorder.memory.forget(events.stream)
                    continue
                case .success(.conflict)? where events.record.expectedVersion == nil: continue
                case .failure(let error)? where error.code == .streamFull && !isJudged:
                    recorder.memory.forget(events.stream)
                case let result?: return events.answer(result)
                case nil: return .failure(IntakeProblem(appending: AppendError(.refused)))
                }
            }
            return .failure(IntakeProblem(appending: AppendError(.queueFull)))
        } catch {
            return .failure(IntakeProblem(appending: error))
        }
    }
}
