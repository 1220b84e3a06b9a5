import Canonical
import EventLog
import Payments
package import Postgres

/// The read model `checkouts`: every wallet checkout, from its own stream and from those of the payments made with it.
package struct CheckoutsProjection: Projection {
    package let name = "checkouts"
    package let version = 2
    package let definition = EmbeddedFiles.checkouts_sql
    package let contents = [ProjectionTable("checkouts", key: ["tenant", "id"])]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        var reported = try Reported.onPayments(run)
        reported += try Reported.onStreams(run)
        guard !reported.isEmpty else { return }
        reported.sort { $0.position < $1.position }
        var rows = try await known(Set(reported.map(\.key)), in: transaction)
        for one in reported {
            let at = one.event.report.at?.instant ?? one.occurredAt
            let vendor = one.event.report.checkout.vendor
            rows[one.key, default: CheckoutView(one.key.id, vendor: vendor, at: at, position: one.position)]
                .fold(one.event, of: one.payment, at: at, position: one.position)
        }
        try await write(rows, in: transaction)
    }

    private func known(
        _ keys: Set<Key>,
        in transaction: borrowing PostgresTransaction
    ) async throws -> [Key: CheckoutView] {
        let keys = Array(keys)
        let rows = try await transaction.query(
            """
            SELECT c.tenant, c.view::text FROM checkouts c
            JOIN unnest($1::text[], $2::text[]) AS k (tenant, id) USING (tenant, id)
            """,
            [.textArray(keys.map(\.tenant)), .textArray(keys.map(\.id))]
        )
        var known: [Key: CheckoutView] = [:]
        for row in rows {
            let view = try JSONValueDecoder().decode(CheckoutView.self, from: JSONValue(parsing: row.text(1).utf8))
            known[Key(tenant: try row.text(0), id: view.id)] = view
        }
        return known
    }

    private func write(_ rows: [Key: CheckoutView], in transaction: borrowing PostgresTransaction) async throws {
        let rows = Array(rows)
        _ = try await transaction.execute(
            """
            INSERT INTO checkouts (tenant, id, vendor, status, transaction, first_position, last_position, last_seen, view)
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::int8[], $7::int8[],
                $8::timestamptz[], $9::json[])
            ON CONFLICT (tenant, id) DO UPDATE SET
                status = excluded.status, transaction = excluded.transaction, last_position = excluded.last_position,
                last_seen = excluded.last_seen, view = excluded.view
            """,
            [
                .textArray(rows.map(\.key.tenant)),
                .textArray(rows.map(\.key.id)),
                .textArray(rows.map(\.value.vendor.rawValue)),
                .textArray(rows.map(\.value.status.rawValue)),
                .uuidArray(rows.map { $0.value.transactions.last.flatMap { UUID128($0) } }),
                .int64Array(rows.map(\.value.firstPosition)),
                .int64Array(rows.map(\.value.lastPosition)),
                .timestamptzArray(rows.map(\.value.lastSeen)),
                .jsonArray(try rows.map { try JSONValueEncoder().encode($0.value).text }),
            ]
        )
    }
}

/// A checkout of a tenant.
private struct Key: Hashable {
    var tenant: String
    /// The digest of the token, as in the name of its stream.
    var id: String
}

/// One event of the log about a checkout.
private struct Reported {
    var key: Key
    var event: CheckoutEvent
    var payment: UUID128?
    var occurredAt: Timestamp
    var position: Int64

    static func onPayments(_ run: LogRun) throws(UnappliedEvent) -> [Reported] {
        var reported: [Reported] = []
        for payment in try run.payments() {
            for step in payment.steps {
                guard case .checkout(let event) = step.fact else { continue }
                let id = StreamName.checkoutID(event.report.checkout)
                reported.append(
                    Reported(
                        key: Key(tenant: payment.tenant, id: id),
                        event: event,
                        payment: payment.id,
                        occurredAt: step.occurredAt,
                        position: step.position
                    )
                )
            }
        }
        return reported
    }

    static func onStreams(_ run: LogRun) throws(UnappliedEvent) -> [Reported] {
        var reported: [Reported] = []
        for event in run.events {
            guard let id = StreamName.checkoutID(event.stream), CheckoutEventName(rawValue: event.type) != nil,
                case .report(let report) = try event.fact(CheckoutStreamEvent.self)
            else { continue }
            reported.append(
                Reported(
                    key: Key(tenant: event.tenant, id: id),
                    event: report,
                    payment: nil,
                    occurredAt: event.occurredAt,
                    position: event.position
                )
            )
        }
        return reported
    }
}
