package import Canonical
package import EventLog
package import Payments

/// Records user commands, each once on one stream: it reads the stream, decides what to record, and appends that only
/// if nothing else was appended to the stream meanwhile. A repeat under the same key is answered with what was recorded
/// the first time.
package struct CommandRecorder: Sendable {
    /// The events recorded for a command.
    package struct Entry: Sendable, Hashable {
        package var range: AppendedRange
        /// True if the same was recorded before.
        package var isDuplicate: Bool

        package var position: Int64 { range.lastPosition }
    }

    /// A conflicting record exists for something that may be recorded only once.
    package struct ConflictingRecord: Error, Hashable {}

    /// The number of attempts. A conflict means that another writer was faster. In each round at least one succeeds, so
    /// only very many concurrent writers to one stream can use up all rounds.
    private static let rounds = 64

    private let sequencer: Sequencer
    private let reader: EventReader
    private let ids: any UUIDGenerator
    private let clock: any WallClock
    /// Distinguishes the keys of its senders from those of other commands.
    private let name: String
    /// The version that a stream must not exceed; nil for no limit.
    private let versionLimit: Int64?

    package init(
        _ name: String,
        sequencer: Sequencer,
        reader: EventReader,
        ids: any UUIDGenerator,
        clock: any WallClock,
        versionLimit: Int64? = nil
    ) {
        self.name = name
        self.versionLimit = versionLimit
        self.sequencer = sequencer
        self.reader = reader
        self.ids = ids
        self.clock = clock
    }

    /// Records what `decide` returns for the newest event of a stream. If another writer appends first, it is decided
    /// again.
    ///
    /// - Parameters:
    ///   - request: The request and its sender: everything that distinguishes it from another request.
    ///   - key: The sender's name of the request.
    ///   - decide: Receives the newest event of the stream, nil before the first.
    /// - Throws: The errors of `decide`; `IntakeProblem` if the key was used for something else or the log does not
    ///   accept it; the errors of reading the log.
    package func record(
        on stream: String,
        request: [String],
        key: String?,
        sender: Sender,
        deciding decide: (_ newest: RecordedEvent?) async throws -> some LedgerEvent
    ) async throws -> Entry {
        try await recordAll(on: stream, request: request, key: key, sender: sender) { [try await decide($0)] }
    }

    /// Like `record`, for a command with several events: all of them are recorded or none.
    ///
    /// - Parameter decide: Receives the newest event of the stream, nil before the first; returns one event or more.
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

    /// Like `recordAll`, with names that are claimed together with the events. If another writer claims one of them
    /// first, it is decided again.
    ///
    /// - Parameter decide: Receives the newest event of the stream, nil before the first; returns one event or more,
    ///   and names that are still free.
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
    ///   - request: The request and its sender: everything that distinguishes it from another request.
    ///   - once: The part that may be recorded only once: of two concurrent requests, one is first.
    ///   - key: The sender's name of the request.
    /// - Throws: `ConflictingRecord` if another request recorded `once`; `IntakeProblem` if the key was used for
    ///   something else or the log does not accept it; the errors of reading the log.
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
            // A mismatch of the sender's key is reported before one of `once`.
            _ = try await earlier(key, of: sender.tenant)
            throw own == nil ? IntakeProblem.idempotencyMismatch : ConflictingRecord()
        case .claimed, .conflict: throw IntakeProblem(appending: AppendError(.refused))
        }
    }

    /// The recorded event of an entry.
    ///
    /// - Throws: `IntakeProblem`; the errors of reading the log.
    package func event(of entry: Entry) async throws -> RecordedEvent {
        guard let event = try await reader.range(entry.range).first else {
            throw IntakeProblem(appending: AppendError(.outcomeUnknown))
        }
        return event
    }

    private func key(_ key: String?, _ request: [String]) -> IdempotencyKey? {
        key.map { IdempotencyKey(key: digest([name, $0]), request: digest(request)) }
    }

    /// The entry recorded under a key.
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
            events: try events.map { try ProposedEvent($0, id: ids.next(), at: now, by: sender) },
            versionLimit: versionLimit
        )
        do throws(AppendError) {
            return try await sequencer.append(item)
        } catch {
            throw IntakeProblem(appending: error)
        }
    }
}

extension IntakeProblem {
    /// Checks that a text can be stored: the database stores no text with U+0000, and read models would stop at it.
    ///
    /// - Throws: `malformed-record` if any text or name in it has that character.
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
    /// An event of a sender.
    ///
    /// - Throws: The errors of encoding the event's data.
    package init(
        _ event: some LedgerEvent,
        id: UUID128,
        at: Timestamp,
        by sender: Sender,
        causation: UUID128? = nil
    ) throws {
        self.init(event, data: "", id: id, at: at, by: sender, causation: causation)
        try encode(event.payload)
    }

    /// An event of a sender.
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
