import Canonical
import Synchronization

/// Counts the wrong keys from each address within a window, and makes an address with too many wait. A key cannot be
/// guessed; many wrong keys come from a mistake in a script, or from an attack.
final class SignInGate: Sendable {
    /// The most wrong keys of an address within the window.
    static let limit = 10
    static let windowMicroseconds: Int64 = 5 * 60 * 1_000_000
    /// The most addresses that are kept; beyond that the oldest is dropped.
    static let capacity = 4096

    private struct Attempts {
        var failures: Int
        /// The beginning of the window.
        var since: Timestamp
    }

    private let attempts = Mutex<[String: Attempts]>([:])

    /// The number of addresses that are kept.
    var count: Int { attempts.withLock { $0.count } }

    /// Counts a wrong key from an address.
    ///
    /// - Returns: The seconds until the window ends, if the address has reached the limit; else nil.
    func failed(_ address: String, at now: Timestamp) -> Int? {
        attempts.withLock { attempts in
            if var known = attempts[address], now.microseconds(since: known.since) < Self.windowMicroseconds {
                guard known.failures < Self.limit else {
                    let rest = Self.windowMicroseconds - now.microseconds(since: known.since)
                    return Int(min(rest, Self.windowMicroseconds) + 999_999) / 1_000_000
                }
                known.failures += 1
                attempts[address] = known
                return nil
            }
            if attempts.count >= Self.capacity, attempts[address] == nil {
                attempts = attempts.filter { now.microseconds(since: $0.value.since) < Self.windowMicroseconds }
                if attempts.count >= Self.capacity, let oldest = attempts.min(by: { $0.value.since < $1.value.since }) {
                    attempts[oldest.key] = nil
                }
            }
            attempts[address] = Attempts(failures: 1, since: now)
            return nil
        }
    }
}
