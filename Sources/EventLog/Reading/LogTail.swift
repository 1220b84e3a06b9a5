import Synchronization

/// The newest events as this process wrote them, so that followers in this process need not read them from the
/// database. Bounded. It may be outdated: `EventReader` checks whether the log still holds the newest event it returns.
package final class LogTail: Sendable {
    private struct State {
        /// Consecutive batches.
        var batches: [[RecordedEvent]] = []
        /// How many batches at the beginning of `batches` are already emptied. They are removed when they are half of
        /// all, so that the time of an append or a read does not grow when batches are small.
        var emptied = 0
        var bytes = 0

        /// The index of the first batch that ends after `position`.
        func index(endingAfter position: Int64) -> Int {
            var low = emptied
            var high = batches.count
            while low < high {
                let middle = (low + high) / 2
                if (batches[middle].last?.position ?? 0) > position { high = middle } else { low = middle + 1 }
            }
            return low
        }

        mutating func dropFirst() {
            bytes -= LogTail.weight(batches[emptied])
            batches[emptied] = []
            emptied += 1
            guard emptied * 2 > batches.count else { return }
            batches.removeFirst(emptied)
            emptied = 0
        }
    }

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter bytes: The largest amount of data kept.
    package init(bytes: Int = 12 << 20) {
        limit = bytes
    }

    /// Adds a durable batch.
    func append(_ events: [RecordedEvent]) {
        guard let first = events.first else { return }
        let bytes = Self.weight(events)
        state.withLock { state in
            // Another process has written in between, or the log was restored to an earlier state.
            if let last = state.batches.last?.last, last.position + 1 != first.position { state = State() }
            state.batches.append(events)
            state.bytes += bytes
            while state.bytes > limit { state.dropFirst() }
        }
    }

    func clear() {
        state.withLock { $0 = State() }
    }

    /// Up to `limit` events after `position`; empty when they are not kept here.
    func events(after position: Int64, limit: Int) -> [RecordedEvent] {
        let batches = state.withLock { state -> [[RecordedEvent]] in
            guard state.emptied < state.batches.count, let start = state.batches[state.emptied].first?.position,
                start <= position + 1
            else { return [] }
            let end = position.addingReportingOverflow(Int64(limit))
            return Array(
                state.batches[state.index(endingAfter: position)...].prefix { batch in
                    end.overflow || (batch.first?.position ?? .max) <= end.partialValue
                }
            )
        }
        return Array(batches.joined().drop { $0.position <= position }.prefix(limit))
    }

    fileprivate static func weight(_ events: [RecordedEvent]) -> Int {
        events.reduce(0) { $0 + $1.data.utf8.count + 512 }
    }
}
