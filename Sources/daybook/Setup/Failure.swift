import Access
import EventLog
import HTTPEdge
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

    /// A command that was given what it does not take: an option whose value makes no sense.
    static func usage(_ message: String, hint: String? = nil) -> Failure {
        Failure(message, hint: hint, exitCode: 64)
    }

    /// The words for an error of a lower layer. None of them carries data from a document.
    init(describing error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as PostgresClusterError: self.init("\(error)")
        case let error as PostgresMigrationError where error.cause?.sqlState == LedgerSchema.missingRights:
            self.init(
                "This login may not make the ledger's roles, or does not own the database.",
                hint: "Run `daybook migrate` once with a login that owns the database and has CREATEROLE, or is a "
                    + "superuser."
            )
        case let error as PostgresMigrationError:
            self.init("\(error)", hint: "`daybook doctor` shows how the database stands to this build.")
        case let error as PostgresError where error.connectFailure == .roleNotGranted:
            let role = error.role ?? "the role"
            self.init(
                "This login may not act as \(role).",
                hint: "As the login that migrates, or a superuser: GRANT \(role) TO the login."
            )
        case let error as PostgresError where error.connectFailure == .noSuchDatabaseOrRole && error.role != nil:
            self.init(
                "The server has no role \(error.role ?? "").",
                hint: "`daybook migrate` makes the ledger's roles."
            )
        case let error as PostgresError:
            self.init("\(error)", hint: "`daybook doctor` checks the database.")
        case let error as ArchiveError:
            self.init(error.description, hint: Self.hint(error.code))
        case is InvalidTenant:
            self.init(
                "That is no tenant id.",
                hint: "Use 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit."
            )
        case let error as ListenFailure:
            self.init(
                "Cannot listen at \(error.host):\(error.port): \(error.reason).",
                hint: "Choose another address with --listen; port 0 lets the system choose a port."
            )
        case let error as AppendError: self.init("The log did not take it: \(error.code.rawValue).")
        case is CancellationError: self.init("Interrupted.", exitCode: 130)
        default: self.init("Unexpected: \(String(reflecting: type(of: error))).")
        }
    }

    private static func hint(_ code: ArchiveError.Code) -> String {
        switch code {
        case .notConfigured: "Name the directory with --archive-dir."
        case .missing: "Name the directory it is in with --archive-dir, or bring it back from a backup."
        case .changed: "Bring it back from a backup. Nothing that is not what was archived is ever shown."
        case .unreadable: "Check the permissions and the disk of the archive directory."
        case .unproven: "`daybook verify` shows what is wrong."
        case .unwritable: "Such a record must stay in the database; archive up to it with --before."
        case .busy: "Wait for it to end."
        }
    }
}
