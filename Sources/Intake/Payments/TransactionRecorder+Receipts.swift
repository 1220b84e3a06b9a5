package import Canonical
import EventLog
package import Payments
import Redaction

extension TransactionRecorder {
    /// Records that a copy of a payment's receipt was printed or handed out.
    ///
    /// - Parameters:
    ///   - reason: The reason in the sender's words; scrubbed before it is stored.
    ///   - idempotencyKey: A repeat under the same key is the same print.
    /// - Returns: Nil when the tenant has no such payment.
    /// - Throws: `IntakeProblem`, or the errors of reading the log.
    package func issueReceipt(
        _ copy: ReceiptCopy,
        of transaction: UUID128,
        reason: String?,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> IssuedReceipt? {
        let stream = StreamName.transaction(transaction)
        guard try await !reader.stream(stream, of: sender.tenant, from: 1, limit: 1).isEmpty else { return nil }
        let scrubbed = reason.map { TextScrubber().scrub($0).text }
        // The digest of a card number can be reversed by trying all numbers.
        let key = idempotencyKey.flatMap { TextScrubber().scrub($0).text == $0 ? $0 : nil }
        let identity = key.map {
            IdempotencyKey(key: digest(["key", $0]), request: digest(["receipt", stream, copy.rawValue, scrubbed]))
        }
        let result: AppendResult
        do {
            result = try await record(
                [.receiptIssued(ReceiptIssue(copy: copy, reason: scrubbed))],
                from: nil,
                stream: stream,
                keys: [],
                idempotency: identity.map { [$0] } ?? [],
                policy: LifecyclePolicy(),
                occurredAt: clock.now(),
                sender: sender,
                isIntake: true
            )
        } catch let error as AppendError {
            throw IntakeProblem(appending: error)
        }
        switch result {
        case .appended(let range): return try await issued(copy, transaction, at: range.firstPosition, sender, false)
        case .duplicate(let range): return try await issued(copy, transaction, at: range.firstPosition, sender, true)
        case .mismatch: throw IntakeProblem.idempotencyMismatch
        case .conflict(let actual): throw IntakeProblem.versionConflict(actual: actual)
        case .claimed: throw IntakeProblem(appending: AppendError(.refused))
        }
    }

    private func issued(
        _ copy: ReceiptCopy,
        _ transaction: UUID128,
        at position: Int64,
        _ sender: Sender,
        _ isDuplicate: Bool
    ) async throws -> IssuedReceipt {
        let stream = StreamName.transaction(transaction)
        var state = try await history(of: TenantName(tenant: sender.tenant, name: stream)).history.state
        // A print of before, or one that other events have followed already.
        if try await reader.event(at: position, of: sender.tenant)?.version != state.version {
            let events = try await reader.stream(stream, of: sender.tenant)
            state = TransactionState(folding: try events.filter { $0.position <= position }.map(TransactionEvent.init))
        }
        return IssuedReceipt(
            transaction: transaction,
            copy: copy,
            count: state.receipts[copy],
            position: position,
            isDuplicate: isDuplicate
        )
    }
}

/// A receipt that was handed out.
package struct IssuedReceipt: Sendable, Hashable {
    package var transaction: UUID128
    package var copy: ReceiptCopy
    /// The running number of this copy, from 1; all but the first are reprints.
    package var count: Int
    package var position: Int64
    package var isDuplicate: Bool
}
