import Access
import Canonical
import Composition
import EventLog
import Intake
import Payments
import Projections
package import Replay
package import ReplayRules

extension Refusal {
    /// The refusal when no plan was made.
    package init(_ refusal: ReplayPlanner.Refusal) {
        switch refusal {
        case .behind: self = .projectionBehind()
        case .noSuchTransaction(let id):
            self.init(
                kind: .unprocessable,
                code: "replay-no-such-transaction",
                title: "There is no such payment",
                detail: "\(id.text) is not a payment."
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

    /// The refusal of a step that was not recorded.
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

    /// The refusal of a token that is not stored.
    package init(_ refusal: CardVault.Refusal) {
        let (kind, title): (Kind, String) =
            switch refusal {
            case .noVault: (.conflict, "No key is configured for sealing card tokens")
            case .cardNumber: (.unprocessable, "The value may be a card number, which is never stored")
            case .malformed: (.unprocessable, "The value is not a token")
            case .otherToken: (.conflict, "The proposal is about another token or payment")
            }
        self.init(kind: kind, code: refusal.rawValue, title: title)
    }

    /// The refusal of invalid rules.
    package init(_ error: RuleBookError) {
        self.init(
            kind: .unprocessable,
            code: error.code.rawValue,
            title: "The replay rules are invalid",
            detail: error.description
        )
    }
}

extension ReplayRefusal {
    package var title: String {
        switch self {
        case .incomplete: "The plan is incomplete"
        case .noRight: "The key may not do this"
        case .ownPlan: "Another operator must approve it"
        case .unknownHolder: "The holders of the planning and the approving key must be known"
        case .abovePolicy: "The plan is too large to run without an approver"
        case .aboveDailyPolicy: "The 24-hour limit of plans without an approver is reached"
        case .alreadyApproved: "The plan is already approved"
        case .alreadyStarted: "The plan is already started"
        case .over: "The plan has ended"
        case .expired: "The plan has expired"
        case .movedOn: "Payments changed after they were judged"
        case .nothingToDo: "Nothing in the plan may be resubmitted"
        case .notApproved: "The plan is not approved"
        case .notRunning: "The plan is not running"
        case .notPaused: "The plan is not paused"
        case .itemsOpen, .unknownItem, .notActionable, .itemAttempted, .itemNotAttempted, .itemEnded, .itemMovedOn:
            "The state of the plan does not allow this"
        }
    }

    /// The next step, or the reason; nil if the title is enough.
    package var detail: String? {
        switch self {
        case .ownPlan: "The holder who made a plan cannot approve it with any of their keys."
        case .noRight: "Approval needs the scope replay:approve, execution replay:plan or replay:approve."
        case .unknownHolder:
            "Two keys of one holder are one operator: `daybook keys create --holder NAME` names a key's holder."
        case .aboveDailyPolicy: "Another operator must approve it, or it must wait."
        case .abovePolicy:
            "Only plans within the configured limits, under rules without overrides, run without an approver."
        case .expired: "Its rulings no longer hold: make another plan."
        case .movedOn: "Their rulings may no longer hold: make another plan."
        case .nothingToDo: "No item can be sent to a gateway; each item names the reason."
        case .incomplete: "Planning was interrupted. Reject the plan, and make another one."
        default: nil
        }
    }
}
