package import Canonical
package import Logging
import Metrics
package import Postgres
import Synchronization

/// The one writer of this process. Requests wait in a bounded queue; while one batch commits, the next one is filled.
///
/// Several processes may append to one database: the head row lets one batch in at a time.
package actor Sequencer {
    package struct Limits: Sendable {
        /// The largest number of waiting items; beyond that, `queueFull`.
        package var queue = 8192
        package var batchItems = 1000
        package var batchEvents = 1000
        package var batchBytes = 4 << 20
        /// The number of positions in a partition that is added because none is left.
        package var partitionSpan = PartitionKeeper.standardSpan
        /// How long the server may take to answer before the writer drops the connection and looks the batch up on
        /// another one. The wait limit for a lock is two thirds of it.
        package var answerTimeout = Duration.seconds(30)

        package init(
            queue: Int = 8192,
            batchItems: Int = 1000,
            batchEvents: Int = 1000,
            batchBytes: Int = 4 << 20,
            partitionSpan: Int64 = PartitionKeeper.standardSpan,
            answerTimeout: Duration = .seconds(30)
        ) {
            self.queue = queue
            self.batchItems = batchItems
            self.batchEvents = batchEvents
            self.batchBytes = batchBytes
            self.partitionSpan = partitionSpan
            self.answerTimeout = answerTimeout
        }
    }

    private struct Entry {
        var item: AppendItem
        var ticket: AppendTicket
        var index: Int
    }

    private struct Batch {
        var entries: [Entry]
        /// The batch as it will be if everything before it is written as drafted; nil when the writer must read the
        /// database first.
        var draft: BatchDraft?
    }

    /// A batch being written.
    private struct Flight {
        var batch: Batch
        /// Set when the write has ended.
        var outcomes: LogWriter.Outcomes?
    }

    /// The state that senders and the sequencer share. A sender adds its items here directly: waiting for its turn on
    /// the actor would cost every request a change of threads.
    private struct Inbox {
        var queue: [Entry] = []
        var events = 0
        var isClosed = false
        var sleeper: CheckedContinuation<Void, Never>?
        /// The number of waiting events at which the sleeping sequencer is woken.
        var wakingEvents = 1

        /// The sleeping sequencer, if there is enough to do to wake it.
        mutating func takeSleeper() -> CheckedContinuation<Void, Never>? {
            guard events >= wakingEvents else { return nil }
            defer { sleeper = nil }
            return sleeper
        }
    }

    private let writer: LogWriter
    private let clock: any WallClock
    private nonisolated let limits: Limits
    private let signal: PositionSignal
    private let logger: Logger
    private let queueGauge = Metrics.Gauge(label: "daybook_append_queue")
    private let batchCounter = Counter(label: "daybook_append_batches_total")
    private let eventCounter = Counter(label: "daybook_append_events_total")
    private let inbox = Mutex(Inbox())
    private var flight: Flight?
    /// The batch that is sent when the one in flight has ended.
    private var prepared: Batch?
    /// Set before the inbox is closed: items are still accepted, but a database that stays unreachable is not waited
    /// for.
    private var isClosing = false

    /// - Parameters:
    ///   - configuration: How to reach the database; the sequencer keeps one connection.
    ///   - signal: Notified after every commit, so that followers in this process need not poll.
    ///   - tail: Receives what was written, so that followers in this process need not read it.
    ///   - logGuard: Asked before every batch. It learns if the log does not continue from what was appended, as after a
    ///     failover that lost its newest events.
    package init(
        configuration: PostgresConfiguration,
        clock: any WallClock,
        signal: PositionSignal,
        tail: LogTail = LogTail(),
        limits: Limits = .init(),
        logGuard: LogGuard = LogGuard(),
        logger: Logger
    ) {
        self.writer = LogWriter(
            configuration: configuration,
            clock: clock,
            limits: limits,
            tail: tail,
            logGuard: logGuard,
            logger: logger
        )
        self.clock = clock
        self.limits = limits
        self.signal = signal
        self.logger = logger
    }

    /// Appends an item, and returns when its result is durable.
    ///
    /// A cancelled caller gets `outcomeUnknown` at once, and the item is still appended. So a server that has to stop
    /// does not wait for a database that stays unreachable.
    ///
    /// - Throws: `AppendError`. Only `outcomeUnknown` leaves open whether the item is in the log.
    package nonisolated func append(_ item: AppendItem) async throws(AppendError) -> AppendResult {
        let answers = await append([item])
        guard let answer = answers.first else { throw AppendError(.refused) }
        return try answer.get()
    }

    /// Appends items in their order, each independently, and returns when the results of all are durable. If the queue
    /// has no room for all of them, none is accepted.
    ///
    /// - Returns: The result of each, in order. Otherwise like `append(_: AppendItem)`.
    package nonisolated func append(_ items: [AppendItem]) async -> [Result<AppendResult, AppendError>] {
        // Done by the caller, because it reads every payload and the sequencer must not be held up.
        let faults = items.map { fault(in: $0) }
        let ticket = AppendTicket(count: items.count)
        let (refusal, sleeper) = inbox.withLock { inbox -> (AppendError.Code?, CheckedContinuation<Void, Never>?) in
            if inbox.isClosed { return (.shuttingDown, nil) }
            if inbox.queue.count + items.count > limits.queue { return (.queueFull, nil) }
            for (index, item) in items.enumerated() where faults[index] == nil {
                inbox.queue.append(Entry(item: item, ticket: ticket, index: index))
                inbox.events += item.events.count
            }
            return (nil, inbox.takeSleeper())
        }
        if let refusal { return items.map { _ in .failure(AppendError(refusal)) } }
        sleeper?.resume()
        for (index, fault) in faults.enumerated() {
            if let fault { ticket.resume(index, returning: .failure(fault)) }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { ticket.wait($0) }
        } onCancel: {
            ticket.resumeRest(returning: .failure(AppendError(.outcomeUnknown)))
        }
    }

    private nonisolated func fault(in item: AppendItem) -> AppendError? {
        if item.byteCount > limits.batchBytes || item.events.count > limits.batchEvents {
            return AppendError(.itemTooLarge)
        }
        let isWritable = !item.events.isEmpty && item.events.allSatisfy { 1...Int(Int16.max) ~= $0.schema }
        guard isWritable else { return AppendError(.refused) }
        return item.events.allSatisfy(\.isCanonical) ? nil : AppendError(.notCanonical)
    }

    /// The number of items waiting now.
    package var depth: Int { inbox.withLock { $0.queue.count } }

    /// The number of items in the batch that follows the one in flight.
    package var preparedCount: Int { prepared?.entries.count ?? 0 }

    /// How many batches were judged by what the database holds before they were written.
    package var decisions: Int { get async { await writer.decisions } }

    /// Appends batch after batch until `close()`, then finishes what has been accepted.
    ///
    /// While one batch is being written the next one fills. When it is half full it is drafted at once, as if the one
    /// in flight were written as drafted, so that hashing and encoding do not delay the database.
    package func run() async {
        while true {
            if let landed = flight, let outcomes = landed.outcomes {
                flight = nil
                answer(landed.batch.entries, outcomes)
                if isClosing, outcomes.contains(where: Self.gaveUp) { refuseRest() }
            } else if flight == nil, let batch = prepared {
                prepared = nil
                launch(batch)
            } else if prepared == nil, let entries = take() {
                if let flight {
                    prepared = await prepare(entries, on: flight.batch.draft?.tip, after: flight.batch.draft)
                } else {
                    launch(await prepare(entries, on: await writer.tip))
                }
            } else if flight == nil, inbox.withLock({ $0.isClosed && $0.queue.isEmpty }) {
                break
            } else {
                await sleep()
            }
        }
        await writer.close()
    }

    private func launch(_ batch: Batch) {
        flight = Flight(batch: batch)
        // Awaited by `run`, which does not return while a batch is in flight.
        Task { [writer] in
            let items = batch.entries.map(\.item)
            let outcomes = await writer.append(items, draft: batch.draft, untilClosed: { await self.isClosing })
            flight?.outcomes = outcomes
            wakeUp()
        }
    }

    private func wakeUp() {
        let sleeper = inbox.withLock { inbox in
            defer { inbox.sleeper = nil }
            return inbox.sleeper
        }
        sleeper?.resume()
    }

    /// The number of waiting events at which a batch is made of them.
    private var wantedEvents: Int {
        guard flight != nil else { return 1 }
        return prepared == nil ? max(1, limits.batchEvents / 2) : .max
    }

    /// Sleeps until a batch has been written, or as many events wait as are wanted.
    private func sleep() async {
        await withCheckedContinuation { sleeper in
            let awake = inbox.withLock { inbox -> CheckedContinuation<Void, Never>? in
                inbox.sleeper = sleeper
                inbox.wakingEvents = wantedEvents
                return inbox.takeSleeper()
            }
            awake?.resume()
        }
    }

    /// Stops waiting for a database that stays unreachable: the attempts to append end soon. Items are accepted until
    /// `close()`, so that callers that collect items can finish first.
    package func beginClosing() { isClosing = true }

    /// Refuses further items. `run()` returns when the accepted items are done, when the database has been unreachable
    /// for a few attempts, or when it has left a few answer time limits unanswered.
    package func close() {
        isClosing = true
        inbox.withLock { $0.isClosed = true }
        wakeUp()
    }

    /// The next batch: as much of the queue as the limits allow, in order; nil while too few events wait.
    private func take() -> [Entry]? {
        let wanted = wantedEvents
        let (entries, waiting) = inbox.withLock { inbox -> ([Entry], Int) in
            guard inbox.events >= wanted else { return ([], inbox.queue.count) }
            var events = 0
            var bytes = 0
            var count = 0
            for entry in inbox.queue {
                events += entry.item.events.count
                bytes += entry.item.byteCount
                guard
                    count == 0
                        || (count < limits.batchItems && events <= limits.batchEvents && bytes <= limits.batchBytes)
                else {
                    events -= entry.item.events.count
                    break
                }
                count += 1
            }
            let entries = Array(inbox.queue[..<count])
            inbox.queue.removeFirst(count)
            inbox.events -= events
            return (entries, inbox.queue.count)
        }
        guard !entries.isEmpty else { return nil }
        queueGauge.record(waiting)
        return entries
    }

    private func prepare(_ entries: [Entry], on tip: LogTip?, after draft: BatchDraft? = nil) async -> Batch {
        guard let tip, let guesses = await writer.guesses(after: draft) else {
            return Batch(entries: entries, draft: nil)
        }
        // If a value cannot be sent, the writer finds and handles that again.
        let draft = try? BatchDraft(entries.map(\.item), facts: guesses, base: tip, now: clock.now())
        return Batch(entries: entries, draft: draft)
    }

    /// True for the answers a writer gives only when it has stopped waiting for the database.
    private static func gaveUp(_ outcome: Result<AppendResult, AppendError>) -> Bool {
        guard case .failure(let error) = outcome else { return false }
        return error.code == .shuttingDown || error.code == .outcomeUnknown
    }

    /// Refuses everything that waits: a closing log does not try the database again for each batch.
    private func refuseRest() {
        let waiting = inbox.withLock { inbox in
            defer {
                inbox.queue = []
                inbox.events = 0
            }
            return inbox.queue
        }
        for entry in (prepared?.entries ?? []) + waiting {
            entry.ticket.resume(entry.index, returning: .failure(AppendError(.shuttingDown)))
        }
        prepared = nil
        queueGauge.record(0)
    }

    private func answer(_ entries: [Entry], _ outcomes: LogWriter.Outcomes) {
        var last: Int64 = 0
        var events = 0
        for outcome in outcomes {
            switch outcome {
            case .success(.appended(let range)):
                last = max(last, range.lastPosition)
                events += range.count
            // Another server may have appended it.
            case .success(.duplicate(let range)): last = max(last, range.lastPosition)
            default: break
            }
        }
        // Before the senders are answered: a read that one of them sends next waits for this position.
        if last > 0 { signal.reached(last) }
        for (entry, outcome) in zip(entries, outcomes) { entry.ticket.resume(entry.index, returning: outcome) }
        batchCounter.increment()
        eventCounter.increment(by: events)
    }
}
