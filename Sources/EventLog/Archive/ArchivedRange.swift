package import Postgres

/// Positions whose events are in an archive, and the digests that identify the archive.
package struct ArchivedRange: Sendable, Hashable {
    package var first: Int64
    package var last: Int64
    /// The file's name in the archive directory. The file holds the record lines, each with a line feed.
    package var file: String
    /// SHA-256 of the file.
    package var digest: [UInt8]
    /// SHA-256 of the index beside it.
    var indexDigest: [UInt8]

    /// Prevents partitions from being detached until the transaction ends. In a transaction that reads from one
    /// snapshot this must be the first statement: a partition detached after the snapshot would be in neither place.
    package static let holdPartitions = "LOCK TABLE ledger.events IN ACCESS SHARE MODE"

    /// All archives as a transaction sees them, in order.
    package static func all(in transaction: borrowing PostgresTransaction) async throws -> [ArchivedRange] {
        try await transaction.query(allSQL).map { try ArchivedRange($0) }
    }

    static let allSQL = "SELECT \(columns) FROM ledger.partitions WHERE detached_at IS NOT NULL ORDER BY first"

    /// Passes on every record line in order, without line feeds, 256 at a time and unchecked, for callers that check
    /// them.
    ///
    /// - Parameter directory: The archive directory; nil if it is not known.
    /// - Returns: SHA-256 of the file.
    /// - Throws: `ArchiveError`; the errors of `body`.
    package nonisolated(nonsending) func uncheckedLines(
        in directory: String?,
        _ body: nonisolated(nonsending) (_ first: Int64, _ lines: [[UInt8]]) async throws -> Void
    ) async throws -> [UInt8] {
        guard let directory else { throw ArchiveError(.notConfigured, file: file, position: first) }
        return try await ArchiveScan(self, in: directory).lines(body)
    }

    var indexFile: String { file + ".index" }

    /// The columns of `ledger.partitions` that a range is read from.
    static let columns = "first, last, archive_file, archive_digest, index_digest"

    init(first: Int64, last: Int64, file: String, digest: [UInt8], indexDigest: [UInt8]) {
        self.first = first
        self.last = last
        self.file = file
        self.digest = digest
        self.indexDigest = indexDigest
    }

    /// Reads `columns` of a row.
    ///
    /// - Parameter column: The index of the first of them.
    init(_ row: PostgresRow, from column: Int = 0) throws {
        self.init(
            first: try row.int64(column),
            last: try row.int64(column + 1),
            file: try row.text(column + 2),
            digest: try row.bytes(column + 3),
            indexDigest: try row.bytes(column + 4)
        )
    }
}
