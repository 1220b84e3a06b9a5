import EventLog
import Payments
import Synchronization

/// What this process knows of payments from having written or read them lately, so that the next document about one
/// needs no reading. Bounded.
///
/// A key leads to one stream for ever, and a history is only used together with its version, which the append checks.
/// The one thing that can deceive it is a failover that loses the newest events: a process that remembers those has to
/// be restarted.
package final class PaymentMemory: Sendable {
    struct Name: Hashable {
        let tenant: String
        let text: String
    }

    /// In a box, since the state of a payment is large and is handed around.
    final class Payment: Sendable {
        let history: PaymentHistory

        init(_ history: PaymentHistory) { self.history = history }
    }

    private struct State {
        var owners: RecentValues<Name, String>
        var payments: RecentValues<Name, Payment>
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - keys: How many names of payments are kept at most.
    ///   - payments: How many payments are kept at most; each takes a few kilobytes.
    package init(keys: Int = 32_768, payments: Int = 4_096) {
        state = Mutex(State(owners: RecentValues(limit: keys), payments: RecentValues(limit: payments)))
    }

    /// The stream a key is known to lead to.
    func owner(of key: String, _ tenant: String) -> String? {
        state.withLock { $0.owners[Name(tenant: tenant, text: key)] }
    }

    func payment(_ stream: String, _ tenant: String) -> Payment? {
        state.withLock { $0.payments[Name(tenant: tenant, text: stream)] }
    }

    /// Keeps what is durable.
    func learn(_ payment: Payment?, on stream: String, keys: [String], of tenant: String) {
        state.withLock { state in
            for key in keys { state.owners[Name(tenant: tenant, text: key)] = stream }
            guard let payment else { return }
            let name = Name(tenant: tenant, text: stream)
            // Another request may have got further meanwhile.
            if let known = state.payments[name], known.history.version > payment.history.version { return }
            state.payments[name] = payment
        }
    }

    /// Drops a payment of which more is in the log than is known here.
    func forget(_ stream: String, _ tenant: String) {
        state.withLock { $0.payments[Name(tenant: tenant, text: stream)] = nil }
    }
}
