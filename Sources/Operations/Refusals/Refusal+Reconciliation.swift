import Access
import Canonical
import Composition
import EventLog
import Intake
package import Matching
import Payments
import Projections
package import Reconciliation

extension Refusal {
    /// The refusal of a fact about a dispute that was not recorded.
    package init(_ refusal: DisputeCommands.Refusal) {
        switch refusal {
        case .noSuchDispute: self = .notFound
        case .alreadyRecorded:
            self.init(
                kind: .conflict,
                code: refusal.rawValue,
                title: "This is recorded already",
                detail: "Nothing of it is new: see `GET /v1/disputes/{id}`."
            )
        }
    }

    /// The refusal of a step that was not recorded.
    package init(_ refusal: ExceptionCommands.Refusal) {
        switch refusal {
        case .noSuchException: self = .notFound
        case .behind: self = .projectionBehind()
        case .refused(let reason):
            let (kind, title): (Kind, String) =
                switch reason {
                case .ended: (.conflict, "The exception has ended")
                case .notProposed: (.conflict, "No resolution is proposed")
                case .ownProposal: (.conflict, "Another operator must approve it")
                case .unknownHolder: (.conflict, KeyHolder.Refusal.unknownHolder.title)
                case .proposalReplaced: (.conflict, "Another proposal replaced this one")
                case .notResolved: (.conflict, "The exception is not resolved")
                case .unbalanced: (.unprocessable, "The lines and the movements do not balance")
                }
            self.init(kind: kind, code: reason.rawValue, title: title)
            switch reason {
            case .unbalanced:
                detail =
                    "A match by hand joins one line with movements, or one movement with lines. All of them exist, "
                    + "in one currency, and both sides have the same sum."
            case .ownProposal: detail = KeyHolder.Refusal.ownProposal.detail
            case .unknownHolder: detail = KeyHolder.Refusal.unknownHolder.detail
            case .proposalReplaced: detail = "Read the exception again, and approve the proposal that it has now."
            default: break
            }
        }
    }
}

extension Refusal {
    /// The refusal to close or reopen a day.
    package init(_ refusal: PeriodCommands.Refusal) {
        let title =
            switch refusal {
            case .alreadyClosed: "The day is already closed"
            case .notClosed: "The day is not closed"
            case .notOver: "The day has not ended in the merchant's time zone"
            case .unknownMerchant: "The merchant is unknown"
            }
        self.init(kind: refusal == .unknownMerchant ? .unprocessable : .conflict, code: refusal.rawValue, title: title)
        if refusal == .unknownMerchant {
            detail = "No payment and no statement line names it; describe it with PUT /v1/merchants/{merchant}."
            extensions["pointer"] = "/merchant"
        }
    }
}

extension Refusal {
    package static let runUnfinished = Refusal(
        kind: .conflict,
        code: "run-unfinished",
        title: "The run has not completed",
        detail: "It is running, or was cut off. Everything that it recorded holds; the next run records the rest."
    )

    /// The refusal of a run that did not complete.
    package init(_ refusal: Reconciler.Refusal) {
        switch refusal {
        case .behind: self = .projectionBehind()
        case .disturbed:
            self.init(
                kind: .unavailable,
                code: "overloaded",
                title: "Too much is waiting",
                detail: "Another run of the tenant is recording.",
                retryable: true,
                retryAfterSeconds: 1,
                outcome: .known
            )
        }
    }
}

extension Refusal {
    /// The refusal of rules that are not recorded.
    package init(_ problem: RulesProblem) {
        self.init(
            kind: .unprocessable,
            code: problem.code.rawValue,
            title: "The reconciliation rules are invalid",
            detail: problem.detail
        )
        extensions["pointer"] = .string("/rules" + problem.pointer)
    }
}
