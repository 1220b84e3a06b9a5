package import Canonical

/// Selects events of a tenant. Every condition that is set must hold.
package struct EventFilter: Sendable, Hashable {
    package var stream: String?
    package var type: String?
    package var actor: String?
    /// The last position wanted.
    package var upTo: Int64?
    package var recordedFrom: Timestamp?
    package var recordedBefore: Timestamp?

    package init() {}
}
