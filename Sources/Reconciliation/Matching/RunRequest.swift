package import Canonical
import Crypto
package import EventLog
package import Intake
import Payments

/// A run requested under a name: a repeat of the request is the same run.
package struct RunRequest: Sendable, Hashable {
    /// The run's id, derived from the name.
    package let run: UUID128
    /// The key that distinguishes the request from any other under the same name.
    package let key: IdempotencyKey

    /// - Parameters:
    ///   - name: The sender's name of the request.
    ///   - isWhole: Whether everything is to be examined.
    package init(named name: String, whole isWhole: Bool, sender: Sender) {
        run = StreamName.runID(named: name, of: sender.tenant)
        key = IdempotencyKey(
            key: Self.digest(["run", name]),
            request: Self.digest(["reconcile", isWhole ? "everything" : "changes", sender.actor])
        )
    }

    /// SHA-256 of parts, each preceded by its length, so that different parts cannot yield the same text.
    private static func digest(_ parts: [String]) -> [UInt8] {
        Array(SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)))
    }
}
