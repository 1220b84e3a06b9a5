package import Canonical
package import EventLog
package import Merkle

/// The size of the log and its last checkpoint.
package struct LogHeadJSON: Codable, Sendable, Hashable {
    package struct Checkpoint: Codable, Sendable, Hashable {
        package var size: Int64
        package var root: String
        package var signedAt: Timestamp

        package init(_ checkpoint: StoredCheckpoint) {
            size = checkpoint.size
            root = checkpoint.root.base64
            signedAt = checkpoint.signedAt
        }
    }

    package var position: Int64
    /// How often the log was adopted after it lost events.
    package var epoch: Int64
    /// The log's name in its checkpoints; nil without the key of a server.
    package var origin: String?
    package var checkpoint: Checkpoint?

    package init(position: Int64, epoch: Int64, origin: String? = nil, checkpoint: StoredCheckpoint?) {
        self.position = position
        self.epoch = epoch
        self.origin = origin
        self.checkpoint = checkpoint.map(Checkpoint.init)
    }
}

/// The log, and whether the server that answers signs it.
package typealias LogJSON = Joined<LogHeadJSON, SignedJSON>

package struct SignedJSON: Codable, Sendable, Hashable {
    package var signing: SigningJSON
    package var proof: LogProofJSON

    package init(_ signing: SigningState, _ status: LogStatus) {
        self.signing = SigningJSON(signing)
        proof = LogProofJSON(status)
    }
}

package struct SigningJSON: Codable, Sendable, Hashable {
    package enum State: String, Codable, Sendable, CaseIterable {
        case off, signing, halted
    }

    package var state: State
    package var reason: String?

    package init(_ signing: SigningState) {
        switch signing {
        case .off(let reason): (state, self.reason) = (.off, reason)
        case .signing: state = .signing
        case .halted(let fault): (state, reason) = (.halted, "\(fault)")
        }
    }
}

/// Whether the log is proven for the server that answers, else why not, and what an operator does next.
package struct LogProofJSON: Codable, Sendable, Hashable {
    package enum State: String, Codable, Sendable, CaseIterable {
        case proven, unproven, contradicted
    }

    package var state: State
    package var code: ProofObstacle.Code?
    /// It may name a file or an address.
    package var reason: String?
    package var remedy: String?

    package init(_ status: LogStatus) {
        switch status {
        case .proven: state = .proven
        case .unproven: state = .unproven
        case .contradicted: state = .contradicted
        }
        code = status.obstacle?.code
        reason = status.obstacle?.found
        remedy = status.obstacle?.code.remedy
    }

    /// What anyone may know.
    package var withoutReason: LogProofJSON {
        var document = self
        document.reason = nil
        return document
    }
}

/// Everything a verifier needs besides the log's key: the record line, its place in the tree, the path to the root, and
/// the signed root.
package struct EventProofJSON: Codable, Sendable, Hashable {
    package var position: Int64
    package var leafIndex: Int64
    package var size: Int64
    package var hashes: [String]
    package var checkpoint: String
    package var line: String

    package init(_ proof: EventProof) {
        position = proof.event.position
        leafIndex = proof.inclusion.index
        size = proof.inclusion.size
        hashes = proof.inclusion.hashes.map(\.base64)
        checkpoint = proof.checkpoint.note
        line = proof.event.recordLine
    }
}

/// The proof that the log at one size continues the log at another.
package struct ConsistencyJSON: Codable, Sendable, Hashable {
    package var from: Int64
    package var to: Int64
    package var hashes: [String]

    package init(from: Int64, to: Int64, hashes: [MerkleHash]) {
        self.from = from
        self.to = to
        self.hashes = hashes.map(\.base64)
    }
}
