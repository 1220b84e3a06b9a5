/// Why the schema could not be migrated to its newest version.
package struct PostgresMigrationError: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable {
        /// The directory cannot be read, or an entry is not of the form `NNNN_name/up.sql`.
        case unreadableDirectory
        /// The numbers given do not run from 1 without gaps and repeats.
        case gapInMigrations
        /// The database has a migration whose predecessor is missing.
        case gapInDatabase
        /// The database has migrations that are unknown here: a newer version has migrated it.
        case newerDatabase
        /// A migration was applied under another name.
        case renamed
        /// A migration was changed after it had been applied.
        case changed
        /// A migration's statements failed; see `cause`. It has been rolled back.
        case failed
        /// A migration ended its own transaction.
        case leftTransaction
    }

    package let code: Code
    /// The migration concerned, if it is one.
    package let number: Int?

    /// The database error of the migration.
    package let cause: PostgresError?

    init(_ code: Code, number: Int? = nil, cause: PostgresError? = nil) {
        self.code = code
        self.number = number
        self.cause = cause
    }
}

extension PostgresMigrationError: CustomStringConvertible {
    package var description: String {
        let subject = number.map { "migration \($0)" } ?? "migrations"
        let reason = cause.map { ", \($0)" } ?? ""
        return "\(subject): \(code.rawValue)\(reason)"
    }
}
