import CLibPQ

/// A libpq connection without Daybook's driver, to measure the ceilings.
final class BarePostgres {
    private let connection: OpaquePointer

    init(_ url: String) throws {
        guard let connection = PQconnectdb(url), PQstatus(connection) == CONNECTION_OK else {
            throw LoadFailure("the ceiling's connection failed")
        }
        self.connection = connection
    }

    deinit { PQfinish(connection) }

    func script(_ sql: String) throws { try check(PQexec(connection, sql)) }

    func prepare(_ name: String, _ sql: String) throws { try check(PQprepare(connection, name, sql, 0, nil)) }

    /// Runs a prepared statement with binary parameters.
    func run(_ name: String, _ parameters: [[UInt8]]) throws {
        let buffers = parameters.map { parameter in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, parameter.count), alignment: 8)
            buffer.copyBytes(from: parameter)
            return buffer
        }
        defer { for buffer in buffers { buffer.deallocate() } }
        let values = buffers.map { UnsafePointer($0.bindMemory(to: CChar.self).baseAddress) }
        let lengths = parameters.map { Int32($0.count) }
        let formats = [Int32](repeating: 1, count: parameters.count)
        try check(PQexecPrepared(connection, name, Int32(parameters.count), values, lengths, formats, 1))
    }

    private func check(_ result: OpaquePointer?) throws {
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            throw LoadFailure("a ceiling's statement failed: " + String(cString: PQerrorMessage(connection)))
        }
    }
}

/// PostgreSQL's binary form of a one-dimensional array.
struct BinaryArray {
    private(set) var bytes: [UInt8] = []

    init(oid: UInt32, count: Int) {
        append(UInt32(1))
        append(UInt32(0))
        append(oid)
        append(UInt32(count))
        append(UInt32(1))
    }

    mutating func add(_ element: some Collection<UInt8>) {
        append(UInt32(element.count))
        bytes.append(contentsOf: element)
    }

    private mutating func append(_ value: UInt32) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
