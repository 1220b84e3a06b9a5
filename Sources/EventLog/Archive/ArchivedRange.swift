import Postgres

/// Positions whose events are in an archive, and how to know that archive.
package struct ArchivedRange: Sendable, Hashable {
    package var first: Int64
    package var last: Int64
    /// The file's name within the archive directory. It holds the record lines, each with a line feed.
    package var file: String
    /// SHA-256 of the file.
    package var digest: [UInt8]
    /// SHA-256 of the index beside it.
    var indexDigest: [UInt8]

    var indexFile: String { file + ".index" }

    /// The columns to read one from, of `ledger.partitions`.
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
    /// - Parameter column: Of the first of them.
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
