/// Why the schema could not be brought to its newest step.
package struct PostgresMigrationError: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable {
        /// The directory cannot be read, or an entry is not of the form `NNNN_name/up.sql`.
        case unreadableDirectory
        /// The numbers given do not run from 1 without gaps and repeats.
        case gapInMigrations
        /// The database has a step that follows one it does not have.
        case gapInDatabase
        /// The database has steps that are not known here: a newer version has been at work.
        case newerDatabase
        /// A step was applied under another name.
        case renamed
        /// A step was changed after it had been applied.
        case changed
        /// A step's statements failed; see `cause`. It has been rolled back.
        case failed
        /// A step ended its own transaction.
        case leftTransaction
    }

    package let code: Code
    /// The step concerned, where it is one.
    package let number: Int?

    /// What the database said about the step.
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
