import EventLog
import Payments
import Postgres
import Projections

/// The exports that a run records, as rows.
enum ExportRows {
    /// - Throws: `UnappliedEvent` for an event that cannot be read.
    static func insert(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        for event in run.events where StreamName.isExport(event.stream) {
            let export = try event.fact(ExportEvent.self).report
            _ = try await transaction.execute(
                """
                INSERT INTO exports (tenant, id, format, position, at, actor, details)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """,
                [
                    .text(event.tenant), .uuid(export.id), .text(export.format.rawValue), .int64(event.position),
                    .timestamptz(event.recordedAt), .text(event.actor.storable), .json(event.data),
                ]
            )
        }
    }
}
