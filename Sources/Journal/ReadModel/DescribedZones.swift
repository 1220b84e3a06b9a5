import Canonical
import EventLog
import Payments
import Postgres
import Projections

/// The business days of merchants that the events of a run describe.
struct DescribedZones {
    private struct Description {
        let tenant: String
        let position: Int64
        let merchant: String
        let zone: String
        let cutoff: String
    }

    private var found: [Description] = []

    /// - Throws: `UnappliedEvent` for a description that cannot be read.
    init(_ events: [RecordedEvent]) throws {
        for event in events where event.type == TenantEvent.Name.merchantDescribed.rawValue {
            guard event.stream == StreamName.tenant(event.tenant) else { continue }
            do {
                let data = try JSONValue(parsing: event.data.utf8)
                let reported = try JSONValueDecoder().decode(MerchantDescription.self, from: data)
                // A zone that this build does not know leaves the one before in force.
                guard BusinessDay(zone: reported.zone, cutoff: reported.cutoff) != nil else { continue }
                found.append(
                    Description(
                        tenant: event.tenant,
                        position: event.position,
                        merchant: reported.merchant.storableKey,
                        zone: reported.zone.storable,
                        cutoff: reported.cutoff.storable
                    )
                )
            } catch {
                throw UnappliedEvent(position: event.position, cause: error)
            }
        }
    }

    /// The business days of the merchants of entries, as they were described up to each position.
    func read(for entries: [Entry], in transaction: borrowing PostgresTransaction) async throws -> ZonesInForce {
        var zones = ZonesInForce()
        var merchants: [(tenant: String, merchant: String)] = []
        for entry in entries {
            for leg in entry.legs {
                guard let merchant = leg.merchant?.storableKey, zones.isFirst(merchant, of: entry.tenant) else {
                    continue
                }
                merchants.append((entry.tenant, merchant))
            }
        }
        guard !merchants.isEmpty else { return zones }
        let rows = try await transaction.query(
            """
            SELECT z.tenant, z.merchant, z.zone, z.cutoff FROM unnest($1::text[], $2::text[]) AS m (tenant, merchant)
            JOIN zones z ON z.tenant = m.tenant AND z.merchant = m.merchant
            """,
            [.textArray(merchants.map(\.tenant)), .textArray(merchants.map(\.merchant))]
        )
        for row in rows {
            zones.add(try row.text(1), of: try row.text(0), from: 0, try row.text(2), try row.text(3))
        }
        for one in found { zones.add(one.merchant, of: one.tenant, from: one.position, one.zone, one.cutoff) }
        return zones
    }

    func write(in transaction: borrowing PostgresTransaction) async throws {
        for one in found {
            _ = try await transaction.execute(
                """
                INSERT INTO zones (tenant, merchant, zone, cutoff) VALUES ($1, $2, $3, $4)
                ON CONFLICT (tenant, merchant) DO UPDATE SET zone = excluded.zone, cutoff = excluded.cutoff
                """,
                [.text(one.tenant), .text(one.merchant), .text(one.zone), .text(one.cutoff)]
            )
        }
    }
}

/// The business days of merchants, each from a position on.
struct ZonesInForce {
    private struct Key: Hashable {
        let tenant: String
        /// Bytes, because text that is canonically equivalent may name different merchants.
        let merchant: [UInt8]

        init(_ merchant: String, _ tenant: String) {
            self.tenant = tenant
            self.merchant = Array(merchant.utf8)
        }
    }

    private var days: [Key: [(from: Int64, days: BusinessDay)]] = [:]

    /// - Returns: False if the merchant was named before.
    mutating func isFirst(_ merchant: String, of tenant: String) -> Bool {
        let key = Key(merchant, tenant)
        guard days[key] == nil else { return false }
        days[key] = []
        return true
    }

    /// A description that cannot be read as a business day leaves the one before in force.
    mutating func add(_ merchant: String, of tenant: String, from position: Int64, _ zone: String, _ cutoff: String) {
        guard let described = BusinessDay(zone: zone, cutoff: cutoff) else { return }
        days[Key(merchant, tenant)]?.append((position, described))
    }

    func day(of merchant: String?, tenant: String, at position: Int64) -> BusinessDay {
        guard let merchant = merchant?.storableKey else { return .standard }
        return days[Key(merchant, tenant)]?.last { $0.from <= position }?.days ?? .standard
    }
}

extension BusinessDay {
    /// The business day of a local time, such as `2026-03-01`: the clock's own day, or the one before until the
    /// cut-off.
    func day(ofLocal time: LocalTime) -> String {
        String(time.asUTC.adding(microseconds: -Int64(cutoffMinutes) * 60_000_000).rfc3339.prefix(10))
    }
}
