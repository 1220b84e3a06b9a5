package import Canonical
package import Logging
import Metrics
package import Postgres

/// The one writer of this process. Requests wait in a bounded queue; while one batch commits, the next one fills.
///
/// Several processes may append to one database: the head row lets one batch in at a time.
package actor Sequencer {
    package struct Limits: Sendable {
        /// Requests waiting at most; beyond that, `queueFull`.
        package var queue = 4096
        package var batchItems = 500
        package var batchBytes = 4 << 20

        package init(queue: Int = 4096, batchItems: Int = 500, batchBytes: Int = 4 << 20) {
            self.queue = queue
            self.batchItems = batchItems
            self.batchBytes = batchBytes
        }
    }

    typealias Ticket = AppendTicket

    private let writer: LogWriter
    private let limits: Limits
    private let signal: PositionSignal
    private let logger: Logger
    private var queue: [BatchPlan<Ticket>.Entry] = []
    private var wake: CheckedContinuation<Void, Never>?
    private var isClosed = false

    /// - Parameters:
    ///   - configuration: How to reach the database; the sequencer keeps one connection of its own.
    ///   - signal: Told after every commit, so that followers in this process need not poll.
    package init(
        configuration: PostgresConfiguration,
        clock: any WallClock,
        signal: PositionSignal,
        limits: Limits = .init(),
        logger: Logger
    ) {
        self.writer = LogWriter(configuration: configuration, clock: clock, logger: logger)
        self.limits = limits
        self.signal = signal
        self.logger = logger
    }

    /// Appends an item, and returns when its fate is durable.
    ///
    /// A cancelled caller is told `outcomeUnknown` at once; the item stays on its way into the log. So a server that
    /// has to stop does not wait for a database that stays away.
    ///
    /// - Throws: `AppendError`. Only `outcomeUnknown` leaves open whether the item is in the log.
    package func append(_ item: AppendItem) async throws(AppendError) -> AppendResult {
        if isClosed { throw AppendError(.shuttingDown) }
        if queue.count >= limits.queue { throw AppendError(.queueFull) }
        if item.byteCount > limits.batchBytes { throw AppendError(.itemTooLarge) }
        if item.events.isEmpty { throw AppendError(.refused) }
        let ticket = AppendTicket()
        queue.append(.init(item: item, ticket: ticket))
        wake?.resume()
        wake = nil
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { ticket.wait($0) }
        } onCancel: {
            ticket.resume(returning: .failure(AppendError(.outcomeUnknown)))
        }
        return try result.get()
    }

    /// Requests waiting right now.
    package var depth: Int { queue.count }

    /// Appends batch after batch until `close()`; then what has been accepted is finished first.
    package func run() async {
        while true {
            if queue.isEmpty {
                if isClosed { break }
                await withCheckedContinuation { wake = $0 }
                continue
            }
            let plan = BatchPlan(queue: queue, maxItems: limits.batchItems, maxBytes: limits.batchBytes)
            queue = plan.rest
            Metrics.Gauge(label: "daybook_append_queue").record(queue.count)
            await commit(plan)
        }
        await writer.close()
    }

    /// Refuses further items; `run()` returns when the accepted ones are done.
    package func close() {
        isClosed = true
        wake?.resume()
        wake = nil
    }

    private func commit(_ plan: BatchPlan<Ticket>) async {
        let outcomes = await writer.append(plan.chosen.map(\.item), untilClosed: { await self.isClosed })
        var returning: [BatchPlan<Ticket>.Entry] = []
        for (index, (entry, outcome)) in zip(plan.chosen, outcomes).enumerated() {
            entry.ticket.resume(returning: outcome)
            for rider in plan.riders[index] ?? [] {
                switch outcome {
                case .success(let result):
                    if let result = result.asRepeat {
                        rider.ticket.resume(returning: .success(result))
                    } else {
                        // Its own stream may be in another state.
                        returning.append(rider)
                    }
                case .failure(let error): rider.ticket.resume(returning: .failure(error))
                }
            }
        }
        queue = returning + queue
        Counter(label: "daybook_append_batches_total").increment()
        let last = outcomes.compactMap { try? $0.get().appendedPosition }.max()
        if let last { signal.reached(last) }
    }
}

extension AppendResult {
    var appendedPosition: Int64? {
        if case .appended(let range) = self { return range.lastPosition }
        return nil
    }
}
