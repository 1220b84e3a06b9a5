import Canonical
import EventLog
package import Merkle
package import Postgres

/// Checks a log in its database in one snapshot, so that appends may continue: every event against its leaf; the tree,
/// the head and the tables that are indexes of the log; and every checkpoint.
package struct DatabaseAudit: Sendable {
    package struct Report: Sendable, Hashable {
        /// The number of events according to the head.
        package var size: Int64
        /// The root of the tree over the lines; nil when a line is missing.
        package var root: MerkleHash?
        package var streams: Int
        package var checkpoints: Int
        /// Checkpoints that could not be judged because events they cover are missing.
        package var unjudged: Int
        package var faults: FaultLog
    }

    private let configuration: PostgresConfiguration
    private let archiveDirectory: String?
    private let keys: [NoteVerifierKey]
    private let attestations: [Attestation]

    /// - Parameters:
    ///   - archiveDirectory: The directory of the archived parts of the log; nil if it has none.
    ///   - keys: The keys of the log. If there are any, the signatures of checkpoints are checked.
    ///   - attestations: Checkpoints kept elsewhere, read before the audit starts, in any order.
    package init(
        configuration: PostgresConfiguration,
        archiveDirectory: String? = nil,
        keys: [NoteVerifierKey] = [],
        attestations: [Attestation] = []
    ) {
        self.configuration = configuration
        self.archiveDirectory = archiveDirectory
        self.keys = keys
        self.attestations = attestations.sorted { $0.size < $1.size }
    }

    /// - Parameter progress: Receives how many of how many events have been read.
    /// - Throws: `PostgresError`, `EventRows.Malformed`.
    package func run(progress: (_ position: Int64, _ of: Int64) -> Void = { _, _ in }) async throws -> Report {
        try await Self.withConnection(configuration) { events in
            try await Self.withConnection(configuration) { indexes in
                try await events.transaction(isolation: .repeatableRead, readOnly: true) { events in
                    try await events.script(ArchivedRange.holdPartitions)
                    let snapshot = try await events.query("SELECT pg_export_snapshot()").single().text(0)
                    return try await indexes.transaction(isolation: .repeatableRead, readOnly: true) { indexes in
                        try await indexes.script("SET TRANSACTION SNAPSHOT '\(snapshot)'")
                        var reading = try await LogReading(on: indexes, keys: keys, attestations: attestations)
                        for range in try await ArchivedRange.all(in: indexes) {
                            try await read(range, into: &reading, indexes, progress: progress)
                        }
                        // The whole table, including rows that should not exist.
                        let copy = EventRows.copyStatement(from: -.max, to: .max)
                        try await events.script(EventRows.inOrderOfIndex)
                        try await events.copyOut(copy) { piece in
                            try await reading.add(piece, indexes)
                            progress(min(reading.position, reading.head), reading.head)
                        }
                        return try await reading.finish(indexes)
                    }
                }
            }
        }
    }

    private nonisolated(nonsending) func read(
        _ range: ArchivedRange,
        into reading: inout LogReading,
        _ indexes: borrowing PostgresTransaction,
        progress: (_ position: Int64, _ of: Int64) -> Void
    ) async throws {
        do {
            let digest = try await range.uncheckedLines(in: archiveDirectory) { first, lines in
                try await reading.add(archived: lines, from: first, indexes)
                progress(reading.position, reading.head)
            }
            if digest != range.digest { reading.addChanged(range) }
        } catch let error as ArchiveError {
            try await reading.add(error, in: range, indexes)
        }
    }

    private static func withConnection<Result>(
        _ configuration: PostgresConfiguration,
        _ body: (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await PostgresConnection.connect(configuration)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }
}
