import Canonical
package import Merkle
package import Postgres

/// Writes the record lines of an export into an empty log: events, streams, keys, tiles and head. The result is the
/// exported log, root included.
///
/// A batch is written as a whole or not at all. An interrupted import leaves the beginning of the exported log, and can
/// be continued with the same lines.
package struct LogImport: Sendable {
    /// Why the lines cannot be imported.
    package enum Refusal: Error, Hashable, Sendable {
        /// The log contains events.
        case notEmpty(head: Int64)
        /// The events in the log are not the first of these lines.
        case anotherLog(head: Int64)
        /// The line does not follow the previous one.
        case outOfOrder(position: Int64)
        /// Another session has appended meanwhile.
        case disturbed(head: Int64)
    }

    private static let batchLines = 8192
    private static let batchBytes = 8 << 20
    /// The number of positions in a partition.
    private static let partitionSpan: Int64 = 1 << 20

    private let connection: PostgresConnection
    /// The part of the log that is written already, or being written.
    private var written: MerkleFrontier
    /// The batch being written: the server writes one batch while the next is composed.
    private var writing: Task<Void, any Error>?
    private var tree = TileFiller()
    private var batch = ImportBatch()

    /// Runs `body` with an import into the log at `configuration`.
    ///
    /// - Parameter continues: Whether to continue an interrupted import of the same lines.
    /// - Throws: `Refusal`, `PostgresError`, and the errors of `body`.
    package static func with<Result>(
        _ configuration: PostgresConfiguration,
        continues: Bool = false,
        _ body: (inout LogImport) async throws -> Result
    ) async throws -> Result {
        let connection = try await PostgresConnection.connect(configuration)
        var log: LogImport
        do {
            log = try await LogImport(on: connection, continues: continues)
        } catch {
            await connection.close()
            throw error
        }
        do {
            let result = try await body(&log)
            try await log.write()
            try await log.finish()
            await connection.close()
            return result
        } catch {
            log.writing?.cancel()
            _ = await log.writing?.result
            await connection.close()
            throw error
        }
    }

    private init(on connection: PostgresConnection, continues: Bool) async throws {
        self.connection = connection
        let head = try await connection.query(
            "SELECT position, frontier, EXISTS (SELECT FROM ledger.events), EXISTS (SELECT FROM ledger.idempotency) FROM ledger.head"
        ).single()
        let position = try head.int64(0)
        guard let frontier = MerkleFrontier(size: position, bytes: try head.bytes(1)) else {
            throw Refusal.anotherLog(head: position)
        }
        let hasRows = try head.bool(2) || head.bool(3)
        guard position == 0 ? !hasRows : continues else { throw Refusal.notEmpty(head: position) }
        written = frontier
    }

    /// The root over all lines added.
    package var root: MerkleHash { tree.frontier.root }

    /// How many lines have been added.
    package var count: Int64 { tree.frontier.size }

    /// True when `write()` must be called before more lines are added.
    package var isFull: Bool { batch.count >= Self.batchLines || batch.byteCount >= Self.batchBytes }

    /// Adds the next line. Lines that the log already has are skipped.
    ///
    /// - Throws: `Refusal.outOfOrder`; `Refusal.anotherLog` when the skipped lines are not those of the log.
    package mutating func add(_ line: RecordLine) throws(Refusal) {
        guard line.position == tree.frontier.size + 1 else { throw .outOfOrder(position: line.position) }
        guard line.position <= written.size else {
            batch.add(line, to: &tree)
            return
        }
        _ = tree.append(CollectionOfOne(MerkleHash(leaf: UnsafeRawBufferPointer(line.bytes))))
        guard line.position < written.size || tree.frontier == written else {
            throw .anotherLog(head: written.size)
        }
    }

    /// Starts to write what has been added, as soon as the previous batch is durable.
    ///
    /// - Throws: Why the previous batch failed: `Refusal.disturbed`, `PostgresError`, `CancellationError`.
    package mutating func write() async throws {
        guard batch.count > 0 else { return }
        try await finish()
        try Task.checkCancellation()
        batch.end()
        let (batch, frontier, base, connection) = (batch, tree.frontier, written, connection)
        writing = Task { try await Self.write(batch, frontier, after: base, on: connection) }
        written = frontier
        self.batch = ImportBatch()
    }

    /// Returns when everything written is durable.
    private mutating func finish() async throws {
        try await writing?.value
        writing = nil
    }

    private static func write(
        _ batch: ImportBatch,
        _ frontier: MerkleFrontier,
        after base: MerkleFrontier,
        on connection: PostgresConnection
    ) async throws {
        try await connection.transaction { transaction in
            let moved = try await transaction.execute(
                """
                UPDATE ledger.head SET position = $1, recorded_at = $2, frontier = $3, epoch = coalesce($6, epoch),
                    epoch_began_at = coalesce($7, epoch_began_at)
                WHERE position = $4 AND frontier = $5
                """,
                [
                    .int64(batch.lastPosition), .timestamptz(batch.lastRecordedAt), .bytea(frontier.bytes),
                    .int64(base.size), .bytea(base.bytes), .optional(batch.epoch?.number, PostgresValue.int64),
                    .optional(batch.epoch?.beganAt, PostgresValue.timestamptz),
                ]
            )
            guard moved == 1 else { throw Refusal.disturbed(head: base.size) }
            try await makePartitions(through: batch.lastPosition, in: transaction)
            try await copy(batch.events, into: "ledger.events (\(ImportBatch.eventColumns))", in: transaction)
            try await copy(batch.keys, into: "ledger.idempotency (key, request, position, events)", in: transaction)
            try await copy(
                batch.references,
                into: "ledger.reference_keys (tenant, key, stream, position)",
                in: transaction
            )
            try await copy(batch.tiles, into: "ledger.tiles (level, index, root, hashes)", in: transaction)
            try await advance(batch, in: transaction)
        }
    }

    private static func makePartitions(
        through position: Int64,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        var last = try await transaction.query("SELECT coalesce(max(last), 0) FROM ledger.partitions").single().int64(0)
        while last < position {
            last = try await transaction.query("SELECT ledger.add_partition($1)", [.int64(partitionSpan)])
                .single().int64(0)
        }
    }

    private static func copy(
        _ rows: [UInt8],
        into table: String,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        try await transaction.copyIn("COPY \(table) FROM STDIN (FORMAT binary)") { writer in
            try await writer.write(rows)
        }
    }

    private static func advance(_ batch: ImportBatch, in transaction: borrowing PostgresTransaction) async throws {
        let streams = Array(batch.streams)
        _ = try await transaction.execute(
            """
            INSERT INTO ledger.streams (tenant, stream, version, first_position)
            SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
            ON CONFLICT (tenant, stream) DO UPDATE SET version = excluded.version
            """,
            [
                .textArray(streams.map(\.key.tenant)), .textArray(streams.map(\.key.name)),
                .int64Array(streams.map(\.value.version)), .int64Array(streams.map(\.value.first)),
            ]
        )
    }
}
