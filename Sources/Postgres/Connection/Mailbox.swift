import Synchronization

/// Passes notifications from the connection's thread, which never waits, to one reader. Folding notifications keeps it
/// bounded.
final class Mailbox: Sendable {
    /// The number of different notifications kept. Beyond it, a channel's payloads are folded into one notification
    /// without payload.
    static let limit = 64

    private struct State {
        var waiting: [PostgresNotification] = []
        var reader: CheckedContinuation<PostgresNotification?, any Error>?
        var end: Result<Void, PostgresError>?
    }

    private let state = Mutex(State())
    let channels: Set<String>

    init(channels: Set<String>) {
        self.channels = channels
    }

    var isFinished: Bool { state.withLock { $0.end != nil } }

    func deliver(_ notification: PostgresNotification) {
        guard channels.contains(notification.channel) else { return }
        let reader: CheckedContinuation<PostgresNotification?, any Error>? = state.withLock { state in
            guard state.end == nil else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            let folded = PostgresNotification(channel: notification.channel, payload: nil)
            if state.waiting.contains(notification) || state.waiting.contains(folded) { return nil }
            if state.waiting.count >= Self.limit {
                state.waiting.removeAll { $0.channel == notification.channel }
                state.waiting.append(folded)
            } else {
                state.waiting.append(notification)
            }
            return nil
        }
        reader?.resume(returning: notification)
    }

    /// Ends the stream. Waiting notifications are still read first, unless the reader has left.
    func finish(throwing error: PostgresError? = nil) {
        let reader = state.withLock { state in
            if state.end == nil { state.end = error.map { .failure($0) } ?? .success(()) }
            defer { state.reader = nil }
            return state.reader
        }
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }

    /// The next notification; nil at the end or when the task is cancelled.
    func next() async throws -> PostgresNotification? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<PostgresNotification?, PostgresError>? = state.withLock { state in
                    precondition(state.reader == nil, "notifications have one reader")
                    if !state.waiting.isEmpty { return .success(state.waiting.removeFirst()) }
                    if let end = state.end { return end.map { nil } }
                    state.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer.mapError { $0 }) }
            }
        } onCancel: {
            finish()
        }
    }
}
