import Synchronization

/// One caller waiting for the fate of its item. Answered once: by the writer, or by the caller's own cancellation.
final class AppendTicket: Sendable {
    typealias Answer = Result<AppendResult, AppendError>

    private enum State {
        case idle
        case waiting(CheckedContinuation<Answer, Never>)
        case answered(Answer)
        case done
    }

    private let state = Mutex(State.idle)

    /// Waits for the answer; called once.
    ///
    /// - Parameter continuation: Resumed at once when the answer is there already.
    func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        let answer: Answer? = state.withLock { state in
            if case .answered(let answer) = state {
                state = .done
                return answer
            }
            state = .waiting(continuation)
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    /// Gives the answer; the first one counts.
    func resume(returning answer: Answer) {
        let continuation: CheckedContinuation<Answer, Never>? = state.withLock { state in
            switch state {
            case .idle:
                state = .answered(answer)
                return nil
            case .waiting(let continuation):
                state = .done
                return continuation
            case .answered, .done: return nil
            }
        }
        continuation?.resume(returning: answer)
    }
}
