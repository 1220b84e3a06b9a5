import Synchronization

/// The newest events, as this process has written them: whoever follows the log here need not ask the database for
/// them. Bounded. It is a guess about the log like every memory: `EventReader` looks whether the log still holds the
/// newest event it gives.
package final class LogTail: Sendable {
    private struct State {
        /// Follow on one another.
        var batches: [[RecordedEvent]] = []
        var bytes = 0
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
            if let last = state.batches.last?.last, last.position + 1 != first.position {
                state.batches.removeAll(keepingCapacity: true)
                state.bytes = 0
            }
            state.batches.append(events)
            state.bytes += bytes
            while state.bytes > limit, !state.batches.isEmpty {
                state.bytes -= Self.weight(state.batches.removeFirst())
            }
        }
    }

    func clear() {
        state.withLock { $0 = State() }
    }

    /// Up to `limit` events after `position`; empty when they are not known here.
    func events(after position: Int64, limit: Int) -> [RecordedEvent] {
        let batches = state.withLock { state -> [[RecordedEvent]] in
            guard let start = state.batches.first?.first?.position, start <= position + 1 else { return [] }
            let end = position.addingReportingOverflow(Int64(limit))
            return state.batches.filter { batch in
                guard let first = batch.first?.position, let last = batch.last?.position else { return false }
                return position < last && (end.overflow || first <= end.partialValue)
            }
        }
        return Array(batches.joined().drop { $0.position <= position }.prefix(limit))
    }

    private static func weight(_ events: [RecordedEvent]) -> Int {
        events.reduce(0) { $0 + $1.data.utf8.count + 512 }
    }
}
