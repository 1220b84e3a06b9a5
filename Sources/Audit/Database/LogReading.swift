import Canonical
import EventLog
import Merkle
import Postgres

/// One pass over a log that also reads the tables beside the events, in step with them.
struct LogReading: Sendable {
    /// The largest gap of missing positions that is added to the tree; after a longer one the tree is abandoned.
    private static let longestGap: Int64 = 1 << 20

    let head: Int64
    private let headRecordedAt: Timestamp
    private let headFrontier: [UInt8]
    private let keys: [NoteVerifierKey]
    private var attestations: ArraySlice<Attestation>

    private var rows = EventRows()
    private var line: [UInt8] = []
    private var log = LogAuditor(tracksKeys: false)
    private var tree = TreeAuditor()
    private var index = IndexAuditor()
    private var faults = FaultLog()
    private var checkpointCount = 0
    private var chain = CheckpointChain()

    private var idempotency: RowMerge<IdempotencyRow>
    private var references: RowMerge<ReferenceRow>
    private var streams: RowMerge<StreamRow>
    private var tiles: RowMerge<StoredTile>
    private var checkpoints: RowMerge<CheckpointRow>

    init(
        on connection: borrowing PostgresTransaction,
        keys: [NoteVerifierKey],
        attestations: [Attestation]
    ) async throws {
        let row = try await connection.query("SELECT position, recorded_at, frontier FROM ledger.head").single()
        head = try row.int64(0)
        headRecordedAt = try row.timestamp(1)
        headFrontier = try row.bytes(2)
        self.keys = keys
        self.attestations = attestations[...]
        // The sorts are large and should stay in memory if possible.
        try await connection.script("SET LOCAL work_mem = '64MB'")
        idempotency = try await .idempotency(on: connection)
        references = try await .references(on: connection)
        streams = try await .streams(on: connection)
        tiles = try await .tiles(on: connection)
        checkpoints = try await .checkpoints(on: connection)
    }

    /// The position reached.
    var position: Int64 { log.next - 1 }

    /// Adds a piece of the copy of the events.
    mutating func add(_ piece: [UInt8], _ connection: borrowing PostgresTransaction) async throws {
        var offset = 0
        while true {
            switch try addRows(of: piece, at: &offset) {
            case .end: return
            case .closesTile: try await closeTile(connection)
            case .needsRows(let position): try await fill(through: position, connection)
            case .needsGap(let position): try await skip(to: position, connection)
            }
        }
    }

    /// Adds the lines of an archive, from position `first`.
    mutating func add(archived lines: [[UInt8]], from first: Int64, _ connection: borrowing PostgresTransaction)
        async throws
    {
        for (number, bytes) in lines.enumerated() {
            if tree.isTileFull { try await closeTile(connection) }
            let position = first + Int64(number)
            if !covers(position) { try await fill(through: position, connection) }
            line = bytes
            add(at: position, leaf: nil, isRecord: true, isArchived: true)
        }
    }

    /// Reports an archive that cannot be read to its end: everything in it that has not been read is missing.
    mutating func add(
        _ error: ArchiveError,
        in range: ArchivedRange,
        _ connection: borrowing PostgresTransaction
    ) async throws {
        faults.add(.missing, at: max(log.next, range.first), error.description)
        if tree.isTileFull { try await closeTile(connection) }
        if log.next <= range.last { try await skip(to: range.last + 1, connection) }
    }

    /// Reports an archive that is not the recorded file, whichever of its lines are wrong.
    mutating func addChanged(_ range: ArchivedRange) {
        faults.add(.record, at: range.first, "the archive \(range.file) does not have the digest recorded for it")
    }

    private enum Pause {
        case end
        case closesTile
        /// The rows of the indexes up to this position must be read first.
        case needsRows(Int64)
        /// There are no events from here up to this position, exclusive.
        case needsGap(Int64)
    }

    /// Adds rows until the piece ends or other rows must be read first.
    private mutating func addRows(of piece: [UInt8], at offset: inout Int) throws -> Pause {
        try piece.withUnsafeBytes { piece in
            while true {
                if tree.isTileFull { return .closesTile }
                let start = offset
                let before = rows
                line.removeAll(keepingCapacity: true)
                guard let row = try rows.next(piece, at: &offset, line: &line) else { return .end }
                if row.position < log.next {
                    faults.add(.extra, at: row.position, "an event has a duplicate or invalid position")
                    continue
                }
                if row.position > head {
                    faults.add(.extra, at: row.position, "an event after the head, which is at \(head)")
                    continue
                }
                if row.position > log.next {
                    (offset, rows) = (start, before)
                    return .needsGap(row.position)
                }
                guard covers(row.position) else {
                    (offset, rows) = (start, before)
                    return .needsRows(row.position)
                }
                add(at: row.position, leaf: row.leaf, isRecord: row.isRecord)
            }
        }
    }

    private func covers(_ position: Int64) -> Bool {
        idempotency.covers(position) && references.covers(position) && streams.covers(position)
    }

    private mutating func fill(through position: Int64, _ connection: borrowing PostgresTransaction) async throws {
        try await idempotency.fill(through: position, on: connection)
        try await references.fill(through: position, on: connection)
        try await streams.fill(through: position, on: connection)
    }

    private mutating func add(at position: Int64, leaf stored: MerkleHash?, isRecord: Bool, isArchived: Bool = false) {
        let earlier = take(through: position - 1)
        if !earlier.isEmpty {
            index.report(keys: earlier.keys, references: earlier.references, streams: earlier.streams)
        }
        let own = take(through: position)
        let line = line
        line.withUnsafeBufferPointer { bytes in
            guard isRecord else {
                tree.add(computed: nil, stored: stored)
                log.add(RecordLineError(member: nil, offset: 0))
                return index.report(keys: own.keys, references: own.references, streams: own.streams)
            }
            let leaf = MerkleHash(leaf: UnsafeRawBufferPointer(bytes))
            if isArchived { tree.add(archived: leaf) } else { tree.add(computed: leaf, stored: stored) }
            do throws(RecordLineError) {
                let line = try RecordLine(bytes)
                log.add(line)
                index.compare(line, keys: own.keys, references: own.references, streams: own.streams)
            } catch {
                log.add(error)
                index.report(keys: own.keys, references: own.references, streams: own.streams)
            }
        }
    }

    private typealias IndexRows = (
        keys: [IdempotencyRow], references: [ReferenceRow], streams: [StreamRow], isEmpty: Bool
    )

    private mutating func take(through position: Int64) -> IndexRows {
        var keys: [IdempotencyRow] = []
        var named: [ReferenceRow] = []
        var begun: [StreamRow] = []
        while let row = idempotency.next(through: position) { keys.append(row) }
        while let row = references.next(through: position) { named.append(row) }
        while let row = streams.next(through: position) { begun.append(row) }
        return (keys, named, begun, keys.isEmpty && named.isEmpty && begun.isEmpty)
    }

    /// Records that there are no events before this position.
    private mutating func skip(to position: Int64, _ connection: borrowing PostgresTransaction) async throws {
        let isTooLong = position - log.next > Self.longestGap
        let count = isTooLong ? 0 : position - log.next
        log.skip(to: position)
        if isTooLong { return tree.abandon() }
        for _ in 0..<count {
            tree.add(computed: nil, stored: nil)
            if tree.isTileFull { try await closeTile(connection) }
        }
    }

    /// Judges a tile that is full, or the partial tile at the end of the log.
    private mutating func closeTile(_ connection: borrowing PostgresTransaction) async throws {
        let size = tree.size
        try await tiles.fill(through: size, on: connection)
        try await checkpoints.fill(through: size, on: connection)
        var stored: [StoredTile] = []
        let due = tree.isTileFull ? TreeAuditor.tiles(filledAt: size) : []
        while let tile = tiles.next(through: size) {
            if due.contains(tile.id), !stored.contains(where: { $0.id == tile.id }) {
                stored.append(tile)
            } else {
                faults.add(.tile, at: tile.id.firstPosition, "there is no tile \(tile.id.level)/\(tile.id.index)")
            }
        }
        tree.close(tiles: due.isEmpty ? nil : stored, attestations: takeAttestations(through: size))
    }

    private mutating func takeAttestations(through size: Int64) -> [Attestation] {
        var due: [Attestation] = []
        var stored: [(size: Int64, predecessor: Int64?)] = []
        while let row = checkpoints.next(through: size) {
            checkpointCount += 1
            due.append(row.attestation)
            let judged = row.judged(keys: keys)
            if let fault = judged.fault { faults.add(fault) }
            stored.append((row.size, judged.predecessor))
        }
        var witnessed: [Int64] = []
        while let next = attestations.first, next.size <= size {
            due.append(next)
            // For events the log does not have, the truncation is reported instead.
            if next.source == .witnessed, next.size <= head { witnessed.append(next.size) }
            attestations.removeFirst()
        }
        chain.add(stored: stored, witnessed: witnessed)
        return due.sorted { $0.size < $1.size }
    }

    /// Called after the last event.
    mutating func finish(_ connection: borrowing PostgresTransaction) async throws -> DatabaseAudit.Report {
        if tree.isTileFull { try await closeTile(connection) }
        if log.next <= head { try await skip(to: head + 1, connection) }
        log.finish()
        try await closeTile(connection)
        if tree.closed == head {
            tree.judge(head: headFrontier)
        }
        if head > 0, let last = log.lastRecordedAt, last != headRecordedAt {
            faults.add(.head, at: head, "the head has another time than the newest event")
        }
        try await finishIndexes(connection)
        try await compareVersions(connection)
        var all = faults
        for found in [log.faults, tree.faults, index.faults, chain.faults] { all.add(found) }
        return DatabaseAudit.Report(
            size: head,
            root: tree.root,
            streams: log.streamCount,
            checkpoints: checkpointCount,
            unjudged: tree.unjudged,
            faults: all
        )
    }

    /// Reports the remaining rows: they name positions after the end.
    private mutating func finishIndexes(_ connection: borrowing PostgresTransaction) async throws {
        try await fill(through: .max, connection)
        let rest = take(through: .max)
        index.report(keys: rest.keys, references: rest.references, streams: rest.streams)
        try await tiles.fill(through: .max, on: connection)
        while let tile = tiles.next(through: .max) {
            faults.add(
                .tile,
                at: tile.id.firstPosition,
                "tile \(tile.id.level)/\(tile.id.index) is of events the log does not have"
            )
        }
        try await checkpoints.fill(through: .max, on: connection)
        for attestation in takeAttestations(through: .max) {
            faults.add(
                .truncated,
                at: head + 1,
                "\(attestation.source.rawValue) is of \(attestation.size, "event"), the log has \(head)"
            )
        }
    }

    /// Compares the version recorded for each stream with the one of its events.
    private mutating func compareVersions(_ connection: borrowing PostgresTransaction) async throws {
        var wrong: [LogFault] = []
        let log = log
        try await connection.stream("SELECT tenant, stream, version, first_position FROM ledger.streams") { row in
            let version = try row.int64(2)
            let actual = log.version(ofTenant: try row.text(0), stream: try row.text(1))
            guard let actual, actual != version else { return }
            wrong.append(
                LogFault(
                    .stream,
                    at: try row.int64(3),
                    "the stream that begins here is at version \(actual), its row has \(version)"
                )
            )
        }
        for fault in wrong.sorted(by: { $0.position < $1.position }) { faults.add(fault) }
    }
}
