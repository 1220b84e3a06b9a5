/// A check of the database by a loop that runs more often. Its result counts for a second.
struct PacedCheck {
    private var last: (at: ContinuousClock.Instant, result: Bool)?

    /// The result of `check`, which runs unless it was begun within the second before `now`.
    ///
    /// - Throws: The errors of `check`.
    mutating func result(
        at now: ContinuousClock.Instant = .now,
        of check: () async throws -> Bool
    ) async throws -> Bool {
        if let last, last.at.duration(to: now) < .seconds(1) { return last.result }
        let result = try await check()
        last = (now, result)
        return result
    }
}
