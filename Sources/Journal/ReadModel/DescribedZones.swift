import Canonical
import EventLog
import Payments
import Postgres
import Projections

/// The business days of merchants that the events of a run describe.
struct DescribedZones {
    private struct Description {
        let tenant: String
        let merchant: String
        let position: Int64
        let days: BusinessDay
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
                guard let days = BusinessDay(zone: reported.zone, cutoff: reported.cutoff) else { continue }
                found.append(
                    Description(
                        tenant: event.tenant,
                        merchant: reported.merchant.storable,
                        position: event.position,
                        days: days,
                        zone: reported.zone.storable,
                        cutoff: reported.cutoff.storable
                    )
                )
            } catch {
                throw UnappliedEvent(position: event.position, cause: error)
            }
        }
    }

    /// The business days of the merchants of entries, by the links and descriptions up to the position of each entry.
    /// `zone_links` has the links of the run already; `zones` does not have its descriptions yet.
    ///
    /// - Parameter start: The position before the run.
    func read(
        for entries: [Entry],
        after start: Int64,
        in transaction: borrowing PostgresTransaction
    ) async throws -> ZonesInForce {
        let described = try await describedTenants(Set(entries.map(\.tenant)), in: transaction)
        var zones = ZonesInForce()
        guard !described.isEmpty else { return zones }
        let dated = entries.filter { described.contains($0.tenant) }.sorted { $0.position < $1.position }
        var tenants = try await known(around: Set(dated.flatMap(\.merchantReferences)), after: start, in: transaction)
        for one in found where described.contains(one.tenant) {
            tenants[one.tenant, default: TenantZones()].add(one.days, of: one.merchant, from: one.position)
        }
        for entry in dated { tenants[entry.tenant]?.add(entry, to: &zones) }
        return zones
    }

    /// Those of the tenants that have described a merchant, up to the end of the run.
    private func describedTenants(
        _ tenants: Set<String>,
        in transaction: borrowing PostgresTransaction
    ) async throws -> Set<String> {
        let rows = try await transaction.query(
            """
            SELECT t.tenant FROM unnest($1::text[]) AS t (tenant)
            WHERE EXISTS (SELECT FROM zones z WHERE z.tenant = t.tenant)
            """,
            [.textArray(Array(tenants))]
        )
        return Set(try rows.map { try $0.text(0) }).union(found.map(\.tenant).filter(tenants.contains))
    }

    /// The links around merchants and terminals, also those of the run, and the descriptions from before the run.
    private func known(
        around references: Set<MerchantReference>,
        after start: Int64,
        in transaction: borrowing PostgresTransaction
    ) async throws -> [String: TenantZones] {
        let names = references.filter { !$0.isTerminal }
        let terminals = references.filter(\.isTerminal)
        let rows = try await transaction.query(
            EmbeddedFiles.zoneLinks_sql,
            [
                .textArray(names.map(\.tenant)), .textArray(names.map(\.name.text)),
                .textArray(terminals.map(\.tenant)), .textArray(terminals.map { $0.vendor?.rawValue ?? "" }),
                .textArray(terminals.map(\.name.text)), .int64(start),
            ]
        )
        var tenants: [String: TenantZones] = [:]
        for row in rows {
            let tenant = try row.text(0)
            tenants[tenant, default: TenantZones()].add(try MerchantLink(row, from: 1), since: try row.int64(6))
            guard let position = try row.int64OrNull(9),
                let days = BusinessDay(zone: try row.text(7), cutoff: try row.text(8))
            else { continue }
            tenants[tenant, default: TenantZones()].add(days, of: try row.text(2), from: position)
        }
        return tenants
    }

    func write(in transaction: borrowing PostgresTransaction) async throws {
        for one in found {
            _ = try await transaction.execute(
                """
                INSERT INTO zones (tenant, merchant, zone, cutoff, position) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (tenant, merchant)
                DO UPDATE SET zone = excluded.zone, cutoff = excluded.cutoff, position = excluded.position
                """,
                [.text(one.tenant), .text(one.merchant), .text(one.zone), .text(one.cutoff), .int64(one.position)]
            )
        }
    }
}

/// The business days of the merchants of entries. That of a merchant without a description is `BusinessDay.standard`.
struct ZonesInForce {
    private struct Place: Hashable {
        let position: Int64
        let merchant: MerchantText?
    }

    private var days: [Place: BusinessDay] = [:]

    /// - Parameter days: Called if the business day is not known yet.
    mutating func add(_ merchant: String?, at position: Int64, _ days: () -> BusinessDay) {
        let place = Place(position: position, merchant: merchant.map { MerchantText($0) })
        if self.days[place] == nil { self.days[place] = days() }
    }

    /// - Parameters:
    ///   - merchant: The name of a leg's merchant; nil for a leg without one.
    ///   - position: The position of its entry.
    func day(of merchant: String?, at position: Int64) -> BusinessDay {
        guard !days.isEmpty else { return .standard }
        return days[Place(position: position, merchant: merchant.map { MerchantText($0) })] ?? .standard
    }
}

extension BusinessDay {
    /// The business day of a local time, such as `2026-03-01`: the clock's own day, or the one before until the
    /// cut-off.
    func day(ofLocal time: LocalTime) -> String {
        String(time.asUTC.adding(microseconds: -Int64(cutoffMinutes) * 60_000_000).rfc3339.prefix(10))
    }
}
