package import Merkle

/// A witness on another machine (C2SP `tlog-witness`): it cosigns a checkpoint only if the log has continued from the
/// one that it cosigned before.
package protocol RemoteWitness: Sendable {
    /// The address, for messages.
    var address: String { get }

    /// Sends a checkpoint. Returns within some seconds.
    func add(_ submission: CheckpointSubmission) async -> WitnessAnswer
}

/// A remote witness, and the keys with which it cosigns.
package struct WitnessOptions: Sendable {
    package var remote: any RemoteWitness
    package var keys: [CosignerKey]

    package init(_ remote: any RemoteWitness, keys: [CosignerKey]) {
        self.remote = remote
        self.keys = keys
    }
}

/// Whether the log could not be compared with what its remote witness knows, and why.
package struct RemoteWitnessFailure: ProofFailure, Hashable, CustomStringConvertible {
    package var obstacle: ProofObstacle

    package var description: String { obstacle.found }
}
