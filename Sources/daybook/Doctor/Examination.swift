import Canonical
import EventLog

/// The findings of `doctor`.
struct Examination {
    enum State: String {
        case fine = "ok"
        /// Not running, or not created yet. Not a fault.
        case idle = "-"
        case bad = "ATTENTION"
    }

    struct Finding {
        var check: String
        var state: State
        var found: String
    }

    private(set) var findings: [Finding] = []

    mutating func add(_ check: String, _ state: State, _ found: String) {
        findings.append(Finding(check: check, state: state, found: found))
    }

    /// In the words of the API. Servers that start append nothing, and call no gateway, until it is removed.
    mutating func add(_ check: String, _ obstacle: ProofObstacle) {
        add(check, .bad, "\(obstacle.code.rawValue): \(obstacle)")
    }

    var json: JSONValue {
        [
            "healthy": .bool(!findings.contains { $0.state == .bad }),
            "checks": .array(
                findings.map {
                    ["check": .string($0.check), "state": .string($0.state.rawValue), "found": .string($0.found)]
                }
            ),
        ]
    }
}
