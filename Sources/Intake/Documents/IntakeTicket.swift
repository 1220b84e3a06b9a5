import Synchronization

/// A sender that waits for the result of its document. Settled once, by the window or by the sender's own cancellation.
final class IntakeTicket: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<IntakeRun.RecordOutcome, Never>)
        case settled(IntakeRun.RecordOutcome)
        case done
    }

    private let state = Mutex(State.open)

    /// Waits for the result; called once.
    ///
    /// - Parameter continuation: Resumed immediately if the result is already set.
    func wait(_ continuation: CheckedContinuation<IntakeRun.RecordOutcome, Never>) {
        let recordOutcome: IntakeRun.RecordOutcome? = state.withLock { state in
            guard case .settled(let recordOutcome) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .done
            return recordOutcome
        }
        if let recordOutcome { continuation.resume(returning: recordOutcome) }
    }

    /// Sets the result; only the first one counts.
    func settle(_ recordOutcome: IntakeRun.RecordOutcome) {
        let waiter: CheckedContinuation<IntakeRun.RecordOutcome, Never>? = state.withLock { state in
            switch state {
            case .open: state = .settled(recordOutcome)
            case .waiting(let continuation):
                state = .done
                return continuation
            case .settled, .done: break
            }
            return nil
        }
        waiter?.resume(returning: recordOutcome)
    }
}
