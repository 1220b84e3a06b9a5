import Canonical
package import EventLog
package import Intake
import Journal
import Matching
package import Postgres
import Projections
import Reconciliation
import Replay
import ReplayRules
import Statements
import Vendors

extension Refusal {
    /// The refusal for an error of an operation; nil for an error that is not a refusal.
    package init?(explaining error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let problem as IntakeProblem: self.init(problem)
        case let fault as EvidenceFault: self.init(fault)
        case let hold as CallHold: self.init(hold)
        case let error as PostgresError: self.init(error)
        case let error as TotalsError: self.init(error)
        case let error as BalanceError: self.init(error)
        case let refusal as ExportCommands.Refusal: self.init(refusal)
        case let fault as ExportFault: self.init(fault)
        case let problem as ChartProblem: self.init(problem)
        case let problem as StatementProblem: self.init(problem)
        case let refusal as StatementImporter.Refusal: self.init(refusal)
        case let refusal as StatementCommands.Refusal: self.init(refusal)
        case let refusal as Reconciler.Refusal: self.init(refusal)
        case let problem as RulesProblem: self.init(problem)
        case let refusal as ExceptionCommands.Refusal: self.init(refusal)
        case let refusal as PeriodCommands.Refusal: self.init(refusal)
        case let refusal as DoubtCommands.Refusal: self.init(refusal)
        case let refusal as DisputeCommands.Refusal: self.init(refusal)
        case let refusal as Proposals.Refusal: self.init(refusal)
        case let refusal as ReplayPlanner.Refusal: self.init(refusal)
        case let refusal as ReplayCommands.Refusal: self.init(refusal)
        case let refusal as CardVault.Refusal: self.init(refusal)
        case let error as RuleBookError: self.init(error)
        case is ArchiveError: self = .archiveUnavailable
        default: return nil
        }
    }

    /// The refusal of a read that needs a part of the log whose archive is missing or was changed.
    package static var archiveUnavailable: Refusal {
        Refusal(
            kind: .unavailable,
            code: "archive-unavailable",
            title: "An archived part of the log cannot be read",
            retryable: true,
            retryAfterSeconds: 60,
            outcome: .known
        )
    }

    /// The refusal of a record that was not recorded.
    package init(_ problem: IntakeProblem) {
        let (kind, title): (Kind, String) =
            switch problem.code {
            case .malformedJSON: (.invalid, "The body is not JSON")
            case .malformedRecord: (.invalid, "The body is not a record")
            case .tooLarge: (.tooLarge, "The request body is too large")
            case .unknownVendor: (.notFound, "There is no such vendor")
            case .refused(.unknownKind): (.unprocessable, "There is no such kind of document")
            case .refused: (.unprocessable, "The document cannot be read")
            case .refusedEvent: (.unprocessable, "The event cannot be appended")
            case .keyBound: (.forbidden, "The key may not send this")
            case .versionConflict: (.conflict, "The stream has another version")
            case .idempotencyMismatch: (.unprocessable, "The idempotency key was used before")
            case .overloaded: (.unavailable, "Too much is waiting")
            case .unavailable: (.unavailable, "The ledger cannot record at the moment")
            case .logUnproven: (.unavailable, "The log is not proven yet")
            case .logContradicted: (.unavailable, "The log contradicts what is known of it")
            case .clockAhead: (.unavailable, "The clock of the service is ahead")
            case .notDurable: (.unavailable, "Commits of the database are not durable")
            case .streamFull: (.unprocessable, "The stream is full")
            case .outcomeUnknown: (.unavailable, "It is unknown whether the record was appended")
            }
        self.init(kind: kind, code: problem.code.name, title: title, detail: problem.detail)
        if kind == .unavailable {
            retryable = true
            retryAfterSeconds = problem.code == .logContradicted ? 60 : 1
            outcome = problem.code == .outcomeUnknown ? .unknown : .known
        }
        if let pointer = problem.pointer { extensions["pointer"] = .string(pointer) }
        if let version = problem.actualVersion { extensions["actualVersion"] = .number(.init(version)) }
        if let position = problem.tracePosition { extensions["tracePosition"] = .number(.init(position)) }
    }

    /// The refusal when the log differs from what was signed. Faults name sizes and tiles, and nothing of any event.
    package init(_ fault: EvidenceFault) {
        self.init(
            kind: .failed,
            code: "evidence-contradicted",
            title: "The log contradicts what was signed about it",
            detail: "\(fault)"
        )
    }

    /// The refusal of a gateway call that was not made.
    package init(_ hold: CallHold) {
        self.init(
            kind: .unavailable,
            code: hold.code,
            title: "No gateway is called at the moment",
            detail: hold.detail,
            retryable: true,
            retryAfterSeconds: 10,
            outcome: .known
        )
    }

    /// The refusal of a read that failed in the database.
    package init(_ error: PostgresError) {
        switch error.code {
        case .connectionFailed, .connectionLost, .acquireTimeout, .poolExhausted, .poolShutdown, .timeout,
            .resourcesExhausted, .outcomeUnknown, .cancelled:
            self.init(
                kind: .unavailable,
                code: "database-unavailable",
                title: "The database does not answer",
                retryable: true,
                retryAfterSeconds: 1,
                outcome: .known
            )
        case .server where error.sqlState?.hasPrefix("57P") == true || error.sqlState?.hasPrefix("53") == true:
            self.init(
                kind: .unavailable,
                code: "database-unavailable",
                title: "The database does not answer",
                retryable: true,
                retryAfterSeconds: 1,
                outcome: .known
            )
        // The tables of a read model are of an older version until the rebuild swaps in the new ones.
        case .server where ["42703", "42P01", "3F000"].contains(error.sqlState):
            self = .projectionBehind(retryAfterSeconds: 5)
        default: self = .internal
        }
    }

    /// The refusal when a read model does not contain the requested position yet.
    package static func projectionBehind(retryAfterSeconds: Int = 1) -> Refusal {
        Refusal(
            kind: .unavailable,
            code: "projection-behind",
            title: "The read model is behind",
            retryable: true,
            retryAfterSeconds: retryAfterSeconds,
            outcome: .known
        )
    }
}
