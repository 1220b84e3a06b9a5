internal import CLibPQ

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Owns one libpq result.
///
/// Unchecked, because libpq guarantees that an unmodified result may be read from several threads at once (PostgreSQL
/// documentation, "Behavior in Threaded Programs"), and nothing here modifies it.
final class PostgresResult: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    var status: ExecStatusType { PQresultStatus(pointer) }
    var rowCount: Int { Int(PQntuples(pointer)) }
    var columnCount: Int { Int(PQnfields(pointer)) }
    var commandTag: String { String(cString: PQcmdStatus(pointer)) }
    var affectedCount: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    func type(of column: Int) -> PostgresType { PostgresType(oid: PQftype(pointer, Int32(column))) }

    func name(of column: Int) -> String { String(cString: PQfname(pointer, Int32(column))) }

    func column(named name: String) -> Int? {
        // Compared in place, because loops read many rows by column name.
        name.withCString { wanted in
            (0..<columnCount).first { strcmp(PQfname(pointer, Int32($0)), wanted) == 0 }
        }
    }

    func isNull(row: Int, column: Int) -> Bool {
        PQgetisnull(pointer, Int32(row), Int32(column)) == 1
    }

    /// The size of the row's values in bytes.
    func size(ofRow row: Int) -> Int {
        (0..<columnCount).reduce(0) { $0 + Int(PQgetlength(pointer, Int32(row), Int32($1))) }
    }

    func withField<R>(
        row: Int,
        column: Int,
        _ body: (UnsafeRawBufferPointer) throws(PostgresError) -> R
    ) throws(PostgresError) -> R {
        let length = Int(PQgetlength(pointer, Int32(row), Int32(column)))
        let bytes = UnsafeRawBufferPointer(start: PQgetvalue(pointer, Int32(row), Int32(column)), count: length)
        return try withExtendedLifetime(self) { () throws(PostgresError) in try body(bytes) }
    }
}
