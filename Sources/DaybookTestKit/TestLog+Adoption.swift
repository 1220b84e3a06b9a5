import Canonical
package import EventLog

extension TestLog {
    /// Adopts the log, as an operator does.
    @discardableResult
    package func adopt(keys: LogKeys? = nil, witness: WitnessFile? = nil) async throws -> LogEpochBegun {
        try await LogAdoption(
            pool: superuser,
            keys: keys,
            witness: witness,
            ids: UUIDv7Generator(clock: clock),
            clock: clock
        ).adopt(reason: "a restored backup", actor: "test")
    }
}
