import EventLog
import HTTPEdge
import Synchronization

/// The receipts answered last. An answer depends on nothing but its key, so it never becomes stale: the receipt itself
/// is read for every request.
final class KeptReceipts: Sendable {
    struct Key: Hashable {
        var tenant: String
        /// The epoch of the log, which a proof belongs to.
        var epoch: Int64?
        /// The receipt as it is stored.
        var json: String
        /// The part of the entity tag that the form and the merchant's zone determine.
        var form: String
    }

    struct Answer: Sendable {
        var tag: String
        var response: EdgeResponse
    }

    /// More bytes than almost every receipt, with its key, has.
    private static let greatestBytes = 16 << 10

    private let answers: Mutex<RecentValues<Key, Answer>>

    init(limit: Int = 2048) {
        answers = Mutex(RecentValues(limit: limit))
    }

    var count: Int { answers.withLock(\.count) }

    func answer(_ key: Key) -> Answer? { answers.withLock { $0[key] } }

    /// Keeps an answer, unless it is large.
    func keep(_ answer: Answer, for key: Key) {
        guard case .bytes(let body) = answer.response.body, body.count + key.json.utf8.count <= Self.greatestBytes
        else {
            return
        }
        answers.withLock { $0[key] = answer }
    }

    /// Forgets everything: the log is in another epoch.
    func clear() { answers.withLock { $0.clear() } }
}
