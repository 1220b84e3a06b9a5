import Synchronization

/// The newest events, as this process has written them: whoever follows the log here need not ask the database for
/// them. Bounded. It is a guess about the log like every memory: `EventReader` looks whether the log still holds the
/// newest event it gives.
package final class LogTail: Sendable {
    private struct State {
        /// Follow on one another.
        var batches: [[RecordedEvent]] = []
        /// How many at the beginning of `batches` are emptied already. They go when they are half of all, so that
        /// neither an append nor a read takes longer the smaller the batches are.
        var emptied = 0
        var bytes = 0

        /// The first batch that ends after `position`.
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

    /// - Parameter bytes: How much data is kept at most.
    package init(bytes: Int = 12 << 20) {
        limit = bytes
    }

    /// Adds a batch that is durable.
    func append(_ events: [RecordedEvent]) {
        guard let first = events.first else { return }
        let bytes = Self.weight(events)
        state.withLock { state in
            // Another process has written in between, or the log was put back.
            if let last = state.batches.last?.last, last.position + 1 != first.position { state = State() }
            state.batches.append(events)
            state.bytes += bytes
            while state.bytes > limit { state.dropFirst() }
        }
    }

    func clear() {
        state.withLock { $0 = State() }
    }

    /// Up to `limit` events after `position`; empty when they are not known here.
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
