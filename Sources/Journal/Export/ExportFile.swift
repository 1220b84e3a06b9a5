import Crypto

/// A file of the journal's entries for accounting software. Entries and versions of the chart never change, so the same
/// range and charts give the same bytes whenever it is written.
package struct ExportFile: Sendable {
    /// What a file has.
    package struct Contents: Sendable, Hashable {
        /// The number of entries: a position with legs of two days counts twice.
        package var entries: Int64 = 0
        package var legs: Int64 = 0
        package var bytes: Int64 = 0
        /// SHA-256 of the bytes, in hexadecimal digits.
        package var sha256 = ""
    }

    private static let pageSize = 2000

    private let journal: JournalQuery
    private let tenant: String
    private let format: ExportFormat
    private let range: ExportRange
    private let charts: ExportCharts

    package init(
        _ journal: JournalQuery,
        of tenant: String,
        as format: ExportFormat,
        _ range: ExportRange,
        named charts: ExportCharts = ExportCharts()
    ) {
        self.charts = charts
        self.journal = journal
        self.tenant = tenant
        self.format = format
        self.range = range
    }

    /// Writes the file, about a page of legs at a time. An entry is held in memory as a whole.
    ///
    /// - Throws: `ExportFault.unbalanced`, `BalanceError.overflow`, `PostgresError`, and the errors of `write`.
    package func run(_ write: ([UInt8]) async throws -> Void) async throws -> Contents {
        let text = format.text(charts.chart)
        let declared =
            try await format.declares
            ? journal.declarations(of: tenant, in: range, named: charts) : Declarations()
        var contents = Contents()
        var digest = SHA256()
        var piece = text.beginning(range, declaring: declared)
        func end(_ entry: ExportEntry?) throws {
            guard let entry else { return }
            try entry.checkBalance()
            contents.entries += 1
            contents.legs += Int64(entry.legs.count)
            piece += text.entry(entry)
        }
        var entry: ExportEntry?
        var last: PostedLeg?
        var isComplete = false
        while !isComplete {
            let page = try await journal.legs(of: tenant, in: range, after: last, limit: Self.pageSize)
            for leg in page {
                if entry?.includes(leg) == true {
                    entry?.add(leg)
                } else {
                    try end(entry)
                    entry = ExportEntry(leg)
                }
            }
            isComplete = page.count < Self.pageSize
            last = page.last
            if isComplete { try end(entry) }
            let bytes = Array(piece.utf8)
            piece = ""
            digest.update(data: bytes)
            contents.bytes += Int64(bytes.count)
            try await write(bytes)
        }
        contents.sha256 = digest.finalize().hexadecimal
        return contents
    }

    /// Writes the file of an export again. Its last piece is written only if all of it has the recorded digest.
    ///
    /// - Throws: The errors of `run`, and `ExportFault.changed`.
    package static func again(
        _ export: JournalExport,
        of tenant: String,
        from journal: JournalQuery,
        _ write: ([UInt8]) async throws -> Void
    ) async throws {
        let charts = try await journal.charts(export.chart ?? 0, after: export.earlierCharts ?? [], of: tenant)
        let file = ExportFile(journal, of: tenant, as: export.format, export.range, named: charts)
        var held: [UInt8] = []
        let contents = try await file.run { piece in
            if !held.isEmpty { try await write(held) }
            held = piece
        }
        guard contents == export.contents else { throw ExportFault.changed }
        try await write(held)
    }
}
