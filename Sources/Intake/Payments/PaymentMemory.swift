import EventLog
import Payments
import Synchronization

/// What this process knows of payments from having written or read them lately, so that the next document about one
/// needs no reading. Bounded.
///
/// A key leads to one stream for ever, and a history is only used together with its version, which the append checks.
/// What could deceive it is a log that lost its newest events in a failover: then everything is forgotten.
package final class PaymentMemory: Sendable {
    /// In a box, since the state of a payment is large and is handed around.
    final class Payment: Sendable {
        let history: PaymentHistory

        init(_ history: PaymentHistory) { self.history = history }
    }

    private struct State {
        var owners: RecentValues<TenantName, String>
        var payments: RecentValues<TenantName, Payment>
        var era = 0
    }

    private let limits: (keys: Int, payments: Int)
    private let state: Mutex<State>

    /// - Parameters:
    ///   - keys: How many names of payments are kept at most.
    ///   - payments: How many payments are kept at most; each takes a few kilobytes.
    package init(keys: Int = 32_768, payments: Int = 4_096) {
        limits = (keys, payments)
        state = Mutex(State(owners: RecentValues(limit: keys), payments: RecentValues(limit: payments)))
    }

    /// Counts the times everything was forgotten. Whoever reads the log takes it before reading, and hands it to
    /// `learn`.
    var era: Int { state.withLock(\.era) }

    /// The stream a key is known to lead to.
    func owner(of key: TenantName) -> String? {
        state.withLock { $0.owners[key] }
    }

    /// The payment of a stream.
    func payment(_ stream: TenantName) -> Payment? {
        state.withLock { $0.payments[stream] }
    }

    /// Keeps what is durable.
    ///
    /// - Parameter era: When it was read or appended; what is of a log before the present one is not kept.
    func learn(_ payment: Payment?, on stream: TenantName, keys: [TenantName], era: Int) {
        state.withLock { state in
            guard state.era == era else { return }
            for key in keys { state.owners[key] = stream.name }
            guard let payment else { return }
            // Another request may have got further meanwhile.
            if let known = state.payments[stream], known.history.version > payment.history.version { return }
            state.payments[stream] = payment
        }
    }

    /// Drops a payment of which more is in the log than is known here.
    func forget(_ stream: TenantName) {
        state.withLock { $0.payments[stream] = nil }
    }

    /// Forgets everything: the log is not the one this was learnt from.
    package func clear() {
        state.withLock { state in
            state.era += 1
            state.owners = RecentValues(limit: limits.keys)
            state.payments = RecentValues(limit: limits.payments)
        }
    }
}
