import Canonical
import Operations
import Projections

/// The form that asks for a page as it was, and what is said when it is.
struct PastForm: Sendable {
    var action: String
    /// What of the past is shown; nil for now.
    var shown: (moment: Moment, position: Int64)?

    func value(_ query: FormQuery, _ zone: Zone) -> PageValue {
        let when: String? =
            switch shown?.moment {
            case .time(let time): zone.text(time)
            case .position, nil: nil
            }
        return .members([
            "action": .text(action), "zoneName": .text(zone.name), "time": .text(query.fieldTime("as_of") ?? ""),
            "at": .text(query["as_of_position"] ?? ""),
            "past": shown.map { .members(["position": "\($0.position)", "when": .given(when)]) },
        ])
    }
}
