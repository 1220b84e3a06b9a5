import Access
import EventLog
import Ledger
import Postgres
import PostgresCluster

/// Why a command failed, in words for people: what, and what to do next.
struct Failure: Error {
    var message: String
    var hint: String?
    var exitCode: Int32 = 1

    init(_ message: String, hint: String? = nil, exitCode: Int32 = 1) {
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }

    /// The words for an error of a lower layer. None of them carries data from a document.
    init(describing error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as PostgresClusterError: self.init("\(error)")
        case let error as PostgresMigrationError:
            self.init("\(error)", hint: "`daybook doctor` shows how the database stands to this build.")
        case let error as PostgresError:
            self.init("\(error)", hint: "`daybook doctor` checks the database.")
        case is InvalidTenant:
            self.init(
                "That is no tenant id.",
                hint: "Use 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit."
            )
        case let error as AppendError: self.init("The log did not take it: \(error.code.rawValue).")
        case is CancellationError: self.init("Interrupted.", exitCode: 130)
        default: self.init("Unexpected: \(String(reflecting: type(of: error))).")
        }
    }
}
