import Crypto
import Merkle
import Postgres

/// Reads an archive from its first line to its last.
struct ArchiveScan {
    private let path: String
    private let range: ArchivedRange
    private static let pieceBytes = 1 << 20

    init(_ range: ArchivedRange, in directory: String) {
        self.range = range
        path = "\(directory)/\(range.file)"
    }

    /// Passes on every record line, in order and without its line feed, in runs that end where tiles of the tree end.
    ///
    /// - Returns: SHA-256 of the file.
    /// - Throws: `ArchiveError` when the file is missing, cannot be read, or has more or fewer lines than events; the
    ///   errors of `body`.
    nonisolated(nonsending) func lines(
        _ body: nonisolated(nonsending) (_ first: Int64, _ lines: [[UInt8]]) async throws -> Void
    ) async throws -> [UInt8] {
        let file = try await open()
        var hasher = SHA256()
        var offset: Int64 = 0
        var position = range.first
        var line: [UInt8] = []
        var lines: [[UInt8]] = []
        while true {
            let at = offset
            let piece = try await guarded { try file.read(Self.pieceBytes, at: at) }
            if piece.isEmpty { break }
            offset += Int64(piece.count)
            hasher.update(data: piece)
            var start = 0
            while let end = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
                line += piece[start..<end]
                lines.append(line)
                line = []
                start = end + 1
                if lines.count == TileID.width {
                    guard position + Int64(lines.count) - 1 <= range.last else { throw changed(at: position) }
                    try await body(position, lines)
                    position += Int64(lines.count)
                    lines = []
                }
            }
            line += piece[start...]
        }
        // Ranges end where tiles end, so nothing may be left over.
        guard lines.isEmpty, line.isEmpty, position == range.last + 1 else { throw changed(at: position) }
        return Array(hasher.finalize())
    }

    /// Checks every line against the tree, and builds the index.
    ///
    /// - Returns: SHA-256 of the file, and the bytes of its index.
    /// - Throws: `ArchiveError`, `PostgresError`.
    func verify(
        against pool: PostgresPool,
        progress: (_ position: Int64) async throws -> Void = { _ in }
    ) async throws -> (digest: [UInt8], index: [UInt8]) {
        var builder = ArchiveIndexBuilder(first: range.first)
        let digest = try await lines { first, lines in
            let leaves = try await Self.leaves(of: [(first - 1) / Int64(TileID.width)], from: pool)
            for (number, line) in lines.enumerated() {
                let position = first + Int64(number)
                guard let event = RecordedEvent(recordLine: line), leaves[position] == MerkleHash(leaf: line) else {
                    throw changed(at: position)
                }
                builder.add(event, byteCount: line.count + 1)
            }
            try await progress(first + Int64(lines.count) - 1)
        }
        return (digest, builder.bytes(digest: digest))
    }

    /// The leaves that the tiles hold, by position.
    static func leaves(of tiles: [Int64], from pool: PostgresPool) async throws -> [Int64: MerkleHash] {
        let rows = try await pool.query(
            "SELECT index, hashes FROM ledger.tiles WHERE level = 0 AND index = ANY($1::bigint[])",
            [.int64Array(tiles)]
        )
        var leaves: [Int64: MerkleHash] = [:]
        for row in rows {
            let start = try row.int64(0) * Int64(TileID.width) + 1
            for (number, hash) in ([MerkleHash](concatenated: try row.bytes(1)) ?? []).enumerated() {
                leaves[start + Int64(number)] = hash
            }
        }
        return leaves
    }

    private func open() async throws -> DiskFile {
        let path = path
        return try await guarded { try DiskFile(reading: path) }
    }

    private func changed(at position: Int64) -> ArchiveError {
        ArchiveError(.changed, file: range.file, position: position)
    }

    private func guarded<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        do {
            return try await Disk.run(body)
        } catch let error as DiskError {
            throw ArchiveError(error, about: range)
        }
    }
}

extension ArchiveError {
    init(_ error: DiskError, about range: ArchivedRange) {
        self.init(
            error.isMissing ? .missing : .unreadable,
            file: range.file,
            position: range.first,
            systemError: error.number
        )
    }
}
