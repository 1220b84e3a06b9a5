package import EventLog
import Payments

/// Cuts the log into runs. Read models that follow together share the same runs, so that each event is read, decoded
/// and folded once, whatever the number of read models.
package actor LogRuns {
    private let reader: EventReader
    private let limit: Int
    private var payments: StreamFolder<TransactionState>
    private var batches = StreamFolder<BatchState>(limit: 256)
    /// Links of names, each with the position of an event that completes it.
    private var links = RecentValues<MerchantLink.Row, Int64>(limit: 16_384)
    /// The newest runs, oldest first, for read models that are slightly behind.
    private var kept: [LogRun] = []
    package static let usualLimit = 1000
    private static let keptLimit = 3
    private static let keptBytes = 8 << 20
    /// The newest folded event. The remembered state is valid only for a log that holds this event.
    private var newest: RecordedEvent?
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - limit: The most events in a run.
    ///   - payments: The most payments to remember; each takes a few kilobytes.
    package init(reader: EventReader, limit: Int = usualLimit, payments: Int = 8192) {
        self.reader = reader
        self.limit = limit
        self.payments = StreamFolder(limit: payments)
    }

    /// The run that begins after `position`.
    ///
    /// - Parameter upTo: The last position that the run may contain.
    /// - Returns: Nil when there is no event after `position`.
    /// - Throws: `GapInLog`, `PostgresError`, `ArchiveError`. When an event cannot be read, the run throws the error
    ///   to the read models that use the event.
    package func run(after position: Int64, upTo: Int64 = .max) async throws -> LogRun? {
        await enter()
        defer { leave() }
        if kept.contains(where: { $0.start == position && $0.end <= upTo }) {
            try await checkLog()
            if let run = kept.last(where: { $0.start == position && $0.end <= upTo }) { return run }
        }
        // A read model in the middle of a run gets the rest of it, and then continues with the others.
        let end = kept.last(where: { $0.start < position && position < $0.end })?.end ?? .max
        let most = min(upTo, end)
        guard position < most else { return nil }
        var events = try await reader.run(after: position, limit: Int(min(Int64(limit), most - position)))
        guard !events.isEmpty else { return nil }
        // What this process wrote is one piece of the log: since the log holds the end of it, it holds the rest.
        let piece = [newest, events.last].compactMap(\.self)
        if !piece.allSatisfy(reader.isRecentlyWritten) { try await checkLog() }
        do {
            try Follower.check(events, follow: position)
        } catch {
            // What precedes the gap is applied, so that a read model halts right before it.
            let whole = Int(error.expected - position - 1)
            guard whole > 0 else { throw error }
            events.removeLast(events.count - whole)
        }
        let run = try await fold(events)
        kept.append(run)
        while kept.count > Self.keptLimit || kept.count > 1 && kept.reduce(0, { $0 + $1.byteCount }) > Self.keptBytes {
            kept.removeFirst()
        }
        if newest.map({ $0.position < run.end }) ?? true { newest = events.last }
        return run
    }

    /// The events after `position`, for a pass over the log that is not shared.
    ///
    /// - Parameter before: The previous page, if any.
    /// - Throws: The errors of `run(after:upTo:)`.
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

    /// Folds a page that follows on the previous one into a run.
    func run(of page: [RecordedEvent]) async throws -> LogRun {
        await enter()
        defer { leave() }
        try await checkLog()
        let run = try await fold(page)
        newest = page.last
        return run
    }

    /// Forgets everything when the log no longer holds the newest folded event, because a failover lost it.
    private func checkLog() async throws {
        guard let newest, try await !reader.holds(newest) else { return }
        kept.removeAll()
        payments.forget()
        batches.forget()
        links.clear()
        self.newest = nil
    }

    /// Folds one event into a run, to find the event that a read model cannot apply.
    func run(of event: RecordedEvent) async throws -> LogRun {
        await enter()
        defer { leave() }
        return try await fold([event])
    }

    private func fold(_ events: [RecordedEvent]) async throws -> LogRun {
        let paymentPrefixes = try await reader.prefixes(payments.forgotten(events))
        let batchPrefixes = try await reader.prefixes(batches.forgotten(events))
        let folded = Result { () throws(UnappliedEvent) in try payments.fold(events, paymentPrefixes) }
        return LogRun(
            events,
            payments: folded,
            batches: Result { () throws(UnappliedEvent) in try batches.fold(events, batchPrefixes) },
            links: Result { () throws(UnappliedEvent) in try newLinks(of: folded.get(), events) }
        )
    }

    /// The links that the events add, without those that are known to be complete before them: a read model at the
    /// start of the run has these. Nearly all payments repeat the names of earlier ones.
    private func newLinks(
        of payments: [PaymentRun],
        _ events: [RecordedEvent]
    ) throws(UnappliedEvent) -> [MerchantLink.Row: Int64] {
        var found = try MerchantLink.found(in: payments)
            .merging(MerchantLink.found(inReports: events), uniquingKeysWith: min)
        guard let first = events.first?.position else { return found }
        for (row, position) in found {
            let known = links[row]
            if let known, known < first { found[row] = nil }
            links[row] = min(position, known ?? position)
        }
        return found
    }

    // MARK: Mutual exclusion

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
