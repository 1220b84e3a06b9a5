import Canonical
import EventLog
import Payments
package import Postgres

/// The read model `merchants`: the newest description of each merchant's time zone and cut-off, and the names that
/// payments have reported together.
package struct MerchantsProjection: Projection {
    package let name = "merchants"
    package let version = 3
    package let definition = EmbeddedFiles.merchants_sql
    package let contents = [
        ProjectionTable("merchants", key: ["tenant", "merchant"]),
        ProjectionTable("linked_names", key: ["tenant", "name", "role", "owner", "owner_role", "vendor"]),
    ]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        try await MerchantLink.insert(run.merchantLinks(), into: "linked_names", in: transaction)
        // Bytes, because text that is canonically equivalent may name different merchants.
        var newest: [[[UInt8]]: (event: RecordedEvent, reported: MerchantDescription)] = [:]
        for event in run.events where event.type == TenantEvent.Name.merchantDescribed.rawValue {
            guard event.stream == StreamName.tenant(event.tenant) else { continue }
            do {
                let data = try JSONValue(parsing: event.data.utf8)
                let reported = try JSONValueDecoder().decode(MerchantDescription.self, from: data)
                newest[[Array(event.tenant.utf8), Array(reported.merchant.storable.utf8)]] = (event, reported)
            } catch {
                throw UnappliedEvent(position: event.position, cause: error)
            }
        }
        guard !newest.isEmpty else { return }
        let rows = newest.values.sorted { $0.event.position < $1.event.position }
        _ = try await transaction.execute(
            """
            INSERT INTO merchants (tenant, merchant, zone, cutoff, reason, position, described_by, described_at)
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int8[], $7::text[],
                $8::timestamptz[])
            ON CONFLICT (tenant, merchant) DO UPDATE SET zone = excluded.zone, cutoff = excluded.cutoff,
                reason = excluded.reason, position = excluded.position, described_by = excluded.described_by,
                described_at = excluded.described_at
            """,
            [
                .textArray(rows.map(\.event.tenant)), .textArray(rows.map(\.reported.merchant.storable)),
                .textArray(rows.map(\.reported.zone.storable)), .textArray(rows.map(\.reported.cutoff.storable)),
                .textArray(rows.map(\.reported.reason.storable)), .int64Array(rows.map(\.event.position)),
                .textArray(rows.map(\.event.actor.storable)), .timestamptzArray(rows.map(\.event.recordedAt)),
            ]
        )
    }
}
