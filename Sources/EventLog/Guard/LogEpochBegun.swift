package import Canonical
package import Merkle

/// An operator has adopted a log that lost events: it continues in a new epoch.
package struct LogEpochBegun: Sendable, Hashable {
    package static let type = "LogEpochBegun"
    /// The tenant of events about the log as a whole. No real tenant has a name of this form.
    package static let tenant = "_log"
    package static let stream = "log"

    /// A state of the log.
    package struct Mark: Sendable, Hashable {
        package var size: Int64
        /// Nil if only a remote witness knows it, which names sizes alone.
        package var root: MerkleHash?

        fileprivate var json: JSONValue {
            var members: JSONObject = ["size": .number(.init(size))]
            if let root { members["root"] = .string(root.base64) }
            return .object(members)
        }
    }

    package var epoch: Int64
    package var reason: String
    /// The log as it was adopted, before this event.
    package var adopted: Mark
    /// The newest checkpoint that the log no longer continues; nil if the database and the witness agreed.
    package var lost: Mark?

    package var json: JSONValue {
        var members: JSONObject = [
            "epoch": .number(.init(epoch)), "reason": .string(reason), "adopted": adopted.json,
        ]
        if let lost { members["lost"] = lost.json }
        return .object(members)
    }
}
