import Canonical
import Payments
import Postgres

/// The rows of readers that a run of events changes, and the names that lead to them.
///
/// A reader has one row, under the strongest name it is known by. Two serial numbers are two readers, whatever other
/// name they share.
struct ReaderRows {
    var views: [ReaderKey: ReaderView] = [:]
    /// The reader of each further name.
    private var owners: [ReaderKey: ReaderKey] = [:]
    /// Rows that another one took over.
    private var gone: Set<ReaderKey> = []

    /// The reader of a report, under its row's name, after the names in the report are linked. The row exists then.
    ///
    /// - Parameter names: The names in the report, strongest first.
    mutating func link(_ key: ReaderKey, _ names: [ReaderName], at: Timestamp, position: Int64) -> ReaderKey {
        var main = owners[key] ?? key
        if views[main] == nil {
            views[main] = ReaderView(key.reader, at: at, position: position)
            gone.remove(main)
        }
        for name in names {
            if name.key == main { views[main]?.raise(name.role) }
            if name.key == main || owners[name.key] == main {
                views[main]?.know(name.text, as: name.role)
                continue
            }
            let other = owners[name.key] ?? name.key
            if let view = views[other], let known = views[main] {
                if view.role == .serial, known.role == .serial {
                    // Another reader has this name as well: it was given a new one, or is replaced.
                    guard name.key != other else { continue }
                } else if view.role > known.role {
                    merge(main, into: other)
                    main = other
                } else {
                    merge(other, into: main)
                }
            }
            if name.key != main { owners[name.key] = main }
            views[main]?.know(name.text, as: name.role)
        }
        return main
    }

    private mutating func merge(_ old: ReaderKey, into main: ReaderKey) {
        guard let view = views.removeValue(forKey: old) else { return }
        views[main]?.take(view)
        for (name, owner) in owners where owner == old { owners[name] = main }
        owners[old] = main
        gone.insert(old)
    }

    // MARK: Storage

    /// The rows of these readers, under any of their names, and of the readers that are busy with the payments.
    static func known(
        _ keys: Set<ReaderKey>,
        orBusyWith payments: [UUID128],
        in transaction: borrowing PostgresTransaction
    ) async throws -> ReaderRows {
        var found = ReaderRows()
        // All names of the readers, because a reader that is taken over takes its names along.
        let names = try await transaction.query(
            """
            SELECT DISTINCT a.tenant, a.vendor, a.name, a.serial FROM unnest($1::text[], $2::text[], $3::text[])
                AS k (tenant, vendor, name)
            LEFT JOIN names n USING (tenant, vendor, name)
            JOIN names a ON a.tenant = k.tenant AND a.vendor = k.vendor AND a.serial = coalesce(n.serial, k.name)
            """,
            parameters(keys)
        )
        for row in names {
            let tenant = try row.text(0)
            guard let vendor = Vendor(rawValue: try row.text(1)) else { throw UnreadableRow() }
            func key(_ name: String) -> ReaderKey {
                ReaderKey(tenant: tenant, reader: ReaderReference(vendor: vendor, serial: name))
            }
            found.owners[key(try row.text(2))] = key(try row.text(3))
        }
        let rows = try await transaction.query(
            """
            SELECT r.tenant, r.serial, r.view::text FROM readers r
            JOIN unnest($1::text[], $2::text[], $3::text[]) AS k (tenant, vendor, serial)
                USING (tenant, vendor, serial)
            UNION
            SELECT r.tenant, r.serial, r.view::text FROM readers r WHERE r.payment = ANY ($4::uuid[])
            """,
            parameters(keys.union(found.owners.values)) + [.uuidArray(payments)]
        )
        for row in rows {
            let view = try JSONValueDecoder().decode(ReaderView.self, from: JSONValue(parsing: row.text(2).utf8))
            let reader = ReaderReference(vendor: view.reader.vendor, serial: try row.text(1))
            found.views[ReaderKey(tenant: try row.text(0), reader: reader)] = view
        }
        return found
    }

    private static func parameters(_ keys: Set<ReaderKey>) -> [PostgresValue] {
        let keys = Array(keys)
        return [
            .textArray(keys.map(\.tenant)), .textArray(keys.map(\.reader.vendor.rawValue)),
            .textArray(keys.map(\.reader.serial)),
        ]
    }

    /// The kinds of errors of each reader, as PostgreSQL writes a list.
    private static func errors(_ readers: [ReaderView]) -> PostgresArrayBuilder {
        var lists = PostgresArrayBuilder.text()
        for reader in readers { lists.append(PostgresListText(reader.faults.map(\.kind.storable)).bytes) }
        return lists
    }

    func write(in transaction: borrowing PostgresTransaction) async throws {
        if !gone.isEmpty {
            _ = try await transaction.execute(
                """
                DELETE FROM readers r USING unnest($1::text[], $2::text[], $3::text[]) AS k (tenant, vendor, serial)
                WHERE r.tenant = k.tenant AND r.vendor = k.vendor AND r.serial = k.serial
                """,
                Self.parameters(gone)
            )
        }
        if !owners.isEmpty {
            let names = Array(owners)
            _ = try await transaction.execute(
                """
                INSERT INTO names (tenant, vendor, name, serial)
                SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
                ON CONFLICT (tenant, vendor, name) DO UPDATE SET serial = excluded.serial
                """,
                [
                    .textArray(names.map(\.key.tenant)), .textArray(names.map(\.key.reader.vendor.rawValue)),
                    .textArray(names.map(\.key.reader.serial)), .textArray(names.map(\.value.reader.serial)),
                ]
            )
        }
        guard !views.isEmpty else { return }
        let rows = Array(views)
        _ = try await transaction.execute(
            EmbeddedFiles.readerUpsert_sql,
            [
                .textArray(rows.map(\.key.tenant)),
                .textArray(rows.map(\.key.reader.vendor.rawValue)),
                .textArray(rows.map(\.key.reader.serial)),
                .int64Array(rows.map(\.value.firstPosition)),
                .int64Array(rows.map(\.value.lastPosition)),
                .timestamptzArray(rows.map(\.value.lastSeen)),
                .int32Array(rows.map { $0.value.battery.map(Int32.init(clamping:)) }),
                .boolArray(rows.map(\.value.isCharging)),
                .boolArray(rows.map(\.value.holdsResult)),
                .uuidArray(rows.map { $0.value.payment.flatMap { UUID128($0.transaction) } }),
                .boolArray(rows.map(\.value.isUpdateDue)),
                .boolArray(rows.map(\.value.isMandatoryUpdateDue)),
                .array(Self.errors(rows.map(\.value))),
                .jsonArray(try rows.map { try JSONValueEncoder().encode($0.value).text }),
            ]
        )
    }
}
