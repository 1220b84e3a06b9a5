import Access
import Canonical
import Composition
import Intake
import Operations
import Redaction
import Replay
import ReplayRules

extension WebConsole {
    /// An action that is possible now, with the texts of its form.
    fileprivate struct ReplayForm {
        var action: String
        var title: String
        var label: String
        var button: String
        /// Whether the action is refused if the plan has changed since the page was shown. The other actions do not set
        /// it, because the items of a running plan end all the time.
        var keepsVersion = false

        static let approve = ReplayForm(
            action: "approve",
            title: "Approval",
            label: "Reason",
            button: "Approve",
            keepsVersion: true
        )
        static let reject = ReplayForm(
            action: "reject",
            title: "Rejection",
            label: "Reason",
            button: "Reject",
            keepsVersion: true
        )
        static let start = ReplayForm(action: "start", title: "Start", label: "Reason", button: "Start")
        static let pause = ReplayForm(
            action: "pause",
            title: "Pause: no further items for now",
            label: "Reason",
            button: "Pause"
        )
        static let resume = ReplayForm(action: "resume", title: "Resumption", label: "Reason", button: "Resume")
        static let stop = ReplayForm(
            action: "stop",
            title: "Stop: no further items, for good",
            label: "Reason",
            button: "Stop"
        )
    }

    /// The forms of the possible actions, with the reason against an approval, or the scopes that they need.
    func replayActions(_ plan: ReplayJSON, _ movedOn: Int64, _ visit: Visit) -> PageValue? {
        guard !plan.status.isOver else { return nil }
        guard visit.may(.decideReplays) else {
            return .members(["scopes": .text(Permission.decideReplays.scopeNames)])
        }
        var refusal: ReplayRefusal?
        let isExpired = plan.isExpired(at: visit.now)
        var steps: [ReplayForm] = []
        switch plan.status {
        case .drafted: steps = [.reject]
        case .planned:
            refusal = approvalRefusal(plan, visit)
            if refusal == nil, !isExpired, movedOn == 0, plan.progress.toAttempt > 0 { steps.append(.approve) }
            steps.append(.reject)
        case .approved: steps = isExpired ? [.stop] : [.start, .stop]
        case .running: steps = [.pause, .stop]
        case .paused: steps = isExpired ? [.stop] : [.resume, .stop]
        case .rejected, .stopped, .completed: break
        }
        return .members([
            "refusal": (refusal?.detail).map { .text("\(refusal?.title ?? ""). \($0)") },
            "forms": .members([
                "path": .text(Address.replay(plan.id.text)), "token": .text(visit.token.formToken),
                "once": .text(ledger.ids.next().text), "longest": "\(Reason.mostBytes)",
                "steps": .list(
                    steps.map { step in
                        .members([
                            "action": .text(step.action), "title": .text(step.title), "label": .text(step.label),
                            "button": .text(step.button), "version": step.keepsVersion ? "\(plan.version)" : nil,
                        ])
                    }
                ),
            ]),
        ])
    }

    /// The reason why the operator cannot approve the plan. Nil if they can, or if that is not certain: a small plan
    /// needs no separate approver.
    private func approvalRefusal(_ plan: ReplayJSON, _ visit: Visit) -> ReplayRefusal? {
        let authority = authority(visit)
        if ledger.replay.approvesSmallPlans, authority.mayPlan { return nil }
        guard authority.mayApprove else { return .noRight }
        return plan.planner.refusal(of: authority.actor)
    }
}
