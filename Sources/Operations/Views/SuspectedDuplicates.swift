import Canonical
import EventLog
package import Ledger
package import Projections

extension Ledger {
    /// The default period of the search for suspected duplicates. Each payment is compared with others, and a back
    /// office works on recent ones.
    private static var suspicionMicroseconds: Int64 { 30 * 86_400_000_000 }

    /// Up to `limit` pairs of payments that may be one charged twice, newest first, before the given position. Without
    /// a start time: those first recorded within the last thirty days.
    package func suspects(
        of tenant: String,
        matching filter: DuplicateQuery.Filter,
        before position: Int64 = .max,
        limit: Int
    ) async throws -> [SuspectedDuplicate] {
        var filter = filter
        if filter.occurredFrom == nil {
            let since = clock.now().adding(microseconds: -Self.suspicionMicroseconds)
            filter.after = try await reader.position(recordedUpTo: since)
        }
        return try await duplicates.duplicates(of: tenant, matching: filter, before: position, limit: limit)
    }
}
