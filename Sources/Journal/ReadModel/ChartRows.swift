import EventLog
import Payments
import Postgres
import Projections

/// The versions of charts that a run records, as rows.
enum ChartRows {
    /// - Throws: `UnappliedEvent` for an event that cannot be read.
    static func insert(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        for event in run.events
        where StreamName.isChart(event.stream) && event.stream == StreamName.chart(of: event.tenant) {
            let chart = try event.fact(ChartEvent.self).report
            _ = try await transaction.execute(
                """
                INSERT INTO charts (tenant, version, position, at, actor, details) VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [
                    .text(event.tenant), .int64(chart.version), .int64(event.position),
                    .timestamptz(event.recordedAt), .text(event.actor.storable), .json(event.data),
                ]
            )
        }
    }
}
