package import Canonical
package import Payments

/// The events of a tenant's exports in one format: an `export/<uuid>` stream.
package typealias ExportEvent = ReportEvent<ExportEventName>

/// The names of the event types, as stored.
package enum ExportEventName: String, ReportName {
    package typealias Report = JournalExport

    case exported = "JournalExported"
}

/// An export of the journal: the positions of its file, and what the file has.
package struct JournalExport: Sendable, Hashable, Codable {
    package var id: UUID128
    package var format: ExportFormat
    /// The positions, as in `ExportRange`.
    package var since: Int64
    package var after: Int64
    package var through: Int64
    /// What the file has, as in `ExportFile.Contents`.
    package var entries: Int64
    package var legs: Int64
    package var bytes: Int64
    package var sha256: String
    /// The version of the chart that names the accounts; nil for the standard one of exports from before there were
    /// others.
    package var chart: Int64?
    /// The versions that name the accounts of earlier files of the series; nil if they are the same.
    package var earlierCharts: [ChartSpan]?

    package init(
        id: UUID128,
        format: ExportFormat,
        range: ExportRange,
        contents: ExportFile.Contents,
        chart: Int64? = nil,
        earlierCharts: [ChartSpan] = []
    ) {
        self.id = id
        self.chart = chart
        self.earlierCharts = earlierCharts.isEmpty ? nil : earlierCharts
        self.format = format
        (since, after, through) = (range.since, range.after, range.through)
        (entries, legs, bytes, sha256) = (contents.entries, contents.legs, contents.bytes, contents.sha256)
    }

    package var range: ExportRange { ExportRange(since: since, after: after, through: through) }

    package var contents: ExportFile.Contents {
        ExportFile.Contents(entries: entries, legs: legs, bytes: bytes, sha256: sha256)
    }

    /// The name of the file: `journal-1-1200.beancount`.
    package var fileName: String { "journal-\(after + 1)-\(through).\(format.fileExtension)" }
}
