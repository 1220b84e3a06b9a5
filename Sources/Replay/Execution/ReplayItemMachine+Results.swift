import Payments
import ReplayRules

// The results of an item.
extension ReplayItemMachine {
    /// The result of an item that has made a call.
    static func end(_ snapshot: ReplaySnapshot) -> Result? {
        func ended(_ end: ReplayItemEnd.End, _ rule: ReplayRule? = nil, _ detail: String? = nil) -> Result {
            .ended(end, rule: rule?.rawValue, detail: detail, version: snapshot.version)
        }
        switch snapshot.attempt {
        case .none, .notSent: return nil
        // The sender of the call has ended, or has lost its lease. The call is queried and not repeated.
        case .open: return ended(.unknown, nil, GatewayCaller.abandoned)
        case .unanswered(let failure): return ended(.unknown, nil, failure)
        case .answered(let verdict, let code):
            switch verdict {
            case .approved?, .partiallyApproved?: return ended(.posted, nil, code)
            case .declined?: return ended(.declined, nil, code)
            case .refused?, .notPosted?: return ended(.needsPerson, .refused, code)
            case .pending?, .ambiguous?, .unknown?, nil: return ended(.unknown, nil, code)
            }
        }
    }

    static func end(_ end: ReplayItemEnd.End, _ rule: ReplayRule, _ snapshot: ReplaySnapshot) -> Result {
        Self.end(end, rule.rawValue, snapshot)
    }

    static func end(_ end: ReplayItemEnd.End, _ rule: String?, _ snapshot: ReplaySnapshot) -> Result {
        .ended(end, rule: rule, detail: nil, version: snapshot.version)
    }
}
