import Synchronization

/// One caller that waits for the results of its items. It is answered once: when the last result is known, or when the
/// caller is cancelled.
final class AppendTicket: Sendable {
    typealias Answer = Result<AppendResult, AppendError>

    private struct State {
        var answers: [Answer?]
        var missing: Int
        var continuation: CheckedContinuation<[Answer], Never>?
        var isDone = false
    }

    private let state: Mutex<State>

    /// - Parameter count: The number of items.
    init(count: Int) {
        state = Mutex(State(answers: Array(repeating: nil, count: count), missing: count))
    }

    /// Waits for the answers; called once.
    ///
    /// - Parameter continuation: Resumed immediately if all answers are present.
    func wait(_ continuation: CheckedContinuation<[Answer], Never>) {
        let answers: [Answer]? = state.withLock { state in
            state.continuation = continuation
            return Self.take(&state)
        }
        if let answers { continuation.resume(returning: answers) }
    }

    /// Sets the answer of the item at `index`; later answers to the same item are ignored.
    func resume(_ index: Int, returning answer: Answer) {
        settle { state in
            guard state.answers[index] == nil else { return }
            state.answers[index] = answer
            state.missing -= 1
        }
    }

    /// Answers every item that has no answer yet.
    func resumeRest(returning answer: Answer) {
        settle { state in
            state.answers = state.answers.map { $0 ?? answer }
            state.missing = 0
        }
    }

    private func settle(_ change: (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            let continuation = state.continuation
            return Self.take(&state).flatMap { answers in continuation.map { ($0, answers) } }
        }
        if let ready { ready.0.resume(returning: ready.1) }
    }

    /// The answers, returned once, when all are present and a caller waits for them.
    private static func take(_ state: inout State) -> [Answer]? {
        guard !state.isDone, state.missing == 0, state.continuation != nil else { return nil }
        state.isDone = true
        state.continuation = nil
        return state.answers.compactMap(\.self)
    }
}
