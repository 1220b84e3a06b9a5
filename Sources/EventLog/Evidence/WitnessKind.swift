/// What keeps checkpoints outside the database, the weaker kind first. A witness file is lost with its machine; a
/// remote witness is not, so it stands for the file.
package enum WitnessKind: String, Sendable, Hashable, CaseIterable, Comparable {
    case file
    case remote

    package static func < (left: WitnessKind, right: WitnessKind) -> Bool { left == .file && right == .remote }

    /// Those of a process; nil is none.
    package static func given(_ witness: WitnessFile?, _ remote: WitnessOptions?) -> [WitnessKind] {
        (witness == nil ? [] : [.file]) + (remote == nil ? [] : [.remote])
    }

    package var text: String {
        switch self {
        case .file: "a witness file"
        case .remote: "a remote witness"
        }
    }
}

/// The log has a witness that this process is not given, so this process cannot know whether the log is whole.
package struct WitnessNotNamed: ProofFailure, Hashable {
    package var obstacle: ProofObstacle

    /// Nil when `given` has a witness as strong as the strongest one in `listed`.
    package init?(listed: [WitnessKind], given: [WitnessKind]) {
        guard let strongest = listed.max(), given.max().map({ $0 < strongest }) ?? true else { return nil }
        obstacle = ProofObstacle(.witnessNotNamed, "the log has \(strongest.text), which this process is not given")
    }
}
