import EventLog
import Payments
import Synchronization

/// The payments this process has recently written or read, so that the next document about one of them needs no
/// reading. Bounded.
///
/// A key always leads to the same stream, and a history is only used together with its version, which the append
/// checks. Only a log that lost its newest events could make it wrong: the append then refuses what was decided from
/// memory, and everything is dropped.
package final class PaymentMemory: Sendable {
    /// A reference type, since the state of a payment is large and is passed around.
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
    ///   - keys: The largest number of payment names kept.
    ///   - payments: The largest number of payments kept; each takes a few kilobytes.
    package init(keys: Int = 32_768, payments: Int = 4_096) {
        limits = (keys, payments)
        state = Mutex(State(owners: RecentValues(limit: keys), payments: RecentValues(limit: payments)))
    }

    /// Counts how often everything was dropped. A reader of the log reads it before reading the log, and passes it to
    /// `learn`.
    var era: Int { state.withLock(\.era) }

    /// The stream a key is known to lead to.
    func owner(of key: TenantName) -> String? {
        state.withLock { $0.owners[key] }
    }

    func payment(_ stream: TenantName) -> Payment? {
        state.withLock { $0.payments[stream] }
    }

    /// The streams of the tenant's remembered payments that meet a condition.
    func streams(of tenant: String, where isMatching: (TransactionState) -> Bool) -> [String] {
        let payments = state.withLock { $0.payments.entries }
        return payments.filter { $0.key.tenant == tenant && isMatching($0.value.history.state) }.map(\.key.name)
    }

    /// Stores a durable payment and its keys.
    ///
    /// - Parameter era: The era in which it was read or appended; facts of an earlier era are not stored.
    func learn(_ payment: Payment?, on stream: TenantName, keys: [TenantName], era: Int) {
        state.withLock { state in
            guard state.era == era else { return }
            for key in keys { state.owners[key] = stream.name }
            guard let payment else { return }
            // Another request may have advanced further meanwhile.
            if let known = state.payments[stream], known.history.version > payment.history.version { return }
            state.payments[stream] = payment
        }
    }

    /// Drops a payment of which the log holds more than is known here.
    func forget(_ stream: TenantName) {
        state.withLock { $0.payments[stream] = nil }
    }

    /// Drops everything: the log is not the one this was read from.
    package func clear() {
        state.withLock { state in
            state.era += 1
            state.owners = RecentValues(limit: limits.keys)
            state.payments = RecentValues(limit: limits.payments)
        }
    }
}
