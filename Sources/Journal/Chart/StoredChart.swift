package import Canonical
import EventLog
import Payments
import Postgres

/// A recorded version of a chart.
package struct StoredChart: Sendable, Hashable {
    package var definition: ChartDefinition
    /// The position, time and actor of its event.
    package var position: Int64
    package var at: Timestamp
    package var by: String
}

extension StoredChart {
    /// The version that an event records.
    init(_ event: RecordedEvent) throws {
        let data = try JSONValue(parsing: event.data.utf8)
        self.init(
            definition: try ChartEvent(type: event.type, schema: event.schema, data: data).report,
            position: event.position,
            at: event.recordedAt,
            by: event.actor
        )
    }
}

extension JournalQuery {
    private static let charts = "SELECT details, position, at, actor FROM read_journal.charts"

    /// The newest version of a tenant's chart; nil if it defined none.
    ///
    /// - Parameter position: The position up to which events count; nil for all.
    package func newestChart(of tenant: String, at position: Int64? = nil) async throws -> StoredChart? {
        try await pool.query(
            "\(Self.charts) WHERE tenant = $1 AND position <= $2 ORDER BY version DESC LIMIT 1",
            [.text(tenant), .int64(position ?? .max)]
        ).first.map(StoredChart.init)
    }

    /// A version of a tenant's chart; nil if there is none. No event records version 0.
    package func chart(_ version: Int64, of tenant: String) async throws -> StoredChart? {
        try await pool.query(
            "\(Self.charts) WHERE tenant = $1 AND version = $2",
            [.text(tenant), .int64(version)]
        ).first.map(StoredChart.init)
    }

    /// The chart in force.
    ///
    /// - Parameter position: The position up to which events count; nil for all.
    package func chart(of tenant: String, at position: Int64? = nil) async throws -> Chart {
        try await newestChart(of: tenant, at: position)?.definition.chart ?? .standard
    }
}

extension StoredChart {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            definition: try JSONValueDecoder().decode(ChartDefinition.self, parsing: try row.text(0)),
            position: try row.int64(1),
            at: try row.timestamp(2),
            by: try row.text(3)
        )
    }
}
