/// Accepts the data of a `COPY ... FROM STDIN`; passed to the body of `copyIn`.
///
/// Write either bytes in the format the statement names, or rows, for which the statement must specify `FORMAT binary`.
package struct PostgresCopyWriter: ~Copyable {
    private static let bufferBytes = 64 << 10
    /// The signature, flags and extension length at the beginning of a binary copy (PostgreSQL documentation, COPY,
    /// "Binary Format").
    private static let binaryHeader: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF] + Array("\r\n".utf8) + [0] + [UInt8](repeating: 0, count: 8)

    private let connection: PostgresConnection
    private var buffer = BinaryWriter()
    private var hasRows = false

    init(connection: PostgresConnection) {
        self.connection = connection
    }

    /// Adds bytes. Small pieces are collected; beyond 64 KiB the call waits until the system has accepted them.
    package nonisolated(nonsending) mutating func write(_ bytes: [UInt8]) async throws {
        buffer.raw(bytes)
        try await flush(above: Self.bufferBytes)
    }

    /// Adds one row in binary form. Its values must have exactly the types of the columns; NULL fits any.
    package nonisolated(nonsending) mutating func row(_ values: [PostgresValue]) async throws {
        if !hasRows { buffer.raw(Self.binaryHeader) }
        hasRows = true
        guard let count = Int16(exactly: values.count) else { throw PostgresError(.parameterTooLarge) }
        buffer.integer(count)
        for value in values { try buffer.sized(value) }
        try await flush(above: Self.bufferBytes)
    }

    nonisolated(nonsending) mutating func finish() async throws {
        if hasRows { buffer.integer(Int16(-1)) }
        try await flush(above: 0)
    }

    private nonisolated(nonsending) mutating func flush(above limit: Int) async throws {
        guard buffer.bytes.count > limit else { return }
        let bytes = buffer.bytes
        buffer = BinaryWriter()
        try await connection.sendCopyData(bytes)
    }
}
