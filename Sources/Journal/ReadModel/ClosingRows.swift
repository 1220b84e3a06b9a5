import EventLog
import Matching
import Payments
import Postgres
import Projections

/// The closings of business days that a run records, as rows. A row holds for the entries of later positions.
enum ClosingRows {
    /// - Throws: `UnappliedEvent` for an event that cannot be read.
    static func write(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        for event in run.events {
            guard let period = StreamName.periodID(event.stream) else { continue }
            let step: [PostgresValue] = [.text(event.tenant), .uuid(period), .int64(event.position)]
            switch try event.fact(PeriodEvent.self) {
            case .closed(let closing):
                // Other names are as links store them: a long one is its digest already.
                let others = closing.otherNames ?? []
                let names = [closing.merchant.storableKey] + others + others.map(\.storableKey)
                _ = try await transaction.execute(
                    """
                    INSERT INTO closings (tenant, merchant, day, position, period)
                    SELECT DISTINCT $1, m.name, $4::text::date, $3, $2
                    FROM unnest($5::text[]) AS n (name)
                    -- Lines of statements have the first 500 characters.
                    CROSS JOIN LATERAL (VALUES (n.name), (left(n.name, 500))) AS m (name)
                    """,
                    step + [.text(closing.day), .textArray(names)]
                )
            case .reopened:
                _ = try await transaction.execute(
                    "UPDATE closings SET until = $3 WHERE tenant = $1 AND period = $2 AND until IS NULL",
                    step
                )
            }
        }
    }
}
