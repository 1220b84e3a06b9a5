/// The object identifier of a PostgreSQL data type, as fixed in the server's `pg_type.dat`.
package struct PostgresType: Sendable, Hashable, CustomStringConvertible {
    package let oid: UInt32

    package init(oid: UInt32) {
        self.oid = oid
    }

    /// Leaves the choice of type to the server.
    static let unspecified = PostgresType(oid: 0)
    static let bool = PostgresType(oid: 16)
    static let bytea = PostgresType(oid: 17)
    static let name = PostgresType(oid: 19)
    static let int8 = PostgresType(oid: 20)
    static let int2 = PostgresType(oid: 21)
    static let int4 = PostgresType(oid: 23)
    static let text = PostgresType(oid: 25)
    static let oidType = PostgresType(oid: 26)
    static let json = PostgresType(oid: 114)
    static let unknown = PostgresType(oid: 705)
    static let blankPaddedText = PostgresType(oid: 1042)
    static let varchar = PostgresType(oid: 1043)
    static let timestamptz = PostgresType(oid: 1184)
    static let numeric = PostgresType(oid: 1700)
    static let uuid = PostgresType(oid: 2950)
    static let jsonb = PostgresType(oid: 3802)

    static let boolArray = PostgresType(oid: 1000)
    static let byteaArray = PostgresType(oid: 1001)
    static let nameArray = PostgresType(oid: 1003)
    static let int2Array = PostgresType(oid: 1005)
    static let int4Array = PostgresType(oid: 1007)
    static let textArray = PostgresType(oid: 1009)
    static let varcharArray = PostgresType(oid: 1015)
    static let int8Array = PostgresType(oid: 1016)
    static let timestamptzArray = PostgresType(oid: 1185)
    static let jsonArray = PostgresType(oid: 199)
    static let uuidArray = PostgresType(oid: 2951)
    static let jsonbArray = PostgresType(oid: 3807)

    package var description: String { "type oid \(oid)" }
}
