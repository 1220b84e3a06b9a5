package import Canonical
import Payments
package import Postgres

/// Adds up lines of money from the read model `batches`.
package struct TotalsQuery: Sendable {
    /// The most rows in one result.
    package static let limit = 10_000

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The totals of a tenant. Totals by day or of a time leave out lines with an implausible time.
    ///
    /// - Parameters:
    ///   - keys: The keys to group by, besides the currency.
    ///   - days: The business day that decides the day of a line. In its zone are local times, also for the bounds of
    ///     the filter.
    ///   - batch: Only lines in this batch.
    ///   - position: The position up to which events count; nil for the current lines.
    /// - Returns: The rows in the order of the keys.
    /// - Throws: `TotalsError`, `PostgresError`.
    package func totals(
        of tenant: String,
        by keys: [TotalsKey],
        matching filter: TotalsFilter = .init(),
        days: BusinessDay = .standard,
        batch: UUID128? = nil,
        at position: Int64? = nil
    ) async throws -> [TotalsRow] {
        var conditions = QueryConditions(["tenant = $1"], [.text(tenant)])
        conditions.add("batch =", batch.map(PostgresValue.uuid))
        let time = RowTime(in: days.zone)
        if let span = time.isWithin(
            from: filter.occurredFrom,
            before: filter.occurredBefore,
            { conditions.parameter($0) }
        ) {
            conditions.add(span)
        }
        let merchants = MerchantQuery(pool: pool)
        let others = try await merchants.others(of: filter.merchant, tenant: tenant, at: position)
        conditions.add("merchant", merchant: filter.merchant, others)
        conditions.add("terminal =", text: filter.terminal)
        conditions.add("vendor =", text: filter.vendor?.rawValue)
        conditions.add("currency =", text: filter.currency)
        conditions.add("lower(brand) =", filter.cardBrand.map { .text($0.lowercased()) })
        conditions.add("tender =", text: filter.tender)
        conditions.add("clerk =", text: filter.clerk)
        if let position {
            let at = conditions.parameter(.int64(position))
            conditions.add("since <= \(at) AND (until IS NULL OR until > \(at))")
        } else {
            conditions.add("until IS NULL")
        }
        if keys.contains(.day) || filter.occurredFrom != nil || filter.occurredBefore != nil {
            let at = position.map { conditions.parameter(.int64($0)) }
            conditions.add(ImplausibleTimes.leftOut(of: "members", id: "transaction", at: at))
        }
        var day = ""
        if keys.contains(.day) {
            let zone = conditions.parameter(days.zone.parameter)
            let cutoff = conditions.parameter(.int64(Int64(days.cutoffMinutes)))
            day = days.expression(of: time.instant(zoned: days.zone.sql(zone)), zone: zone, cutoff: cutoff)
        }
        let columns = keys.map { $0.expression(day) } + [#"currency COLLATE "C""#]
        let order = columns.indices.map { String($0 + 1) }.joined(separator: ", ")
        let end = conditions.parameter(.int64(Int64(Self.limit) + 1))
        let rows = try await pool.query(
            """
            SELECT \(columns.joined(separator: ", ")), \(Self.sums) FROM read_batches.members
            WHERE \(conditions.sql)
            GROUP BY \(order) ORDER BY \(order) LIMIT \(end)
            """,
            conditions.parameters
        )
        guard rows.count <= Self.limit else { throw TotalsError.tooMany }
        let sums = try rows.map { try TotalsRow($0, keys: keys.count) }
        guard let place = keys.firstIndex(of: .merchant) else { return sums }
        let links = try await merchants.links(around: sums.compactMap { $0.keys[place] }, of: tenant, at: position)
        return try Self.merged(sums, at: place, by: links)
    }

    /// The rows with the best name of each merchant. Those of one merchant are added up.
    private static func merged(_ rows: [TotalsRow], at place: Int, by links: MerchantLinks) throws -> [TotalsRow] {
        var sums: [[MerchantText?]: TotalsRow] = [:]
        for var row in rows {
            row.keys[place] = row.keys[place].map(links.best)
            let key = (row.keys + [row.currency.alpha]).map { $0.map { MerchantText($0) } }
            try sums[key, default: TotalsRow(keys: row.keys, currency: row.currency)].add(row)
        }
        // The order of the statement: by bytes, and nothing last.
        return sums.sorted { left, right in
            let (left, right) = (left.key, right.key)
            guard let index = left.indices.first(where: { left[$0] != right[$0] }) else { return false }
            guard let first = left[index], let second = right[index] else { return right[index] == nil }
            return first < second
        }.map(\.value)
    }

    /// Sums are sent as text, because a sum may not fit the type of its terms.
    private static let sums = """
        count(*) FILTER (WHERE type IN ('sale', 'capture') AND (amount > voided OR amount = 0)),
        coalesce(sum(amount - voided) FILTER (WHERE type IN ('sale', 'capture')), 0)::text,
        coalesce(sum(least(tip, amount - voided)) FILTER (WHERE type IN ('sale', 'capture')), 0)::text,
        count(*) FILTER (WHERE type = 'refund' AND (amount > voided OR amount = 0)),
        coalesce(sum(amount - voided) FILTER (WHERE type = 'refund'), 0)::text,
        count(*) FILTER (WHERE type = 'credit' AND (amount > voided OR amount = 0)),
        coalesce(sum(amount - voided) FILTER (WHERE type = 'credit'), 0)::text,
        count(*) FILTER (WHERE voided > 0), sum(voided)::text
        """
}

extension TotalsKey {
    /// Compares by code points, so that the order does not depend on the database's locale.
    fileprivate func expression(_ day: String) -> String {
        switch self {
        case .day: day
        default: "\(rawValue) COLLATE \"C\""
        }
    }
}

extension TotalsRow {
    fileprivate init(_ row: PostgresRow, keys count: Int) throws {
        guard let currency = Currency(alpha: try row.text(count)) else { throw UnreadableRow() }
        self.init(keys: try (0..<count).map { try row.textOrNull($0) }, currency: currency)
        func sum(_ column: Int) throws -> Int64 {
            guard let value = Int64(try row.text(count + column)) else { throw TotalsError.overflow }
            return value
        }
        capturedCount = try row.int64(count + 1)
        captured = try sum(2)
        tips = try sum(3)
        refundedCount = try row.int64(count + 4)
        refunded = try sum(5)
        creditedCount = try row.int64(count + 6)
        credited = try sum(7)
        voidedCount = try row.int64(count + 8)
        voided = try sum(9)
        guard let net = Int64(exactly: Int128(captured) - Int128(refunded) - Int128(credited)) else {
            throw TotalsError.overflow
        }
        self.net = net
    }
}
