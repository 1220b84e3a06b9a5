package import Logging
import Merkle
package import Postgres

/// Moves full partitions, the oldest first, from the database into files.
///
/// Each step is durable before the next one begins, and each can safely be repeated, so a new archiver continues the
/// work of one that was killed. Readers need no notice: a read, and the row that marks a partition as detached, come
/// from one snapshot (`EventQuery`).
package struct Archiver: Sendable {
    /// The step just completed for a partition.
    package enum Step: Sendable, Hashable, CaseIterable {
        /// The record lines are in the file, and the file has its final name.
        case exported
        /// The file was read back from the disk and verified; its index is written.
        case verified
        /// The database has recorded the file.
        case recorded
        /// The events are in the file only.
        case detached
        /// The table is gone.
        case dropped
    }

    /// The full partitions to archive.
    package enum Extent: Sendable, Hashable {
        /// Those that end before this position.
        case before(Int64)
        /// All but this number of newest ones.
        case keeping(Int)
    }

    /// The result for one partition.
    package struct Outcome: Sendable, Hashable {
        package var first: Int64
        package var last: Int64
        package var file: String
        package var digest: [UInt8]
        package var isDropped: Bool
    }

    package struct Report: Sendable, Hashable {
        /// The partitions archived, or advanced, by this run.
        package var outcomes: [Outcome]
        /// The first position that was to be archived but is not yet covered by a checkpoint; nil if there is none.
        package var uncoveredFrom: Int64?
    }

    private struct Partition {
        var first: Int64
        var last: Int64
        var archive: ArchivedRange?
        var isDetached: Bool
        var isDropped: Bool

        var file: String { "events-\(Self.digits(first))-\(Self.digits(last)).ndjson" }

        private static func digits(_ position: Int64) -> String {
            let text = String(position)
            return String(repeating: "0", count: max(0, 12 - text.count)) + text
        }
    }

    private static let pieceBytes = 1 << 20

    private let pool: PostgresPool
    private let directory: String
    private let logger: Logger
    private let clock: any Clock<Duration> = ContinuousClock()

    /// - Parameters:
    ///   - pool: Connects with the archiver role; two of its connections are used.
    ///   - directory: The directory of the archives; created if missing.
    package init(pool: PostgresPool, directory: String, logger: Logger) {
        self.pool = pool
        self.directory = directory
        self.logger = logger
    }

    /// Archives the partitions that `extent` names.
    ///
    /// - Parameters:
    ///   - drops: Whether the tables are dropped, including those detached before.
    ///   - progress: Receives how far the current partition has been written and read back.
    ///   - afterEach: Called after each step; an error it throws stops the work there.
    /// - Throws: `ArchiveError`, `PostgresError`, the errors of `afterEach`.
    package func run(
        _ extent: Extent,
        drops: Bool = false,
        progress: @Sendable (_ position: Int64, _ last: Int64) -> Void = { _, _ in },
        afterEach: @Sendable (Step, _ first: Int64) async throws -> Void = { _, _ in }
    ) async throws -> Report {
        try await pool.withConnection { connection in
            let lock = try await connection.query(
                "SELECT pg_try_advisory_lock(hashtextextended('ledger.archive', 0))"
            )
            guard try lock.single().bool(0) else { throw ArchiveError(.busy) }
            let result: Report
            do {
                result = try await runAlone(extent, drops: drops, progress, afterEach)
            } catch {
                await unlock(connection)
                throw error
            }
            await unlock(connection)
            return result
        }
    }

    private func unlock(_ connection: PostgresConnection) async {
        do {
            _ = try await connection.query("SELECT pg_advisory_unlock(hashtextextended('ledger.archive', 0))")
        } catch {
            // The lock ends with the session at the latest.
            await connection.close()
        }
    }

    private func runAlone(
        _ extent: Extent,
        drops: Bool,
        _ progress: @Sendable (Int64, Int64) -> Void,
        _ afterEach: @Sendable (Step, Int64) async throws -> Void
    ) async throws -> Report {
        let head = try await pool.query(
            "SELECT h.position, (SELECT coalesce(max(c.size), 0) FROM ledger.checkpoints c) FROM ledger.head h"
        ).single()
        let (position, covered) = (try head.int64(0), try head.int64(1))
        let full = try await partitions().filter { $0.last <= position }
        let wanted =
            switch extent {
            case .before(let end): full.filter { $0.last < end }
            case .keeping(let count): Array(full.dropLast(max(0, count)))
            }
        var report = Report(outcomes: [])
        for partition in wanted where !partition.isDetached || (drops && !partition.isDropped) {
            guard partition.last <= covered else {
                report.uncoveredFrom = partition.first
                break
            }
            report.outcomes.append(try await archive(partition, drops: drops, progress, afterEach))
        }
        return report
    }

    private func partitions() async throws -> [Partition] {
        let rows = try await pool.query(
            """
            SELECT first, last, archived_at IS NOT NULL, detached_at IS NOT NULL, dropped_at IS NOT NULL,
                   \(ArchivedRange.columns)
            FROM ledger.partitions ORDER BY first
            """
        )
        return try rows.map { row in
            Partition(
                first: try row.int64(0),
                last: try row.int64(1),
                archive: try row.bool(2) ? try ArchivedRange(row, from: 5) : nil,
                isDetached: try row.bool(3),
                isDropped: try row.bool(4)
            )
        }
    }

    /// Advances a partition from its current step to the last one wanted.
    private func archive(
        _ partition: Partition,
        drops: Bool,
        _ progress: @Sendable (Int64, Int64) -> Void,
        _ afterEach: @Sendable (Step, Int64) async throws -> Void
    ) async throws -> Outcome {
        let archive: ArchivedRange
        if let recorded = partition.archive {
            archive = recorded
            // The archive must be intact before the partition is detached or dropped.
            try await verify(recorded, progress)
        } else {
            archive = try await export(partition, progress, afterEach)
            _ = try await pool.query(
                "SELECT ledger.record_archive($1, $2, $3, $4)",
                [.int64(archive.first), .text(archive.file), .bytea(archive.digest), .bytea(archive.indexDigest)]
            )
            try await afterEach(.recorded, partition.first)
        }
        if !partition.isDetached {
            try await detach(partition.first)
            try await afterEach(.detached, partition.first)
        }
        if drops {
            _ = try await pool.query("SELECT ledger.drop_partition($1)", [.int64(partition.first)])
            try await afterEach(.dropped, partition.first)
        }
        return Outcome(
            first: archive.first,
            last: archive.last,
            file: archive.file,
            digest: archive.digest,
            isDropped: drops || partition.isDropped
        )
    }

    private func verify(_ archive: ArchivedRange, _ progress: (Int64, Int64) -> Void) async throws {
        let found = try await ArchiveScan(archive, in: directory).verify(against: pool) { progress($0, archive.last) }
        guard found.digest == archive.digest else {
            throw ArchiveError(.changed, file: archive.file, position: archive.first)
        }
    }

    /// Detaches the partition as soon as no session reads it. Each attempt delays appends only briefly.
    private func detach(_ first: Int64) async throws {
        var backOff = BackOff()
        while true {
            do {
                _ = try await pool.query("SELECT ledger.detach_partition($1)", [.int64(first)])
                return
            } catch let error as PostgresError where error.sqlState == SQLState.lockNotAvailable {
                logger.debug("a partition is being read and cannot be detached yet", metadata: ["first": "\(first)"])
                try await clock.sleep(for: backOff.next())
            }
        }
    }

    // MARK: Files

    /// Writes a partition's record lines to its file, reads them back, and writes the index.
    private func export(
        _ partition: Partition,
        _ progress: @Sendable (Int64, Int64) -> Void,
        _ afterEach: @Sendable (Step, Int64) async throws -> Void
    ) async throws -> ArchivedRange {
        var archive = ArchivedRange(
            first: partition.first,
            last: partition.last,
            file: partition.file,
            digest: [],
            indexDigest: []
        )
        try await write(archive, progress)
        try await afterEach(.exported, partition.first)
        let (digest, index) = try await ArchiveScan(archive, in: directory).verify(against: pool) {
            progress($0, archive.last)
        }
        archive.digest = digest
        archive.indexDigest = ArchiveIndex.digest(of: index)
        let (name, directory) = (archive.indexFile, directory)
        try await guarded(archive) { try ArchiveWriter.write(index, to: name, in: directory) }
        try await afterEach(.verified, partition.first)
        return archive
    }

    private func write(_ archive: ArchivedRange, _ progress: @Sendable (Int64, Int64) -> Void) async throws {
        let directory = directory
        let writer = try await guarded(archive) { try ArchiveWriter(archive.file, in: directory) }
        var buffer: [UInt8] = []
        var line: [UInt8] = []
        var next = archive.first
        try await pool.withConnection { connection in
            try await connection.stream(
                """
                SELECT \(EventReader.columns), leaf FROM ledger.events
                WHERE position BETWEEN $1 AND $2 ORDER BY position
                """,
                [.int64(archive.first), .int64(archive.last)]
            ) { row in
                let event = try RecordedEvent(row)
                line.removeAll(keepingCapacity: true)
                event.appendRecordLine(to: &line)
                guard event.position == next, try row.bytes(14) == MerkleHash(leaf: line).bytes else {
                    throw ArchiveError(.unproven, position: next)
                }
                guard RecordedEvent(recordLine: line) != nil else { throw ArchiveError(.unwritable, position: next) }
                next += 1
                buffer += line
                buffer.append(UInt8(ascii: "\n"))
                guard buffer.count >= Self.pieceBytes else { return }
                let piece = buffer
                buffer.removeAll(keepingCapacity: true)
                try await guarded(archive) { try writer.write(piece) }
                progress(event.position, archive.last)
            }
        }
        guard next == archive.last + 1 else { throw ArchiveError(.unproven, position: next) }
        let piece = buffer
        try await guarded(archive) {
            try writer.write(piece)
            try writer.finish()
        }
    }

    private func guarded<Result: Sendable>(
        _ archive: ArchivedRange,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        do {
            return try await Disk.run(body)
        } catch let error as DiskError {
            throw ArchiveError(error, about: archive)
        }
    }
}
