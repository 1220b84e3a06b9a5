import Postgres

/// Rows of an index of the log in the order of their positions, fetched with a cursor a few thousand at a time, to be
/// read in step with the events.
struct RowMerge<Row: Sendable>: Sendable {
    private static var batch: Int { 2048 }

    private let cursor: String
    private let position: @Sendable (Row) -> Int64
    private let decode: @Sendable (PostgresRow) throws -> Row
    private var rows: [Row] = []
    private var index = 0
    private var isAtEnd = false

    /// - Parameters:
    ///   - query: Must order its rows by the result of `position`.
    ///   - decode: Makes an element of a row.
    static func open(
        _ cursor: String,
        _ query: String,
        on connection: borrowing PostgresTransaction,
        position: @escaping @Sendable (Row) -> Int64,
        decode: @escaping @Sendable (PostgresRow) throws -> Row
    ) async throws -> RowMerge {
        try await connection.script("DECLARE \(cursor) NO SCROLL CURSOR FOR \(query)")
        return RowMerge(cursor: cursor, position: position, decode: decode)
    }

    private init(
        cursor: String,
        position: @escaping @Sendable (Row) -> Int64,
        decode: @escaping @Sendable (PostgresRow) throws -> Row
    ) {
        self.cursor = cursor
        self.position = position
        self.decode = decode
    }

    /// Whether all rows up to this position have been read.
    func covers(_ position: Int64) -> Bool {
        isAtEnd || rows.last.map { self.position($0) > position } ?? false
    }

    /// Reads until all rows up to this position have been read.
    mutating func fill(through position: Int64, on connection: borrowing PostgresTransaction) async throws {
        while !covers(position) {
            rows.removeFirst(index)
            index = 0
            let more = try await connection.query("FETCH \(Self.batch) FROM \(cursor)")
            for row in more { rows.append(try decode(row)) }
            isAtEnd = more.count < Self.batch
        }
    }

    /// The next row up to this position; nil when there is none. `covers(position)` must hold.
    mutating func next(through position: Int64) -> Row? {
        guard index < rows.count, self.position(rows[index]) <= position else { return nil }
        defer { index += 1 }
        return rows[index]
    }
}
