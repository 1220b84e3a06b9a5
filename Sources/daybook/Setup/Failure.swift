import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import Intake
import Operations
import Postgres
import PostgresCluster
import Redaction

/// The reason that a command failed, as text for the operator, with a hint on what to do next.
struct Failure: Error {
    var message: String
    var hint: String?
    var exitCode: Int32 = 1
    /// The stable code of a refusal.
    var code: String?

    init(_ message: String, hint: String? = nil, exitCode: Int32 = 1) {
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }

    /// An invalid command line, such as an option with an invalid value.
    static func usage(_ message: String, hint: String? = nil) -> Failure {
        Failure(message, hint: hint, exitCode: 64)
    }

    /// A refusal with its code, in the words of the API.
    ///
    /// - Parameter hint: The next step on the command line; the detail of the refusal if left out.
    init(_ refusal: Operations.Refusal, hint: String? = nil) {
        self.init(
            "\(refusal.title) (\(refusal.code)).",
            hint: hint ?? refusal.detail ?? (refusal.retryable ? "Try again." : nil)
        )
        code = refusal.code
    }

    /// What `read` reads from the options of a command.
    ///
    /// - Throws: A refusal as a failure of usage, in the words of the API.
    static func checking<Value>(_ read: () throws(IntakeProblem) -> Value) throws -> Value {
        do throws(IntakeProblem) {
            return try read()
        } catch {
            throw usage(error.detail)
        }
    }

    /// The reason that `--reason` gives.
    static func reason(_ text: String?) throws -> Reason {
        try checking { () throws(IntakeProblem) in try Reason(reading: text) }
    }

    /// The text for an error of a lower layer. It never has data from a document.
    init(describing error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as ReadModelsBehind: self.init(error)
        case let error as PostgresClusterError: self.init("\(error)")
        case let error as PostgresMigrationError where error.cause?.sqlState == LedgerSchema.missingRights:
            self.init(
                "This login may not create the ledger's roles, or does not own the database.",
                hint: "Run `daybook migrate` once with a login that owns the database and has CREATEROLE, or is a "
                    + "superuser."
            )
        case let error as PostgresMigrationError:
            self.init("\(error)", hint: "`daybook doctor` compares the database with this build.")
        case let error as PostgresError where error.connectFailure == .roleNotGranted:
            let role = error.role ?? "the role"
            self.init(
                "This login may not act as \(role).",
                hint: "As the login that migrates, or a superuser: GRANT \(role) TO the login."
            )
        case let error as PostgresError where error.connectFailure == .noSuchDatabaseOrRole && error.role != nil:
            self.init(
                "The server has no role \(error.role ?? "").",
                hint: "`daybook migrate` creates the ledger's roles."
            )
        case let error as PostgresError:
            self.init("\(error)", hint: "`daybook doctor` checks the database.")
        case let error as ArchiveError:
            self.init(error.description, hint: Self.hint(error.code))
        case is InvalidTenant:
            self.init(
                "The tenant id is not valid.",
                hint: "Use 1 to 63 of a-z, 0-9, - and _, beginning with a letter or digit."
            )
        case let error as ListenFailure where error.isInUse:
            self.init(
                "Cannot listen at \(error.host):\(error.port): another program uses this address.",
                hint: "Stop that program, or choose another address with --listen, such as 127.0.0.1:8081."
            )
        case let error as ListenFailure:
            self.init(
                "Cannot listen at \(error.host):\(error.port): \(error.reason).",
                hint: "Choose another address with --listen; port 0 lets the system choose a port."
            )
        case let error as AppendError: self.init(Refusal(IntakeProblem(appending: error)))
        case let problem as IntakeProblem: self.init(Refusal(problem))
        case is CancellationError: self.init("Interrupted.", exitCode: 130)
        default: self.init("Unexpected: \(String(reflecting: type(of: error))).")
        }
    }

    /// A command reads, and its read models lack events that nothing applies.
    private init(_ error: ReadModelsBehind) {
        let code = Refusal.projectionBehind().code
        let (state, hint) =
            switch error.reason {
            case .halted: ("has halted", "`daybook projections` shows the fault.")
            case .notApplied: ("nothing applies them", "Run `daybook serve`, or `daybook catch-up` once.")
            case .stalled: ("has not moved for a minute", "The log of `daybook serve` has the reason.")
            }
        let part = error.name.map { "The read model \($0)" } ?? "Settlement"
        self.init("\(part) lacks \(error.missing, "event") and \(state) (\(code)).", hint: hint)
        self.code = code
    }

    private static func hint(_ code: ArchiveError.Code) -> String {
        switch code {
        case .notConfigured: "Name the directory with --archive-dir."
        case .missing: "Name its directory with --archive-dir, or restore the file from a backup."
        case .changed: "Restore it from a backup. Daybook never shows a changed archive."
        case .unreadable: "Check the permissions and the disk of the archive directory."
        case .unproven: "`daybook verify` shows the faults."
        case .unwritable: "This record must stay in the database. Archive the positions before it with --before."
        case .busy: "Wait until the other archive run has ended."
        }
    }
}
