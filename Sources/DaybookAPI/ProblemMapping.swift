import Canonical
import EventLog
package import HTTPEdge
import Intake
import Matching
import Postgres
import Projections
import Reconciliation
import Replay
import ReplayRules
import Statements
import Vendors

extension API {
    /// Runs a route and gives every error it may throw its problem.
    package static func mapping(_ route: () async throws -> EdgeResponse) async throws -> EdgeResponse {
        do {
            return try await route()
        } catch let problem as IntakeProblem {
            throw Problem(problem)
        } catch let fault as EvidenceFault {
            throw Problem(fault)
        } catch let error as PostgresError {
            throw Problem(error)
        } catch let error as TotalsError {
            throw Problem(error)
        } catch let problem as StatementProblem {
            throw Problem(problem)
        } catch let refusal as StatementImporter.Refusal {
            throw Problem(refusal)
        } catch let refusal as StatementCommands.Refusal {
            throw Problem(refusal)
        } catch let refusal as Reconciler.Refusal {
            throw Problem(refusal)
        } catch let problem as RulesProblem {
            throw Problem(problem)
        } catch let refusal as ExceptionCommands.Refusal {
            throw Problem(refusal)
        } catch let refusal as PeriodCommands.Refusal {
            throw Problem(refusal)
        } catch let refusal as DoubtCommands.Refusal {
            throw Problem(refusal)
        } catch let refusal as ReplayPlanner.Refusal {
            throw Problem(refusal)
        } catch let refusal as ReplayCommands.Refusal {
            throw Problem(refusal)
        } catch let refusal as CardVault.Refusal {
            throw Problem(refusal)
        } catch let error as RuleBookError {
            throw Problem(error)
        } catch is ArchiveError {
            throw Problem.archiveUnavailable
        }
    }
}

extension Problem {
    /// The answer when a read is after a part of the log whose archive is missing or was changed.
    static var archiveUnavailable: Problem {
        Problem(
            status: 503,
            code: "archive-unavailable",
            title: "An archived part of the log cannot be read",
            retryable: true,
            retryAfterSeconds: 60,
            outcome: .known
        )
    }

    /// The answer to a record that was not taken in.
    init(_ problem: IntakeProblem) {
        let (status, title): (Int, String) =
            switch problem.code {
            case .malformedJSON: (400, "The body is not JSON")
            case .malformedRecord: (400, "The body is not a record")
            case .tooLarge: (413, "The request body is too large")
            case .unknownVendor: (404, "There is no such vendor")
            case .refused(.unknownKind): (422, "There is no such kind of document")
            case .refused: (422, "The document cannot be read")
            case .refusedEvent: (422, "The event cannot be appended")
            case .versionConflict: (409, "The stream has another version")
            case .idempotencyMismatch: (422, "The idempotency key was used before")
            case .overloaded: (503, "Too much is waiting")
            case .unavailable: (503, "The ledger cannot record at the moment")
            case .outcomeUnknown: (503, "It is not known whether the record was taken in")
            }
        self.init(status: status, code: problem.code.name, title: title, detail: problem.detail)
        if status == 503 {
            retryable = true
            retryAfterSeconds = 1
            outcome = problem.code == .outcomeUnknown ? .unknown : .known
        }
        if let pointer = problem.pointer { extensions["pointer"] = .string(pointer) }
        if let version = problem.actualVersion { extensions["actualVersion"] = .number(.init(version)) }
        if let position = problem.tracePosition { extensions["tracePosition"] = .number(.init(position)) }
    }

    /// The answer when the log is not what was signed. Faults name sizes and tiles, and nothing of any event.
    init(_ fault: EvidenceFault) {
        self.init(
            status: 500,
            code: "log-contradicted",
            title: "The log contradicts what was signed about it",
            detail: "\(fault)"
        )
    }

    /// The answer when the database failed a read.
    init(_ error: PostgresError) {
        switch error.code {
        case .connectionFailed, .connectionLost, .acquireTimeout, .poolExhausted, .poolShutdown, .timeout,
            .resourcesExhausted, .outcomeUnknown, .cancelled:
            self.init(
                status: 503,
                code: "database-unavailable",
                title: "The database does not answer",
                retryable: true,
                retryAfterSeconds: 1,
                outcome: .known
            )
        case .server where error.sqlState?.hasPrefix("57P") == true || error.sqlState?.hasPrefix("53") == true:
            self.init(
                status: 503,
                code: "database-unavailable",
                title: "The database does not answer",
                retryable: true,
                retryAfterSeconds: 1,
                outcome: .known
            )
        // Tables of a read model that an older version has made, until those of this one are built and swapped in.
        case .server where ["42703", "42P01", "3F000"].contains(error.sqlState):
            self = .projectionBehind(retryAfterSeconds: 5)
        default: self = .internal
        }
    }

    /// The answer when a read model does not contain what is asked for yet.
    package static func projectionBehind(retryAfterSeconds: Int = 1) -> Problem {
        Problem(
            status: 503,
            code: "projection-behind",
            title: "The read model has not come that far",
            retryable: true,
            retryAfterSeconds: retryAfterSeconds,
            outcome: .known
        )
    }
}
