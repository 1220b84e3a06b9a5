import Canonical
import EventLog
import Matching
import Payments
import Postgres
import Projections

/// A step of a business day, to be written to the read model.
struct PeriodStep {
    private let event: RecordedEvent
    private let period: UUID128
    private let fact: PeriodEvent

    /// Nil for an event on another stream.
    ///
    /// - Throws: `UnappliedEvent` for an event that is not a period event.
    init?(_ event: RecordedEvent) throws {
        guard let period = StreamName.periodID(event.stream) else { return nil }
        self.event = event
        self.period = period
        fact = try event.fact(PeriodEvent.self)
    }

    /// Ends the previous step, which is no longer the newest.
    private static let ending = "UPDATE periods SET until = $3 WHERE tenant = $1 AND id = $2 AND until IS NULL"

    func write(in transaction: borrowing PostgresTransaction) async throws {
        let common: [PostgresValue] = [
            .text(event.tenant), .uuid(period), .int64(event.position), .timestamptz(event.recordedAt),
            .text(event.actor.storable),
        ]
        switch fact {
        case .closed(let reported):
            _ = try await transaction.execute(
                """
                WITH ended AS (\(Self.ending) RETURNING first)
                INSERT INTO periods (tenant, id, first, position, at, actor, merchant, day, status, reason, details)
                VALUES ($1, $2, coalesce((SELECT first FROM ended), $3), $3, $4, $5, $6, $7::text::date, 'closed', $8,
                    $9::text::json)
                """,
                common + [
                    .text(reported.merchant.storable), .text(reported.day), .text(reported.reason.storable),
                    .text(event.data),
                ]
            )
        case .reopened(let reported):
            _ = try await transaction.execute(
                """
                WITH ended AS (\(Self.ending) RETURNING first, merchant, day, details)
                INSERT INTO periods (tenant, id, first, position, at, actor, merchant, day, status, reason, details)
                SELECT $1, $2, first, $3, $4, $5, merchant, day, 'reopened', $6, details FROM ended
                """,
                common + [.text(reported.reason.storable)]
            )
        }
    }
}
