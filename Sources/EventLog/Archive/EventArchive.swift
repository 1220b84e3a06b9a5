import Canonical
import Merkle
import Postgres
import Synchronization

/// The events that are in archives only. They are the oldest of the log: everything up to one position.
///
/// Archives are not trusted. An index is used only if it has the digest the database holds, and every record line that
/// is returned has been compared with its leaf in the tree.
package final class EventArchive: Sendable {
    private struct State {
        /// In order, without gaps, from position 1.
        var ranges: [ArchivedRange] = []
        /// Open files, the most recently used one last.
        var files: [ArchiveFile] = []
    }

    /// The largest number of open archives. Opening one reads its index once.
    private static let openLimit = 16
    private static let chunk = TileID.width

    private let directory: String?
    private let pool: PostgresPool
    private let state = Mutex(State())

    /// - Parameter directory: The archive directory; nil if none is known, and then reading an archive fails.
    init(pool: PostgresPool, directory: String?) {
        self.pool = pool
        self.directory = directory
    }

    /// Everything up to this position is known to be archived. It only grows.
    var last: Int64 { state.withLock { $0.ranges.last?.last ?? 0 } }

    /// The archives that exist now, in order.
    ///
    /// - Throws: `PostgresError`.
    package func ranges() async throws -> [ArchivedRange] {
        let ranges = try await pool.query(ArchivedRange.allSQL).map { try ArchivedRange($0) }
        state.withLock { state in
            if ranges.count > state.ranges.count { state.ranges = ranges }
        }
        return ranges
    }

    /// Reads the list of archives again if `position` is not within the known ones.
    func learn(upTo position: Int64) async throws {
        guard position > last else { return }
        _ = try await ranges()
    }

    /// The archived events that match a query, in the query's order.
    ///
    /// - Throws: `ArchiveError`, `PostgresError`.
    func events(matching query: EventQuery) async throws -> [RecordedEvent] {
        let ranges = state.withLock(\.ranges).filter { $0.last > query.after && $0.first <= query.upTo }
        var events: [RecordedEvent] = []
        for range in query.isNewestFirst ? ranges.reversed() : ranges {
            var rest = query
            rest.limit -= events.count
            guard rest.limit > 0 else { break }
            events += try await self.events(matching: rest, in: range)
        }
        return events
    }

    private func events(matching query: EventQuery, in range: ArchivedRange) async throws -> [RecordedEvent] {
        do {
            return try await events(matching: query, in: try await file(range))
        } catch let error as ArchiveError where error.code == .changed {
            // The file may have been repaired since it was opened.
            state.withLock { $0.files.removeAll { $0.range == range } }
            return try await events(matching: query, in: try await file(range))
        }
    }

    private func events(matching query: EventQuery, in file: ArchiveFile) async throws -> [RecordedEvent] {
        let range = file.range
        var lower = max(query.after + 1, range.first) - range.first
        var upper = min(query.upTo, range.last) + 1 - range.first
        // Times never decrease with the position.
        if let from = query.recordedFrom {
            lower = try await lowerBound(of: lower..<max(lower, upper), in: file) { $0 < from }
        }
        if let before = query.recordedBefore {
            upper = try await lowerBound(of: lower..<max(lower, upper), in: file) { $0 < before }
        }
        guard lower < upper else { return [] }
        let (ordinals, key) = (lower..<upper, query.key)
        let found = try await blocking(range) { try key.map { try file.index.postings(of: $0, within: ordinals) } }
        var places = found ?? ordinals
        var events: [RecordedEvent] = []
        while !places.isEmpty, events.count < query.limit {
            // About as many as are still wanted, if most of them match.
            let count = Int64(min(max(query.limit - events.count, 16), Self.chunk, places.count))
            let next: Range<Int64>
            if query.isNewestFirst {
                next = places.upperBound - count..<places.upperBound
                places = places.lowerBound..<next.lowerBound
            } else {
                next = places.lowerBound..<places.lowerBound + count
                places = next.upperBound..<places.upperBound
            }
            let chunk = try await self.events(next, areOrdinals: key == nil, in: file)
            let matching = (query.isNewestFirst ? chunk.reversed() : chunk).filter(query.matches)
            events += matching.prefix(query.limit - events.count)
        }
        return events
    }

    /// Reads events and compares each with its leaf.
    ///
    /// - Parameter areOrdinals: Whether `places` are ordinals themselves, instead of postings that hold them.
    private func events(
        _ places: Range<Int64>,
        areOrdinals: Bool,
        in file: ArchiveFile
    ) async throws -> [RecordedEvent] {
        let (ordinals, lines) = try await blocking(file.range) {
            let ordinals = areOrdinals ? Array(places) : try file.index.ordinals(places)
            return (ordinals, try file.lines(ordinals))
        }
        let first = file.range.first
        let tiles = Set(ordinals.map { (first + $0 - 1) / Int64(TileID.width) })
        let leaves = try await ArchiveScan.leaves(of: tiles.sorted(), from: pool)
        return try zip(ordinals, lines).map { ordinal, line in
            guard let leaf = leaves[first + ordinal], leaf == MerkleHash(leaf: line),
                let event = RecordedEvent(recordLine: line)
            else { throw ArchiveError(.changed, file: file.range.file, position: first + ordinal) }
            return event
        }
    }

    /// The first ordinal whose event was recorded at or after a time.
    private func lowerBound(
        of ordinals: Range<Int64>,
        in file: ArchiveFile,
        _ isBefore: (Timestamp) -> Bool
    ) async throws -> Int64 {
        var (low, high) = (ordinals.lowerBound, ordinals.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            let event = try await events(middle..<middle + 1, areOrdinals: true, in: file)[0]
            if isBefore(event.recordedAt) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Files

    /// The open archive, with the index that the database has recorded.
    private func file(_ range: ArchivedRange) async throws -> ArchiveFile {
        let directory = try place(of: range)
        let known = state.withLock { $0.files.first { $0.range == range } }
        if let known, try await blocking(range, { known.index.isUnchanged }) { return known }
        var opened = try await blocking(range) { try ArchiveFile(range, in: directory) }
        if opened == nil {
            try await remakeIndex(of: range, in: directory)
            opened = try await blocking(range) { try ArchiveFile(range, in: directory) }
        }
        guard let opened else { throw ArchiveError(.changed, file: range.indexFile, position: range.first) }
        state.withLock { state in
            state.files.removeAll { $0.range == range }
            if state.files.count >= Self.openLimit { state.files.removeFirst() }
            state.files.append(opened)
        }
        return opened
    }

    /// Rebuilds the index from the archive, which must have the recorded digest.
    private func remakeIndex(of range: ArchivedRange, in directory: String) async throws {
        let (digest, index) = try await ArchiveScan(range, in: directory).verify(against: pool)
        guard digest == range.digest else { throw ArchiveError(.changed, file: range.file, position: range.first) }
        try await blocking(range) { try ArchiveWriter.write(index, to: range.indexFile, in: directory) }
    }

    private func place(of range: ArchivedRange) throws(ArchiveError) -> String {
        guard let directory else { throw ArchiveError(.notConfigured, file: range.file, position: range.first) }
        return directory
    }

    private func blocking<Result: Sendable>(
        _ range: ArchivedRange,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        do {
            return try await Disk.run(body)
        } catch let error as DiskError {
            throw ArchiveError(error, about: range)
        } catch let error as ArchiveError where error.file == nil {
            throw ArchiveError(error.code, file: range.file, position: range.first)
        }
    }
}
