package import Canonical
package import Postgres

/// The sums of one business day's payments, and the open work.
package struct DaySummary: Sendable, Hashable {
    /// Payments of one currency and status.
    package struct Line: Sendable, Hashable {
        /// Nil for payments without a known amount.
        package var currency: String?
        package var status: String
        package var count: Int64
        /// Minor units: the captured or credited amount, else the authorized one, else the requested one.
        package var amount: Int64
    }

    /// A count up to a limit.
    package struct Attention: Sendable, Hashable {
        package var count: Int64
        /// Whether there are more than the limit.
        package var hasMore: Bool
    }

    /// The payments that began in each hour of the day; the last hour may be partial.
    package var hours: [Int64]
    /// By currency, then by status.
    package var lines: [Line]
    /// Payments in doubt, of all days.
    package var inDoubt: Attention
    /// Anomalies of all days that are neither acknowledged nor explained, without those of payments at a vendor's test
    /// system.
    package var openAnomalies: Attention
}

/// Reads the summary of a day.
package struct DayQuery: Sendable {
    /// The largest count of open work that is reported.
    package static let attentionLimit: Int64 = 1000

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// A summary of the payments that began from `start` to `end`, without those with an implausible time.
    ///
    /// - Parameters:
    ///   - zone: The zone of payments with a local time.
    ///   - merchant: Only this merchant's payments.
    /// - Throws: `TotalsError.overflow`, `PostgresError`.
    package func summary(
        of tenant: String,
        from start: Timestamp,
        to end: Timestamp,
        in zone: Zone = .utc,
        merchant: String? = nil
    ) async throws -> DaySummary {
        let others = try await MerchantQuery(pool: pool).otherNames(of: merchant, tenant: tenant)
        let (sql, parameters) = Self.lines(tenant, start, end, zone, merchant, others)
        let rows = try await pool.query(sql, parameters)
        let length = max(0, Int((end.microseconds(since: start) + 3_599_999_999) / 3_600_000_000))
        var hours = [Int64](repeating: 0, count: length)
        var lines: [[String?]: (count: Int64, amount: Int64)] = [:]
        for row in rows {
            let (hour, count) = (Int(try row.int32(0)), try row.int64(3))
            guard let amount = Int64(try row.text(4)) else { throw TotalsError.overflow }
            if hours.indices.contains(hour) { hours[hour] += count }
            let key = [try row.textOrNull(2), try row.text(1)]
            let known = lines[key] ?? (0, 0)
            let (sum, isTooLarge) = known.amount.addingReportingOverflow(amount)
            guard !isTooLarge else { throw TotalsError.overflow }
            lines[key] = (known.count + count, sum)
        }
        return DaySummary(
            hours: hours,
            lines: lines.map { key, sum in
                .init(currency: key[0], status: key[1] ?? "", count: sum.count, amount: sum.amount)
            }.sorted { ($0.currency ?? "~", $0.status) < ($1.currency ?? "~", $1.status) },
            inDoubt: try await attention(Self.inDoubt(tenant, merchant, others)),
            openAnomalies: try await attention(Self.openAnomalies(tenant, merchant, others))
        )
    }

    private func attention(_ query: (sql: String, parameters: [PostgresValue])) async throws -> DaySummary.Attention {
        let count = try await pool.query(query.sql, query.parameters).first?.int64(0) ?? 0
        return .init(count: min(count, Self.attentionLimit), hasMore: count > Self.attentionLimit)
    }

    private static func lines(
        _ tenant: String,
        _ start: Timestamp,
        _ end: Timestamp,
        _ zone: Zone,
        _ merchant: String?,
        _ others: OtherNames
    ) -> (sql: String, parameters: [PostgresValue]) {
        var conditions = QueryConditions(["tenant = $1", "NOT test"], [.text(tenant)])
        let time = RowTime(in: zone)
        if let span = time.isWithin(from: start, before: end, { conditions.parameter($0) }) { conditions.add(span) }
        conditions.add(merchant: merchant, others)
        conditions.add(ImplausibleTimes.leftOut(of: "transactions", id: "id"))
        let at = time.instant(zoned: time.zone { conditions.parameter($0) })
        let first = conditions.parameter(.timestamptz(start))
        return (
            """
            SELECT floor(extract(epoch FROM \(at) - \(first)) / 3600)::int4, status, currency, count(*),
                   coalesce(sum(amount), 0)::text
            FROM read_transactions.transactions
            WHERE \(conditions.sql)
            GROUP BY 1, 2, 3
            """,
            conditions.parameters
        )
    }

    static func inDoubt(
        _ tenant: String,
        _ merchant: String?,
        _ others: OtherNames = OtherNames()
    ) -> (sql: String, parameters: [PostgresValue]) {
        count("read_transactions.transactions", "in_doubt AND NOT test", tenant, merchant, others)
    }

    static func openAnomalies(
        _ tenant: String,
        _ merchant: String?,
        _ others: OtherNames = OtherNames()
    ) -> (sql: String, parameters: [PostgresValue]) {
        count("read_anomalies.anomalies", "state = 'open' AND NOT \(AnomalyQuery.isOfTest)", tenant, merchant, others)
    }

    /// Counts up to one more than the limit.
    private static func count(
        _ table: String,
        _ condition: String,
        _ tenant: String,
        _ merchant: String?,
        _ others: OtherNames
    ) -> (sql: String, parameters: [PostgresValue]) {
        var conditions = QueryConditions(["tenant = $1", condition], [.text(tenant)])
        conditions.add(merchant: merchant, others)
        let end = conditions.parameter(.int64(attentionLimit + 1))
        return (
            "SELECT count(*) FROM (SELECT FROM \(table) WHERE \(conditions.sql) LIMIT \(end)) found",
            conditions.parameters
        )
    }
}
