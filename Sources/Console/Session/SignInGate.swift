import Canonical
import Synchronization

/// How many wrong keys each address has tried of late. A key cannot be guessed; whoever tries many of them has a mistake
/// in a script, or no good intentions, and is told to wait.
final class SignInGate: Sendable {
    /// Wrong keys an address may try within the window.
    static let limit = 10
    static let windowMicroseconds: Int64 = 5 * 60 * 1_000_000
    /// Addresses that are remembered at once; beyond that the oldest is forgotten.
    static let capacity = 4096

    private struct Attempts {
        var failures: Int
        /// When the window began.
        var since: Timestamp
    }

    private let attempts = Mutex<[String: Attempts]>([:])

    /// How many addresses are remembered.
    var count: Int { attempts.withLock { $0.count } }

    /// An address has tried a wrong key.
    ///
    /// - Returns: How many seconds it is to wait, when it has tried too many already.
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
