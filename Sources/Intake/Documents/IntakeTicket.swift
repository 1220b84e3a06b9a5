import Synchronization

/// A sender waiting for the fate of its document. Settled once, by the window or by the sender's own cancellation.
final class IntakeTicket: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<IntakeRun.Fate, Never>)
        case settled(IntakeRun.Fate)
        case done
    }

    private let state = Mutex(State.open)

    /// Waits for the fate; called once.
    ///
    /// - Parameter continuation: Resumed at once when it is settled already.
    func wait(_ continuation: CheckedContinuation<IntakeRun.Fate, Never>) {
        let fate: IntakeRun.Fate? = state.withLock { state in
            guard case .settled(let fate) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .done
            return fate
        }
        if let fate { continuation.resume(returning: fate) }
    }

    /// Gives the fate; the first one counts.
    func settle(_ fate: IntakeRun.Fate) {
        let waiter: CheckedContinuation<IntakeRun.Fate, Never>? = state.withLock { state in
            switch state {
            case .open: state = .settled(fate)
            case .waiting(let continuation):
                state = .done
                return continuation
            case .settled, .done: break
            }
            return nil
        }
        waiter?.resume(returning: fate)
    }
}
