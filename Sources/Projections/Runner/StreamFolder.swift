import Canonical
import EventLog
import Payments

/// Folds the streams of one kind, run by run. It remembers the states of recently seen streams, so that the next run
/// continues from them; other states are read from the log again. Its memory is bounded.
struct StreamFolder<State: StreamState> {
    private struct Key: Hashable {
        let tenant: String
        let id: UUID128
    }

    /// A class, because a state is large and passed around often.
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

    /// - Parameter limit: The most streams to remember; a payment takes a few kilobytes.
    init(limit: Int) {
        self.limit = limit
        memory = RecentValues(limit: limit)
    }

    mutating func forget() {
        memory = RecentValues(limit: limit)
    }

    /// The streams that a run continues from a version that is not remembered, each with the number of events to
    /// read.
    mutating func forgotten(_ events: [RecordedEvent]) -> [StreamPrefix] {
        var seen: Set<Key> = []
        var prefixes: [StreamPrefix] = []
        // By index, here and below: copying an event retains and releases a dozen strings.
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

    /// Folds the events of a run. Each stream's first event must follow its remembered state or its prefix.
    ///
    /// - Returns: The streams in the order of their first events.
    /// - Throws: `UnappliedEvent` for an event that cannot be read; then nothing is remembered.
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
            // Reading an older run again must not replace the newer state.
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

/// The log lacks earlier events of a stream.
struct IncompleteStream: Error {}

extension StreamBeginning {
    fileprivate init(_ event: RecordedEvent) {
        self.init(position: event.position, occurredAt: event.occurredAt, recordedAt: event.recordedAt)
    }
}
