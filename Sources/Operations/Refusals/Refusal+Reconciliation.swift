import Access
import Canonical
import EventLog
import Intake
import Ledger
package import Matching
import Payments
import Projections
package import Reconciliation

extension Refusal {
    /// The answer to a step that was not recorded.
    package init(_ refusal: ExceptionCommands.Refusal) {
        switch refusal {
        case .noSuchException: self = .notFound
        case .behind: self = .projectionBehind()
        case .refused(let reason):
            let (kind, title): (Kind, String) =
                switch reason {
                case .ended: (.conflict, "The exception has come to its end")
                case .notProposed: (.conflict, "No end is proposed")
                case .ownProposal: (.conflict, "Another person has to approve it")
                case .notResolved: (.conflict, "The exception is not resolved")
                case .unbalanced: (.unprocessable, "The lines and the movements do not come to the same money")
                }
            self.init(kind: kind, code: reason.rawValue, title: title)
            if reason == .unbalanced {
                detail =
                    "A match by hand is one line with some movements, or one movement with some lines, each there, in one "
                    + "currency, and both sides with the same sum."
            }
        }
    }
}

extension Refusal {
    /// The answer to a day that was not closed, or not opened again.
    package init(_ refusal: PeriodCommands.Refusal) {
        let title =
            switch refusal {
            case .alreadyClosed: "The day was closed before"
            case .notClosed: "The day is not closed"
            case .notOver: "The day has not ended by the merchant's clocks"
            case .unknownMerchant: "Nothing is known of the merchant"
            }
        self.init(kind: refusal == .unknownMerchant ? .unprocessable : .conflict, code: refusal.rawValue, title: title)
        if refusal == .unknownMerchant {
            detail = "No payment and no line of a statement names it; PUT /v1/merchants/{merchant} describes it."
            extensions["pointer"] = "/merchant"
        }
    }
}

extension Refusal {
    package static let runUnfinished = Refusal(
        kind: .conflict,
        code: "run-unfinished",
        title: "The run has not come to its end",
        detail: "It goes on, or was cut off; what it recorded is true, and the next run records the rest."
    )

    /// The answer to a run that did not come to its end.
    package init(_ refusal: Reconciler.Refusal) {
        switch refusal {
        case .behind: self = .projectionBehind()
        case .disturbed:
            self.init(
                kind: .unavailable,
                code: "overloaded",
                title: "Too much is waiting",
                detail: "Somebody else is reconciling.",
                retryable: true,
                retryAfterSeconds: 1,
                outcome: .known
            )
        }
    }
}

extension Refusal {
    /// The answer to rules that are not kept.
    package init(_ problem: RulesProblem) {
        self.init(
            kind: .unprocessable,
            code: problem.code.rawValue,
            title: "Nothing can be reconciled by these rules",
            detail: problem.detail
        )
        extensions["pointer"] = .string("/rules" + problem.pointer)
    }
}
