import Crypto
package import Merkle
package import Postgres

/// Reads the log as record lines, each with its line feed, in constant memory and in one consistent snapshot.
package struct LogExport: Sendable {
    /// The result of an export.
    package struct Summary: Sendable, Hashable {
        package var first: Int64
        /// `first - 1` when no line was read.
        package var last: Int64
        package var bytes: Int64
        /// SHA-256 of all bytes, in hexadecimal.
        package var digest: String
        /// The root of the tree over the lines; nil unless they begin at position 1.
        package var root: MerkleHash?
        /// The position of the newest event in the snapshot.
        package var head: Int64
        /// False when the lines are the whole log and do not give the frontier of its head, or when a line does not
        /// give the leaf stored for it.
        package var agreesWithTree: Bool

        package var count: Int64 { last - first + 1 }
    }

    /// How many bytes are collected before they are passed on.
    private static let pieceBytes = 1 << 20

    private let configuration: PostgresConfiguration
    private let archiveDirectory: String?

    /// - Parameter archiveDirectory: The directory of the archived parts of the log; nil if it has none.
    package init(configuration: PostgresConfiguration, archiveDirectory: String? = nil) {
        self.configuration = configuration
        self.archiveDirectory = archiveDirectory
    }

    /// Passes on the lines from `first` to `last`, or to the newest.
    ///
    /// - Parameters:
    ///   - write: Receives whole lines, about 1 MiB at a time.
    ///   - progress: Receives the position reached, and the last one.
    /// - Throws: `GapInLog` when a position is missing, `ArchiveError`, `PostgresError`, and the errors of `write`.
    package func run(
        from first: Int64 = 1,
        to last: Int64? = nil,
        write: ([UInt8]) async throws -> Void,
        progress: (_ position: Int64, _ last: Int64) -> Void = { _, _ in }
    ) async throws -> Summary {
        let connection = try await PostgresConnection.connect(configuration)
        do {
            let summary = try await connection.transaction(isolation: .repeatableRead, readOnly: true) { transaction in
                try await transaction.script(ArchivedRange.holdPartitions)
                let head = try await transaction.query("SELECT position, frontier FROM ledger.head").single()
                let end = min(last ?? .max, try head.int64(0))
                var lines = ExportedLines(next: first)
                for range in try await ArchivedRange.all(in: transaction) where range.last >= first {
                    guard range.first <= end else { break }
                    try await lines.add(range, in: archiveDirectory, upTo: end, transaction) { piece, position in
                        try await write(piece)
                        progress(position, end)
                    }
                }
                if lines.next <= end {
                    try await transaction.script(EventRows.inOrderOfIndex)
                    try await transaction.copyOut(EventRows.copyStatement(from: lines.next, to: end)) { piece in
                        try lines.add(piece)
                        guard lines.buffer.count >= Self.pieceBytes else { return }
                        try await write(lines.take())
                        progress(lines.next - 1, end)
                    }
                }
                guard first > end || lines.next > end else { throw GapInLog(expected: lines.next, found: end + 1) }
                if !lines.buffer.isEmpty { try await write(lines.take()) }
                progress(end, end)
                return lines.summary(from: first, head: try head.int64(0), frontier: try head.bytes(1))
            }
            await connection.close()
            return summary
        } catch {
            await connection.close()
            throw error
        }
    }
}

/// The lines produced so far.
private struct ExportedLines {
    private(set) var next: Int64
    private(set) var buffer: [UInt8] = []
    private var rows = EventRows()
    private var frontier = MerkleFrontier()
    private var file = SHA256()
    private var bytes: Int64 = 0
    private var agrees = true

    init(next: Int64) {
        self.next = next
        buffer.reserveCapacity(LogExportBuffer.capacity)
    }

    mutating func add(_ piece: [UInt8]) throws {
        try piece.withUnsafeBytes { piece in
            var offset = 0
            var start = buffer.count
            while let row = try rows.next(piece, at: &offset, line: &buffer) {
                guard row.position == next else { throw GapInLog(expected: next, found: row.position) }
                guard row.isRecord else { throw EventRows.Malformed() }
                let leaf = buffer.withUnsafeBytes { MerkleHash(leaf: UnsafeRawBufferPointer(rebasing: $0[start...])) }
                if row.leaf != leaf { agrees = false }
                frontier.append(leaf)
                buffer.append(UInt8(ascii: "\n"))
                start = buffer.count
                next += 1
            }
        }
    }

    /// Adds the lines of an archive, which must give the leaves in the tiles.
    nonisolated(nonsending) mutating func add(
        _ range: ArchivedRange,
        in directory: String?,
        upTo end: Int64,
        _ transaction: borrowing PostgresTransaction,
        write: nonisolated(nonsending) (_ piece: [UInt8], _ position: Int64) async throws -> Void
    ) async throws {
        let digest = try await range.uncheckedLines(in: directory) { first, archived in
            guard first + Int64(archived.count) > next, first <= end else { return }
            let tile = try await transaction.query(
                "SELECT hashes FROM ledger.tiles WHERE level = 0 AND index = $1",
                [.int64((first - 1) / Int64(TileID.width))]
            )
            let leaves = try tile.first.flatMap { [MerkleHash](concatenated: try $0.bytes(0)) }
            for (number, line) in archived.enumerated() where first + Int64(number) == next && next <= end {
                add(archived: line, leaf: leaves?[number])
            }
            if buffer.count >= LogExportBuffer.archived { try await write(take(), next - 1) }
        }
        if digest != range.digest { agrees = false }
    }

    private mutating func add(archived line: [UInt8], leaf stored: MerkleHash?) {
        let leaf = MerkleHash(leaf: line)
        if leaf != stored { agrees = false }
        frontier.append(leaf)
        buffer.append(contentsOf: line)
        buffer.append(UInt8(ascii: "\n"))
        next += 1
    }

    mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        taken.reserveCapacity(LogExportBuffer.capacity)
        swap(&taken, &buffer)
        taken.withUnsafeBytes { file.update(bufferPointer: $0) }
        bytes += Int64(taken.count)
        return taken
    }

    func summary(from first: Int64, head: Int64, frontier stored: [UInt8]) -> LogExport.Summary {
        let isWhole = first == 1 && next == head + 1
        return LogExport.Summary(
            first: first,
            last: next - 1,
            bytes: bytes,
            digest: MerkleHash(file.finalize()).hexadecimal,
            root: first == 1 ? frontier.root : nil,
            head: head,
            agreesWithTree: agrees && (!isWhole || frontier.bytes == stored)
        )
    }
}

private enum LogExportBuffer {
    /// The initial capacity of the buffer: what is collected, and one more piece of the copy.
    static let capacity = 5 << 18
    /// How many bytes of an archive are collected before they are passed on.
    static let archived = 1 << 20
}
