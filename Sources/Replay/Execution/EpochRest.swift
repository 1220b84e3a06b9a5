package import Canonical
package import EventLog
package import Gateways
import Payments
package import ReplayRules

/// The time after the adoption of a log in which no replay begins: a call whose record was lost may still take effect,
/// and a gateway may not report it yet.
package struct EpochRest: Sendable, Hashable {
    /// The longest call to any gateway, and the longest wait before "not posted" of one of them is believed.
    package let microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// - Parameter book: The present rules.
    package init(gateways: GatewayRegistry, book: RuleBook) {
        let call = gateways.longestCallMilliseconds
        let wait = gateways.vendors.compactMap { book.limit("wait.unposted", $0.rawValue)?.number }.max() ?? 0
        self.init(microseconds: call * 1_000 + wait * 1_000_000)
    }

    /// The time at which replays may begin; nil if the log was never adopted.
    package func end(of epoch: LogEpoch?) -> Timestamp? { epoch?.beganAt?.adding(microseconds: microseconds) }
}
