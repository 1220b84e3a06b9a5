import Access
import Canonical
import Composition
import Intake
package import Journal
import Payments
package import Projections
package import Reconciliation
package import Statements
import Tables

extension Refusal {
    /// The refusal to withdraw a statement.
    package init(_ refusal: StatementCommands.Refusal) {
        switch refusal {
        case .noSuchStatement: self = .notFound
        case .alreadyWithdrawn:
            self.init(kind: .conflict, code: refusal.rawValue, title: "The statement is already withdrawn")
        }
    }

    /// The refusal of a file that cannot be read.
    package init(_ problem: StatementProblem) {
        self.init(
            kind: .unprocessable,
            code: "unreadable-statement",
            title: "The file cannot be read as a statement",
            detail: problem.detail
        )
        extensions["fault"] = .string(problem.code.rawValue)
        if problem.line > 0 { extensions["line"] = .number(.init(Int64(problem.line))) }
        switch problem.column {
        case .character(let number): extensions["character"] = .number(.init(Int64(number)))
        case .named(let name): extensions["column"] = .string(name)
        case nil: break
        }
    }

    /// The refusal of a file that is not imported.
    package init(_ refusal: StatementImporter.Refusal) {
        switch refusal {
        case .readOtherwise(let id, let format):
            self.init(
                kind: .conflict,
                code: "read-otherwise",
                title: "The same file is already imported with another reading",
                detail: "It is statement \(id.text), of format \(format): withdraw it, and send the file again."
            )
        case .disturbed:
            self.init(
                kind: .unavailable,
                code: "overloaded",
                title: "Too much is waiting",
                detail: "Another import of the same file is running.",
                retryable: true,
                retryAfterSeconds: 1,
                outcome: .known
            )
        }
    }
}

extension Refusal {
    package init(_ error: BalanceError) {
        switch error {
        case .overflow:
            self.init(
                kind: .unprocessable,
                code: "balance-overflow",
                title: "A balance does not fit 64 bits",
                detail: "Narrow the request: one merchant, or balances by day."
            )
        case .tooMany:
            self.init(
                kind: .unprocessable,
                code: "too-many-balances",
                title: "There are too many balances for one answer",
                detail:
                    "Narrow the request: one merchant, fewer days or fewer keys; at most \(JournalQuery.balanceLimit)."
            )
        }
    }
}

extension Refusal {
    package init(_ error: TotalsError) {
        switch error {
        case .overflow:
            self.init(
                kind: .unprocessable,
                code: "totals-overflow",
                title: "A total does not fit 64 bits",
                detail: "Narrow the request: a shorter time, one merchant, or totals by day."
            )
        case .tooMany:
            self.init(
                kind: .unprocessable,
                code: "too-many-totals",
                title: "There are too many totals for one answer",
                detail:
                    "Narrow the request: a shorter time, one merchant, or fewer keys; at most \(TotalsQuery.limit)."
            )
        }
    }
}
