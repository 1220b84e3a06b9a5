/// A source of the current time. Injected everywhere a time is needed, so that logic can be run against a manual clock.
package protocol WallClock: Sendable {
    /// The current instant.
    func now() -> Timestamp
}
