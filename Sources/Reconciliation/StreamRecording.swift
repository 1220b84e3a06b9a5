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

/// Events of one stream on their way to the log, in order: while one run of them is appended, the next is made. For one
/// caller.
actor StreamRecording<Event: WrittenEvent> {
    private let sequencer: Sequencer
    private let ids: any UUIDGenerator
    private let clock: any WallClock
    private let stream: String
    private let sender: Sender
    private let disturbed: any Error
    /// Of the stream, once everything handed over is appended.
    private var version: Int64
    private var appending: Task<Int64, any Error>?
    private var position: Int64 = 0

    private init(
        _ sequencer: Sequencer,
        _ ids: any UUIDGenerator,
        _ clock: any WallClock,
        _ stream: String,
        _ sender: Sender,
        _ version: Int64,
        _ disturbed: any Error
    ) {
        self.sequencer = sequencer
        self.ids = ids
        self.clock = clock
        self.stream = stream
        self.sender = sender
        self.version = version
        self.disturbed = disturbed
    }

    /// Records what `body` hands over. Nothing of it is on its way any more when this returns or throws.
    ///
    /// - Parameters:
    ///   - version: Of the stream now.
    ///   - disturbed: What is thrown when somebody else appends to the stream.
    /// - Throws: What `body` throws, and what became of what it handed over: `disturbed`, `IntakeProblem`.
    static func with<Result>(
        sequencer: Sequencer,
        ids: any UUIDGenerator,
        clock: any WallClock,
        stream: String,
        sender: Sender,
        version: Int64,
        disturbed: any Error,
        _ body: (StreamRecording) async throws -> Result
    ) async throws -> Result {
        let recording = StreamRecording(sequencer, ids, clock, stream, sender, version, disturbed)
        do {
            let result = try await body(recording)
            try await recording.finish()
            return result
        } catch {
            // Why it ended is known; what is on its way arrives, or is given up where the caller is cancelled.
            _ = try? await recording.finish()
            throw error
        }
    }

    /// Hands events over, once those before are appended.
    ///
    /// - Parameter key: Of the request that they begin to answer; one that was used for another is `idempotency-mismatch`.
    /// - Throws: What became of those before.
    func append(_ events: [Event], under key: IdempotencyKey? = nil) async throws {
        try await finish()
        let item = AppendItem(
            tenant: sender.tenant,
            stream: stream,
            expected: .version(version),
            idempotency: [key].compactMap(\.self),
            events: try events.map { event in
                ProposedEvent(event, data: try event.text(), id: ids.next(), at: clock.now(), by: sender)
            }
        )
        version += Int64(events.count)
        appending = Task { [sequencer, disturbed] in
            do {
                switch try await sequencer.append(item) {
                case .appended(let range): return range.lastPosition
                // Somebody else has begun to answer the same request.
                case .duplicate where key != nil: throw disturbed
                case .duplicate(let range): return range.lastPosition
                case .mismatch where key != nil: throw IntakeProblem.idempotencyMismatch
                case .conflict, .claimed, .mismatch: throw disturbed
                }
            } catch let error as AppendError {
                throw IntakeProblem(appending: error)
            }
        }
    }

    /// Waits until everything that was handed over is appended; a caller who is cancelled need not wait.
    ///
    /// - Returns: The position of the last event; 0 before the first.
    /// - Throws: What became of it.
    @discardableResult func finish() async throws -> Int64 {
        guard let last = appending else { return position }
        defer { appending = nil }
        position = try await withTaskCancellationHandler {
            try await last.value
        } onCancel: {
            last.cancel()
        }
        return position
    }
}

extension StatementEvent: WrittenEvent {
    func text() throws -> String {
        if case .partRecorded(let part) = self { return part.text }
        return try data().text
    }
}
