import Canonical
import Crypto
import EventLog
import Intake
import Payments

extension TransactionRecorder {
    /// Records what the ledger itself found about a payment, once for each name.
    ///
    /// - Returns: The position of the first event; nil when the name was recorded before, or nothing was left to record.
    /// - Throws: `IntakeProblem` when the log rejects the events, `PostgresError`.
    func recordOnce(
        _ facts: [TransactionEvent],
        on stream: String,
        as name: String,
        at time: Timestamp,
        sender: Sender
    ) async throws -> Int64? {
        let key = Array(SHA256.hash(data: Array(name.utf8)))
        do {
            let result = try await record(
                facts,
                from: nil,
                stream: stream,
                keys: [],
                idempotency: [IdempotencyKey(key: key, request: key)],
                policy: LifecyclePolicy(),
                occurredAt: time,
                sender: sender
            )
            guard case .appended(let range) = result else { return nil }
            return range.firstPosition
        } catch let error as AppendError {
            throw IntakeProblem(appending: error)
        }
    }
}
