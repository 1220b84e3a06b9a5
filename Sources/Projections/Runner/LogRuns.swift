package import EventLog
import Payments

/// Cuts the log into runs for whoever follows it. Those who follow together get the same run, so that each event is
/// read, decoded and folded once, however many read models there are.
package actor LogRuns {
    private let reader: EventReader
    private let limit: Int
    private var payments: StreamFolder<TransactionState>
    private var batches = StreamFolder<BatchState>(limit: 256)
    /// The newest runs, oldest first: for those who come a little later.
    private var kept: [LogRun] = []
    private static let keptLimit = 3
    private static let keptBytes = 8 << 20
    /// The newest event that was folded. Everything remembered is true of a log that holds it.
    private var newest: RecordedEvent?
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - limit: Events in a run at most.
    ///   - payments: How many payments are remembered at most; each takes a few kilobytes.
    package init(reader: EventReader, limit: Int = 1000, payments: Int = 8192) {
        self.reader = reader
        self.limit = limit
        self.payments = StreamFolder(limit: payments)
    }

    /// The run that begins after `position`.
    ///
    /// - Parameter upTo: Where it ends at the latest.
    /// - Returns: Nil when there is no event there.
    /// - Throws: `GapInLog`, `PostgresError`, `ArchiveError`. An event that cannot be read is thrown by the run, to those
    ///   it concerns.
    package func run(after position: Int64, upTo: Int64 = .max) async throws -> LogRun? {
        await enter()
        defer { leave() }
        try await checkLog()
        if let run = kept.last(where: { $0.start == position && $0.end <= upTo }) { return run }
        // Who stands within a run gets the rest of it, and then goes along with the others.
        let end = kept.last(where: { $0.start < position && position < $0.end })?.end ?? .max
        let most = min(upTo, end)
        guard position < most else { return nil }
        let events = try await reader.run(after: position, limit: Int(min(Int64(limit), most - position)))
        guard !events.isEmpty else { return nil }
        try Follower.check(events, follow: position)
        let run = try await fold(events)
        kept.append(run)
        while kept.count > Self.keptLimit || kept.count > 1 && kept.reduce(0, { $0 + $1.byteCount }) > Self.keptBytes {
            kept.removeFirst()
        }
        if newest.map({ $0.position < run.end }) ?? true { newest = events.last }
        return run
    }

    /// The events after `position`, for whoever goes through a log that nobody else goes through.
    ///
    /// - Parameter before: The page before, if there was one.
    /// - Throws: As `run(after:upTo:)`.
    nonisolated func page(
        after position: Int64,
        upTo: Int64,
        following before: [RecordedEvent] = []
    ) async throws -> [RecordedEvent] {
        guard position < upTo else { return [] }
        let count = Int(min(Int64(limit), upTo - position))
        let events = try await reader.run(after: position, limit: count, following: before)
        try Follower.check(events, follow: position)
        return events
    }

    /// The run that a page is, which follows on the one before.
    func run(of page: [RecordedEvent]) async throws -> LogRun {
        await enter()
        defer { leave() }
        try await checkLog()
        let run = try await fold(page)
        newest = page.last
        return run
    }

    /// Forgets everything when the log is not the one it was: a failover lost its newest events.
    private func checkLog() async throws {
        guard let newest, try await !reader.holds(newest) else { return }
        kept.removeAll()
        payments.forget()
        batches.forget()
        self.newest = nil
    }

    /// The same for one event, for a read model that has to find the one it cannot take in.
    func run(of event: RecordedEvent) async throws -> LogRun {
        await enter()
        defer { leave() }
        return try await fold([event])
    }

    private func fold(_ events: [RecordedEvent]) async throws -> LogRun {
        let paymentPrefixes = try await reader.prefixes(payments.forgotten(events))
        let batchPrefixes = try await reader.prefixes(batches.forgotten(events))
        return LogRun(
            events,
            payments: Result { () throws(UnappliedEvent) in try payments.fold(events, paymentPrefixes) },
            batches: Result { () throws(UnappliedEvent) in try batches.fold(events, batchPrefixes) }
        )
    }

    // MARK: One at a time

    private func enter() async {
        guard isBusy else {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}
