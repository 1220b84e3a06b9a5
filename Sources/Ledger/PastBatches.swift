package import Canonical
import EventLog
import Payments
package import Projections

// What batches were, by their own events and the forms their lines had.
extension Ledger {
    /// A batch as it was when everything up to `position` was in; nil when nothing had named it.
    ///
    /// - Throws: What reading the log and the read model throws.
    package func batch(_ id: UUID128, of tenant: String, at position: Int64) async throws -> BatchView? {
        try await pastBatches.batch(id, of: tenant, at: position)
    }

    /// Batches as they were.
    package var pastBatches: PastBatches { PastBatches(pool: pool, reader: reader) }

    /// Where the log tells that a batch was closed; nil while it does not.
    package func closingPosition(of batch: BatchView, tenant: String) async throws -> Int64? {
        let stream = StreamName.batch(batch.reference, of: tenant)
        return try await reader.stream(stream, of: tenant).first { $0.type == BatchEvent.Name.batchClosed.rawValue }?
            .position
    }
}
