/// When something occurred: the local time that its source states, and an instant, which is the one its source states or
/// else that of its event.
///
/// Two of them are compared by their local times, or by their instants if both have no local time. If only one has a
/// local time, what holds in every zone decides, and else the instants: that of an event may be much later.
package struct OccurrenceTime: Sendable, Hashable, Codable {
    package var local: LocalTime?
    package var instant: Timestamp?

    package init(local: LocalTime?, instant: Timestamp?) {
        self.local = local
        self.instant = instant
    }

    /// - Parameter event: The instant of the event, for a source that states no instant.
    package init(_ reported: ReportedTime?, event: Timestamp?) {
        self.init(local: reported?.local, instant: reported?.instant ?? event)
    }

    /// The local time, or else the instant.
    package var reported: ReportedTime? { local.map { .local($0) } ?? instant.map { .instant($0) } }

    /// True if this is known to be earlier.
    package func isBefore(_ other: OccurrenceTime) -> Bool {
        guard let own = reported, let theirs = other.reported else { return false }
        if own.isBefore(theirs) { return true }
        if theirs.isBefore(own) || (local == nil) == (other.local == nil) { return false }
        guard let instant, let other = other.instant else { return false }
        return instant < other
    }
}
