package import Canonical
package import EventLog
package import Payments

/// Where people say something that is recorded once, on one stream: the stream is read, what to record is decided, and
/// it is appended as long as nobody has said anything else since. The same request again, under the same key, is
/// answered with what was recorded the first time.
package struct CommandRecorder: Sendable {
    /// What was recorded.
    package struct Entry: Sendable, Hashable {
        package var range: AppendedRange
        /// True where the same was recorded before.
        package var isDuplicate: Bool

        package var position: Int64 { range.lastPosition }
    }

    /// Somebody has said something else of what is said only once.
    package struct ConflictingRecord: Error, Hashable {}

    /// A conflict means that somebody else was quicker; each round at least one gets through, so this many rounds are
    /// only ever used up by a crowd at one stream.
    private static let rounds = 64

    private let sequencer: Sequencer
    private let reader: EventReader
    private let ids: any UUIDGenerator
    private let clock: any WallClock
    /// What tells the keys of its senders from those of other desks.
    private let name: String

    package init(
        _ name: String,
        sequencer: Sequencer,
        reader: EventReader,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.name = name
        self.sequencer = sequencer
        self.reader = reader
        self.ids = ids
        self.clock = clock
    }

    /// Records what is decided by the end of a stream. Where somebody else gets in between it is decided again.
    ///
    /// - Parameters:
    ///   - request: What is asked for and by whom: whatever tells it from another request.
    ///   - key: The sender's name of the request.
    ///   - decide: Is given the newest event of the stream, nil before the first.
    /// - Throws: What `decide` throws; `IntakeProblem` where the key was used for something else or the log does not take
    ///   it; what reading the log throws.
    package func record(
        on stream: String,
        request: [String],
        key: String?,
        sender: Sender,
        deciding decide: (_ newest: RecordedEvent?) async throws -> some LedgerEvent
    ) async throws -> Entry {
        try await recordAll(on: stream, request: request, key: key, sender: sender) { [try await decide($0)] }
    }

    /// The same, where what is said makes several events: all of them are recorded or none.
    ///
    /// - Parameter decide: Is given the newest event of the stream, nil before the first; gives one event or more.
    package func recordAll(
        on stream: String,
        request: [String],
        key: String?,
        sender: Sender,
        deciding decide: (_ newest: RecordedEvent?) async throws -> [some LedgerEvent]
    ) async throws -> Entry {
        try await recordClaiming(on: stream, request: request, key: key, sender: sender) { newest in
            (try await decide(newest), [])
        }
    }

    /// The same, with names that are taken together with what is recorded. Where somebody else takes one of them first it is
    /// decided again.
    ///
    /// - Parameter decide: Is given the newest event of the stream, nil before the first; gives one event or more, and names
    ///   that nobody has yet.
    package func recordClaiming<Event: LedgerEvent>(
        on stream: String,
        request: [String],
        key: String?,
        sender: Sender,
        deciding decide: (_ newest: RecordedEvent?) async throws -> (events: [Event], claims: [String])
    ) async throws -> Entry {
        let key = self.key(key, request)
        var filter = EventFilter()
        filter.stream = stream
        for _ in 0..<Self.rounds {
            if let earlier = try await earlier(key, of: sender.tenant) { return earlier }
            let newest = try await reader.newest(of: sender.tenant, matching: filter, limit: 1).last
            let said = try await decide(newest)
            switch try await append(said.events, to: stream, .version(newest?.version ?? 0), [key], said.claims, sender)
            {
            case .appended(let range): return Entry(range: range, isDuplicate: false)
            case .duplicate(let range): return Entry(range: range, isDuplicate: true)
            case .conflict: continue
            case .claimed where !said.claims.isEmpty: continue
            case .mismatch: throw IntakeProblem.idempotencyMismatch
            case .claimed: throw IntakeProblem(appending: AppendError(.refused))
            }
        }
        throw IntakeProblem(appending: AppendError(.queueFull))
    }

    /// Records an event on a stream, whatever else is on it.
    ///
    /// - Parameters:
    ///   - request: What is asked for and by whom: whatever tells it from another request.
    ///   - once: What of it is said only once: of two who say it at once, one is the first.
    ///   - key: The sender's name of the request.
    /// - Throws: `ConflictingRecord` where `once` was said in another request; `IntakeProblem` where the key was used for
    ///   something else or the log does not take it; what reading the log throws.
    package func record(
        _ event: some LedgerEvent,
        on stream: String,
        request: [String],
        once: [String]? = nil,
        key: String?,
        sender: Sender
    ) async throws -> Entry {
        let key = self.key(key, request)
        let own = once.map { IdempotencyKey(key: digest($0), request: digest(request)) }
        switch try await append([event], to: stream, .any, [own, key], [], sender) {
        case .appended(let range): return Entry(range: range, isDuplicate: false)
        case .duplicate(let range): return Entry(range: range, isDuplicate: true)
        case .mismatch:
            // Of the two, the sender's key is told of first.
            _ = try await earlier(key, of: sender.tenant)
            throw own == nil ? IntakeProblem.idempotencyMismatch : ConflictingRecord()
        case .claimed, .conflict: throw IntakeProblem(appending: AppendError(.refused))
        }
    }

    /// The event that says it.
    ///
    /// - Throws: `IntakeProblem`; what reading the log throws.
    package func event(of entry: Entry) async throws -> RecordedEvent {
        guard let event = try await reader.range(entry.range).first else {
            throw IntakeProblem(appending: AppendError(.outcomeUnknown))
        }
        return event
    }

    private func key(_ key: String?, _ request: [String]) -> IdempotencyKey? {
        key.map { IdempotencyKey(key: digest([name, $0]), request: digest(request)) }
    }

    /// What was recorded under a key.
    private func earlier(_ key: IdempotencyKey?, of tenant: String) async throws -> Entry? {
        guard let key, let earlier = try await reader.appended(under: key.key, of: tenant) else { return nil }
        guard earlier.request == key.request else { throw IntakeProblem.idempotencyMismatch }
        return Entry(range: earlier.range, isDuplicate: true)
    }

    private func append(
        _ events: [some LedgerEvent],
        to stream: String,
        _ expected: AppendItem.Expectation,
        _ keys: [IdempotencyKey?],
        _ claims: [String],
        _ sender: Sender
    ) async throws -> AppendResult {
        for event in events { try IntakeProblem.checkText(of: event.data()) }
        let now = clock.now()
        let item = AppendItem(
            tenant: sender.tenant,
            stream: stream,
            expected: expected,
            idempotency: keys.compactMap(\.self),
            references: claims,
            events: try events.map { try ProposedEvent($0, id: ids.next(), at: now, by: sender) }
        )
        do throws(AppendError) {
            return try await sequencer.append(item)
        } catch {
            throw IntakeProblem(appending: error)
        }
    }
}

extension IntakeProblem {
    /// Whether what somebody says can be kept: the database keeps no text with U+0000, and read models would stop at it.
    ///
    /// - Throws: `malformed-record` where any text or name in it has that character.
    package static func checkText(of json: JSONValue) throws(IntakeProblem) {
        guard !json.holdsNUL else { throw IntakeProblem(.malformedRecord, "Text cannot hold the character U+0000.") }
    }
}

extension JSONValue {
    fileprivate var holdsNUL: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .array(let values): values.contains(where: \.holdsNUL)
        case .object(let object): object.members.contains { $0.value.holdsNUL || $0.key.utf8.contains(0) }
        case .null, .bool, .number: false
        }
    }
}

extension ProposedEvent {
    /// What a sender says.
    ///
    /// - Throws: What writing the event's data throws.
    package init(
        _ event: some LedgerEvent,
        id: UUID128,
        at: Timestamp,
        by sender: Sender,
        causation: UUID128? = nil
    ) throws {
        self.init(event, data: try event.data().text, id: id, at: at, by: sender, causation: causation)
    }

    /// What a sender says.
    ///
    /// - Parameter data: The canonical JSON of the event's data.
    package init(
        _ event: some LedgerEvent,
        data: String,
        id: UUID128,
        at: Timestamp,
        by sender: Sender,
        causation: UUID128? = nil
    ) {
        self.init(
            id: id,
            type: event.type,
            schema: event.schema,
            occurredAt: at,
            actor: sender.actor,
            correlation: sender.correlation,
            causation: causation,
            data: data,
            source: EventSource(event)
        )
    }
}
