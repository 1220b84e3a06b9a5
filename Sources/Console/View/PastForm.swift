import Canonical
import Operations
import Projections

/// The form that requests a past state of a page, and the notice on such a page.
struct PastForm: Sendable {
    var action: String
    /// The past moment that is shown; nil for now.
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
