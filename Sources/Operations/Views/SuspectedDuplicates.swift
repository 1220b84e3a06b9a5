import Canonical
import EventLog
package import Ledger
package import Projections

extension Ledger {
    /// How far back suspected duplicates are looked for when no time is given: each payment is compared with others, and a
    /// back office works on what is new.
    private static var suspicionMicroseconds: Int64 { 30 * 86_400_000_000 }

    /// Up to `limit` pairs of payments that may be one, the newest first, before the given position. Without a time to begin
    /// with, those first told within the last thirty days.
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
