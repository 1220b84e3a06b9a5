package import Canonical
package import Journal

/// An export of the journal: the positions of its file, and what the file has.
package struct JournalExportJSON: Codable, Sendable, Hashable {
    package var id: UUID128
    package var format: ExportFormat
    package var since: Int64
    package var after: Int64
    package var through: Int64
    package var entries: Int64
    package var legs: Int64
    package var bytes: Int64
    package var sha256: String
    /// The version of the chart that names the accounts; 0 for the standard one.
    package var chart: Int64
    package var position: Int64
    package var at: Timestamp
    package var by: String

    package init(_ view: ExportView) {
        let export = view.export
        (id, format) = (export.id, export.format)
        (since, after, through) = (export.since, export.after, export.through)
        (entries, legs, bytes, sha256) = (export.entries, export.legs, export.bytes, export.sha256)
        chart = export.chart ?? 0
        (position, at, by) = (view.position, view.at, view.by)
    }
}
