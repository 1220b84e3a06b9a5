import Canonical
import EventLog
import Payments

/// Folds the streams of one kind, run after run of the log. Where it left the streams it saw lately it remembers, so
/// that the next run goes on from there; what it does not remember is read from the log again. Bounded.
struct StreamFolder<State: StreamState> {
    private struct Key: Hashable {
        let tenant: String
        let id: UUID128
    }

    /// In a box: a state is large, and is handed around.
    private final class Folded: Sendable {
        let state: State
        let beginning: StreamBeginning

        init(_ state: State, _ beginning: StreamBeginning) {
            self.state = state
            self.beginning = beginning
        }
    }

    private let limit: Int
    private var memory: RecentValues<Key, Folded>

    /// - Parameter limit: How many streams are remembered at most; a payment takes a few kilobytes.
    init(limit: Int) {
        self.limit = limit
        memory = RecentValues(limit: limit)
    }

    mutating func forget() {
        memory = RecentValues(limit: limit)
    }

    /// Which streams a run goes on with from a version that is not remembered, and how much of each is to be read.
    mutating func forgotten(_ events: [RecordedEvent]) -> [StreamPrefix] {
        var seen: Set<Key> = []
        var prefixes: [StreamPrefix] = []
        // By index, as below: an event taken out of the array is a dozen strings to hold and let go of.
        for place in events.indices {
            guard let id = State.id(of: events[place].stream) else { continue }
            let key = Key(tenant: events[place].tenant, id: id)
            let before = events[place].version - 1
            guard seen.insert(key).inserted, before > 0 else { continue }
            if memory[key]?.state.version == before { continue }
            prefixes.append(StreamPrefix(tenant: key.tenant, stream: events[place].stream, count: before))
        }
        return prefixes
    }

    /// Folds the events of a run, in which each stream's first event follows on what is remembered of it or on its
    /// prefix.
    ///
    /// - Returns: The streams in the order of their first events.
    /// - Throws: `UnappliedEvent` for one that cannot be read; nothing is remembered then.
    mutating func fold(
        _ events: [RecordedEvent],
        _ prefixes: [StreamPrefix: [RecordedEvent]]
    ) throws(UnappliedEvent) -> [StreamRun<State>] {
        var runs: [StreamRun<State>] = []
        var index: [Key: Int] = [:]
        for place in events.indices {
            guard let id = State.id(of: events[place].stream) else { continue }
            let key = Key(tenant: events[place].tenant, id: id)
            let at: Int
            if let known = index[key] {
                at = known
            } else {
                at = runs.count
                index[key] = at
                runs.append(try begin(events[place], id, key, prefixes))
            }
            let (position, occurredAt) = (events[place].position, events[place].occurredAt)
            let fact = try Self.fact(events[place], at: position)
            runs[at].after.fold(fact, at: occurredAt)
            runs[at].steps.append(.init(position: position, occurredAt: occurredAt, fact: fact))
        }
        for at in runs.indices {
            let key = Key(tenant: runs[at].tenant, id: runs[at].id)
            // A run read again, further back, must not take the place of what the newest one left.
            if let known = memory[key], known.state.version >= runs[at].after.version { continue }
            memory[key] = Folded(runs[at].after, runs[at].beginning)
        }
        return runs
    }

    private mutating func begin(
        _ event: RecordedEvent,
        _ id: UUID128,
        _ key: Key,
        _ prefixes: [StreamPrefix: [RecordedEvent]]
    ) throws(UnappliedEvent) -> StreamRun<State> {
        let before: State
        let beginning: StreamBeginning
        if event.version == 1 {
            before = State()
            beginning = StreamBeginning(event)
        } else if let known = memory[key], known.state.version == event.version - 1 {
            before = known.state
            beginning = known.beginning
        } else {
            let prefix = StreamPrefix(tenant: event.tenant, stream: event.stream, count: event.version - 1)
            guard let events = prefixes[prefix], let first = events.first, events.count == Int(prefix.count) else {
                throw UnappliedEvent(position: event.position, cause: IncompleteStream())
            }
            var state = State()
            for event in events {
                state.fold(try Self.fact(event, at: event.position), at: event.occurredAt)
            }
            before = state
            beginning = StreamBeginning(first)
        }
        return StreamRun(tenant: event.tenant, id: id, beginning: beginning, before: before, after: before)
    }

    static func fact(_ event: RecordedEvent, at position: Int64) throws(UnappliedEvent) -> State.Fact {
        if let fact = event.source.value as? State.Fact { return fact }
        if let fact = State.fact(folding: event.data, type: event.type, schema: event.schema) { return fact }
        do {
            let data = try JSONValue(parsing: event.data.utf8)
            return try State.Fact(type: event.type, schema: event.schema, data: data)
        } catch {
            throw UnappliedEvent(position: position, cause: error)
        }
    }
}

/// The log does not hold the events a stream must have had before.
struct IncompleteStream: Error {}

extension StreamBeginning {
    fileprivate init(_ event: RecordedEvent) {
        self.init(position: event.position, occurredAt: event.occurredAt, recordedAt: event.recordedAt)
    }
}
