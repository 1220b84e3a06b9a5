import Canonical
import EventLog
import Intake
import Payments
import Statements

/// An event whose payload was written as text.
protocol WrittenEvent: LedgerEvent {
    /// The canonical JSON of its data.
    func text() throws -> String
}

/// Events of one stream on their way to the log, in order: while one run of them is appended, the next is made.
struct StreamRecording<Event: WrittenEvent>: Sendable {
    private let sequencer: Sequencer
    private let ids: any UUIDGenerator
    private let clock: any WallClock
    private let stream: String
    private let sender: Sender
    private let disturbed: any Error
    /// Of the stream, once everything handed over is appended.
    private(set) var version: Int64
    private var appending: Task<Int64, any Error>?

    /// - Parameters:
    ///   - version: Of the stream now.
    ///   - disturbed: What is thrown when somebody else appends to the stream.
    init(
        sequencer: Sequencer,
        ids: any UUIDGenerator,
        clock: any WallClock,
        stream: String,
        sender: Sender,
        version: Int64,
        disturbed: any Error
    ) {
        self.sequencer = sequencer
        self.ids = ids
        self.clock = clock
        self.stream = stream
        self.sender = sender
        self.version = version
        self.disturbed = disturbed
    }

    /// Hands events over, once those before are appended.
    ///
    /// - Throws: What became of those before.
    mutating func append(_ events: [Event]) async throws {
        _ = try await finish()
        let item = AppendItem(
            tenant: sender.tenant,
            stream: stream,
            expected: .version(version),
            events: try events.map { event in
                ProposedEvent(
                    id: ids.next(),
                    type: event.type,
                    schema: event.schema,
                    occurredAt: clock.now(),
                    actor: sender.actor,
                    correlation: sender.correlation,
                    data: try event.text(),
                    source: EventSource(event)
                )
            }
        )
        version += Int64(events.count)
        appending = Task { [sequencer, disturbed] in
            do {
                switch try await sequencer.append(item) {
                case .appended(let range), .duplicate(let range): return range.lastPosition
                case .conflict, .claimed, .mismatch: throw disturbed
                }
            } catch let error as AppendError {
                throw IntakeProblem(appending: error)
            }
        }
    }

    /// - Returns: The position of the last event; 0 before the first.
    mutating func finish() async throws -> Int64 {
        defer { appending = nil }
        return try await appending?.value ?? 0
    }
}

extension StatementEvent: WrittenEvent {
    func text() throws -> String {
        if case .partRecorded(let part) = self { return part.text }
        return try data().text
    }
}
