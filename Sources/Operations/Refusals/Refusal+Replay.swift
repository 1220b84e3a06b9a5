import Access
import Canonical
import EventLog
import Intake
import Ledger
import Payments
import Projections
package import Replay
package import ReplayRules
import Vendors

extension Refusal {
    /// The answer where there is no plan.
    package init(_ refusal: ReplayPlanner.Refusal) {
        switch refusal {
        case .behind: self = .projectionBehind()
        case .noSuchTransaction(let id):
            self.init(
                kind: .unprocessable,
                code: "replay-no-such-transaction",
                title: "There is no such payment",
                detail: "\(id.text) is no payment."
            )
            extensions["pointer"] = "/transactions"
        case .tooLarge:
            self.init(
                kind: .unprocessable,
                code: "replay-too-large",
                title: "The plan would be too large",
                detail: "A plan has at most \(ReplayPlanner.mostItems) items: narrow the filter."
            )
        case .nothingFound:
            self.init(kind: .unprocessable, code: "replay-nothing-found", title: "Nothing matches the filter")
        }
    }

    /// The answer to a step that was not recorded.
    package init(_ refusal: ReplayCommands.Refusal) {
        switch refusal {
        case .noSuchPlan: self = .notFound
        case .behind: self = .projectionBehind()
        case .refused(let reason):
            self.init(
                kind: reason == .noRight ? .forbidden : .conflict,
                code: reason.rawValue,
                title: reason.title,
                detail: reason.detail
            )
        }
    }

    /// The answer to a token that is not kept.
    package init(_ refusal: CardVault.Refusal) {
        let (kind, title): (Kind, String) =
            switch refusal {
            case .noVault: (.conflict, "No key is configured to seal tokens with")
            case .cardNumber: (.unprocessable, "It may be the number of a card, which is not kept")
            case .malformed: (.unprocessable, "It is no token")
            }
        self.init(kind: kind, code: refusal.rawValue, title: title)
    }

    /// The answer to other rules that cannot be.
    package init(_ error: RuleBookError) {
        self.init(
            kind: .unprocessable,
            code: error.code.rawValue,
            title: "Nothing can be judged by these rules",
            detail: error.description
        )
    }
}

extension ReplayRefusal {
    package var title: String {
        switch self {
        case .incomplete: "The plan was never finished"
        case .noRight: "The key may not do this"
        case .ownPlan: "Another person has to approve it"
        case .unknownHolder: "It has to be known who holds the keys of who planned it and who approves it"
        case .abovePolicy: "It is too large to go without another person"
        case .aboveDailyPolicy: "Too much has gone without another person in the last 24 hours"
        case .alreadyApproved: "The plan was approved before"
        case .alreadyStarted: "The plan was started before"
        case .over: "The plan has come to its end"
        case .expired: "The plan has expired"
        case .movedOn: "Payments were told of since they were judged"
        case .nothingToDo: "Nothing in the plan may be asked for again"
        case .notApproved: "The plan is not approved"
        case .notRunning: "The plan does not run"
        case .notPaused: "The plan is not paused"
        case .itemsOpen, .unknownItem, .notActionable, .itemAttempted, .itemNotAttempted, .itemEnded, .itemMovedOn:
            "The plan is elsewhere"
        }
    }

    /// What can be done about it; nil where the title says all.
    package var detail: String? {
        switch self {
        case .ownPlan: "Whoever made a plan cannot approve it, whichever of their keys they use."
        case .noRight: "To approve takes the scope replay:approve, to carry out replay:plan or replay:approve."
        case .unknownHolder:
            "One person with two keys is one person: `daybook keys create --holder NAME` says whose a key is."
        case .aboveDailyPolicy: "Another person has to approve it, or it has to wait."
        case .abovePolicy: "Only plans that are small enough go without another person, as the service is configured."
        case .expired: "What was judged holds no longer: make another plan."
        case .movedOn: "What was judged of them may not hold any more: make another plan."
        case .nothingToDo: "Nothing of it is for a gateway; its items say what is in the way."
        case .incomplete: "Whoever made it was interrupted. Reject it, and make another one."
        default: nil
        }
    }
}
