import Access
package import Canonical
package import EventLog
import Ledger
import Merkle

/// The size of the log, its last checkpoint, and whether it is signed.
package struct LogAnswer: Sendable {
    package var position: Int64
    package var origin: String?
    package var checkpoint: StoredCheckpoint?
    /// Nil if no server was queried.
    package var signing: SigningState?

    package init(position: Int64, origin: String?, checkpoint: StoredCheckpoint?, signing: SigningState?) {
        self.position = position
        self.origin = origin
        self.checkpoint = checkpoint
        self.signing = signing
    }

    package var json: JSONValue {
        var object: JSONObject = ["position": .number(.init(position))]
        object.set("origin", origin)
        if let checkpoint {
            object["checkpoint"] = [
                "size": .number(.init(checkpoint.size)), "root": .string(checkpoint.root.base64),
                "signedAt": .string(checkpoint.signedAt.rfc3339),
            ]
        }
        if let signing { object["signing"] = signing.json }
        return .object(object)
    }
}

extension EventProof {
    /// Everything a verifier needs besides the log's key: the record line, its place in the tree, the path to the root,
    /// and the signed root.
    package var json: JSONValue {
        [
            "position": .number(.init(event.position)), "leafIndex": .number(.init(inclusion.index)),
            "size": .number(.init(inclusion.size)), "hashes": inclusion.hashes.json,
            "checkpoint": .string(checkpoint.note), "line": .string(event.recordLine),
        ]
    }
}

extension [MerkleHash] {
    package var json: JSONValue { .array(map { .string($0.base64) }) }
}

extension SigningState {
    package var json: JSONValue {
        switch self {
        case .off(let reason): ["state": "off", "reason": .string(reason)]
        case .signing: ["state": "signing"]
        case .halted(let fault): ["state": "halted", "reason": .string("\(fault)")]
        }
    }
}
