import Payments
import Postgres
import Projections

/// The version of the chart that names the accounts of files of a series up to a position.
package struct ChartSpan: Sendable, Hashable, Codable {
    package var chart: Int64
    package var through: Int64

    package init(chart: Int64, through: Int64) { (self.chart, self.through) = (chart, through) }
}

/// The charts by which a file and the earlier files of its series name accounts.
package struct ExportCharts: Sendable {
    /// The file's own.
    package var chart: Chart
    /// Those of earlier files, each up to a position, in order. The own chart names the accounts after the last one.
    package var earlier: [(chart: Chart, through: Int64)]

    package init(_ chart: Chart = .standard, earlier: [(chart: Chart, through: Int64)] = []) {
        (self.chart, self.earlier) = (chart, earlier)
    }
}

extension JournalExport {
    /// The versions that name the accounts of the series up to the end of this file.
    var spans: [ChartSpan] { (earlierCharts ?? []) + [ChartSpan(chart: chart ?? 0, through: through)] }
}

extension JournalQuery {
    /// The charts of a file.
    ///
    /// - Throws: `ExportFault.changed` if a version is not there.
    func charts(_ version: Int64, after spans: [ChartSpan], of tenant: String) async throws -> ExportCharts {
        var charts = ExportCharts(try await recordedChart(version, of: tenant))
        for span in spans {
            let chart = try await recordedChart(span.chart, of: tenant)
            charts.earlier.append((chart: chart, through: span.through))
        }
        return charts
    }

    private func recordedChart(_ version: Int64, of tenant: String) async throws -> Chart {
        if version == 0 { return .standard }
        guard let stored = try await chart(version, of: tenant) else { throw ExportFault.changed }
        return stored.definition.chart
    }

    /// What the file of a range is the first of its series to name. The time it takes grows with the series.
    func declarations(
        of tenant: String,
        in range: ExportRange,
        named charts: ExportCharts
    ) async throws -> Declarations {
        var names: Set<String> = []
        var start = range.since
        for (chart, through) in charts.earlier + [(chart: charts.chart, through: range.after)] where start < through {
            let accounts = try await self.accounts(of: tenant, after: start, through: through)
            names.formUnion(accounts.map { $0.fullName(in: chart) })
            start = through
        }
        var declared = Declarations()
        // Two accounts may have one name.
        let accounts = try await self.accounts(of: tenant, after: range.after, through: range.through)
        declared.accounts = accounts.filter { names.insert($0.fullName(in: charts.chart)).inserted }
        let rows = try await pool.query(
            """
            SELECT currency FROM read_journal.entries WHERE tenant = $1 AND position > $2 AND position <= $4
            GROUP BY currency HAVING min(position) > $3 ORDER BY currency COLLATE "C"
            """,
            [.text(tenant), .int64(range.since), .int64(range.after), .int64(range.through)]
        )
        declared.currencies = try rows.map { row in
            guard let currency = Currency(alpha: try row.text(0)) else { throw UnreadableRow() }
            return currency
        }
        return declared
    }

    /// The accounts with their parts that entries of a range of positions name.
    private func accounts(of tenant: String, after: Int64, through: Int64) async throws -> [AccountPart] {
        try await pool.query(
            """
            SELECT account, part FROM read_journal.entries WHERE tenant = $1 AND position > $2 AND position <= $3
            GROUP BY account, part ORDER BY account COLLATE "C", part COLLATE "C"
            """,
            [.text(tenant), .int64(after), .int64(through)]
        ).map { row in
            guard let account = Account(rawValue: try row.text(0)) else { throw UnreadableRow() }
            let part = try row.text(1)
            return AccountPart(account, part.isEmpty ? nil : part)
        }
    }
}
