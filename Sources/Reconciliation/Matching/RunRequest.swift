package import Canonical
import Crypto
package import EventLog
package import Intake
import Payments

/// A run that was asked for under a name: asked for again, it is the same.
package struct RunRequest: Sendable, Hashable {
    /// Follows from the name.
    package let run: UUID128
    /// Tells the request from any other under the same name.
    package let key: IdempotencyKey

    /// - Parameters:
    ///   - name: The sender's name of the request.
    ///   - isWhole: What is asked for.
    package init(named name: String, whole isWhole: Bool, sender: Sender) {
        run = StreamName.runID(named: name, of: sender.tenant)
        key = IdempotencyKey(
            key: Self.digest(["run", name]),
            request: Self.digest(["reconcile", isWhole ? "everything" : "changes", sender.actor])
        )
    }

    /// SHA-256 of parts, each with its length, so that they cannot run into one another.
    private static func digest(_ parts: [String]) -> [UInt8] {
        Array(SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)))
    }
}
