package import Canonical
import EventLog
import Payments
package import Projections

// Past states of batches, from their own events and the stored versions of their lines.
extension Ledger {
    /// A batch from all events up to `position`; nil when no event had named it.
    ///
    /// - Throws: The errors of reading the log and the read model.
    package func batch(_ id: UUID128, of tenant: String, at position: Int64) async throws -> BatchView? {
        try await pastBatches.batch(id, of: tenant, at: position)
    }

    /// Reads past states of batches.
    package var pastBatches: PastBatches { PastBatches(pool: pool, reader: reader) }

    /// The position of the event that closed a batch; nil when there is none.
    package func closingPosition(of batch: BatchView, tenant: String) async throws -> Int64? {
        let stream = StreamName.batch(batch.reference, of: tenant)
        return try await reader.stream(stream, of: tenant).first { $0.type == BatchEvent.Name.batchClosed.rawValue }?
            .position
    }
}
