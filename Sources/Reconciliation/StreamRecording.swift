import Canonical
import EventLog
import Intake
import Payments
import Statements

/// Appends events to one stream in order: while one group of events is appended, the next is prepared. For one
/// caller.
actor StreamRecording<Event: LedgerEvent> {
    private let sequencer: Sequencer
    private let ids: any UUIDGenerator
    private let clock: any WallClock
    private let stream: String
    private let sender: Sender
    private let disturbed: any Error
    /// The version of the stream once all pending events are appended.
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

    /// Records the events that `body` appends. When this returns or throws, no append is pending.
    ///
    /// - Parameters:
    ///   - version: The current version of the stream.
    ///   - disturbed: The error to throw when another writer appends to the stream.
    /// - Throws: The errors of `body` and of its appends: `disturbed`, `IntakeProblem`.
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
            // The error is known already. A pending append completes, or is cancelled with the caller.
            _ = try? await recording.finish()
            throw error
        }
    }

    /// Appends events after the previous ones are appended.
    ///
    /// - Parameter key: The key of the request that they begin to answer. A key that was used for another request
    ///   throws `idempotency-mismatch`.
    /// - Throws: The error of the previous append.
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
                // Another process has begun to answer the same request.
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

    /// Waits until all events are appended; ends early when the caller is cancelled.
    ///
    /// - Returns: The position of the last event; 0 before the first.
    /// - Throws: The error of the append.
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
