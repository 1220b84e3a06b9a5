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
        if let batch {
            let whole = try await BatchQuery(pool: pool).whole(batch, tenant: tenant, at: position)
            conditions.add("batch = ANY (\(conditions.parameter(.uuidArray(whole)))::uuid[])")
        }
        let time = RowTime(in: days.zone)
        if let span = time.isWithin(
            from: filter.occurredFrom,
            before: filter.occurredBefore,
            { conditions.parameter($0) }
        ) {
            conditions.add(span)
        }
        let merchants = MerchantQuery(pool: pool)
        let others = try await merchants.otherNames(of: filter.merchant, tenant: tenant, at: position)
        conditions.add(merchant: filter.merchant, others)
        conditions.add("terminal =", text: filter.terminal)
        conditions.add("vendor =", text: filter.vendor?.rawValue)
        conditions.add("currency =", text: filter.currency)
        conditions.add("lower(brand) =", filter.cardBrand.map { .text($0.lowercased()) })
        conditions.add("tender =", text: filter.tender)
        conditions.add("clerk =", text: filter.clerk)
        let at = position.map { conditions.parameter(.int64($0)) }
        if let at {
            conditions.add("since <= \(at) AND (until IS NULL OR until > \(at))")
        } else {
            conditions.add("until IS NULL")
        }
        if keys.contains(.day) || filter.occurredFrom != nil || filter.occurredBefore != nil {
            conditions.add(ImplausibleTimes.leftOut(of: "members", id: "transaction", at: at))
        }
        var day = ""
        if keys.contains(.day) {
            let zone = conditions.parameter(days.zone.parameter)
            let cutoff = conditions.parameter(.int64(Int64(days.cutoffMinutes)))
            day = days.expression(of: time.instant(zoned: days.zone.sql(zone)), zone: zone, cutoff: cutoff)
        }
        let columns = keys.map { $0.expression(day) } + [#"currency COLLATE "C""#]
        let end = conditions.parameter(.int64(Int64(Self.limit) + 1))
        let order = Self.order(columns.count)
        var source = "read_batches.members"
        if keys.contains(.merchant) {
            let roles = conditions.parameter(.textArray(MerchantLink.Role.allCases.map(\.rawValue)))
            source += """
                 LEFT JOIN \(MerchantQuery.terminalOwners(tenant: "$1", roles: roles, at: at)) owners
                ON merchant IS NULL AND of_vendor = coalesce(vendor, '') AND of_terminal = terminal COLLATE "C"
                """
        }
        let lines = "FROM \(source) WHERE \(conditions.sql)"
        let sums = """
            SELECT \(columns.joined(separator: ", ")), \(Self.sums) \(lines)
            GROUP BY \(order) ORDER BY \(order) LIMIT \(end)
            """
        let portions = Self.portions(columns, in: lines, at: at, end)
        let parameters = conditions.parameters
        // One moment of both read models.
        let totals = try await pool.withTransaction(isolation: .repeatableRead, readOnly: true) { transaction in
            let rows = try await transaction.query(sums, parameters)
            guard rows.count <= Self.limit else { throw TotalsError.tooMany }
            let parts = try await transaction.query(portions, parameters)
            guard parts.count <= Self.limit else { throw TotalsError.tooMany }
            var found = PortionsByKey(keys: keys.count)
            for part in parts { try found.add(part) }
            return try rows.map { row in
                var total = try TotalsRow(row, keys: keys.count)
                total.portions = try found.portions(of: row)
                return total
            }
        }
        guard let place = keys.firstIndex(of: .merchant) else { return totals }
        let links = try await merchants.links(around: totals.compactMap { $0.keys[place] }, of: tenant, at: position)
        return try Self.merged(totals, at: place, by: links)
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

    private static func order(_ count: Int) -> String { (1...count).map(String.init).joined(separator: ", ") }

    /// The statement for the portions inside the lines that are not voided in full.
    private static func portions(_ columns: [String], in lines: String, at position: String?, _ end: String) -> String {
        let names = columns.indices.map { "k\($0)" }
        let order = order(columns.count + 2)
        let holds = position.map { "p.since <= \($0) AND (p.until IS NULL OR p.until > \($0))" } ?? "p.until IS NULL"
        let keys = zip(columns, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
        return """
            SELECT \(names.joined(separator: ", ")), p.kind COLLATE "C", p.label COLLATE "C", sum(p.amount)::text FROM (
                SELECT \(keys), tenant, transaction, line \(lines) AND type IN ('sale', 'capture') AND amount > voided
            ) m JOIN read_portions.portions p USING (tenant, transaction, line) WHERE \(holds)
            GROUP BY \(order) ORDER BY \(order) LIMIT \(end)
            """
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
        // A payment that names no merchant is its terminal's.
        case .merchant: #"coalesce(merchant, of_merchant) COLLATE "C""#
        default: "\(rawValue) COLLATE \"C\""
        }
    }
}

/// The sums of portions by the keys and the currency of their lines.
private struct PortionsByKey {
    /// The number of keys besides the currency.
    var keys: Int
    /// By bytes, because keys that are canonically equivalent may differ.
    private var found: [[[UInt8]?]: [TotalsPortion]] = [:]

    init(keys: Int) { self.keys = keys }

    private func name(_ row: PostgresRow) throws -> [[UInt8]?] {
        try (0...keys).map { try row.textOrNull($0).map { Array($0.utf8) } }
    }

    mutating func add(_ row: PostgresRow) throws {
        guard let kind = TotalsPortion.Kind(rawValue: try row.text(keys + 1)) else { throw UnreadableRow() }
        guard let amount = Int64(try row.text(keys + 3)) else { throw TotalsError.overflow }
        let label = try row.text(keys + 2)
        let portion = TotalsPortion(kind, label: label.isEmpty ? nil : label, amount: amount)
        found[try name(row), default: []].append(portion)
    }

    func portions(of row: PostgresRow) throws -> [TotalsPortion] { found[try name(row)] ?? [] }
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
