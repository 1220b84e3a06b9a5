package import Canonical
internal import Crypto

/// One numbered migration of a schema, never changed once it has been applied anywhere.
package struct PostgresMigration: Sendable, Hashable {
    /// From 1, without gaps.
    package let number: Int
    /// Lowercase letters, digits and underscores.
    package let name: String
    /// Statements without transaction commands: the migrator opens the transaction.
    package let sql: String

    package init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    /// SHA-256 of the statements' UTF-8 text.
    package var checksum: [UInt8] { Array(SHA256.hash(data: Array(sql.utf8))) }
}

/// A migration as recorded in `schema_migrations`.
package struct PostgresAppliedMigration: Sendable, Hashable {
    package let number: Int
    package let name: String
    package let checksum: [UInt8]
    package let appliedAt: Timestamp
}
