import Canonical
package import EventLog
import Postgres

extension TestLog {
    /// Adopts the log, as an operator does.
    @discardableResult
    package func adopt(
        keys: LogKeys? = nil,
        witness: WitnessFile? = nil,
        remote: WitnessOptions? = nil
    ) async throws -> LogEpochBegun {
        let adoption = LogAdoption(
            pool: superuser,
            keys: keys,
            witness: witness,
            remote: remote,
            ids: UUIDv7Generator(clock: clock),
            clock: clock,
            logger: Self.logger
        )
        let begun = try await adoption.adopt(reason: "a restored backup", actor: "test")
        try await adoption.cosign()
        return begun
    }

    /// Adopts the unsigned log of a database.
    package static func adopt(at url: String) async throws {
        let clock = SystemClock()
        try await PostgresPool.withPool(PostgresConfiguration(connectionString: url)) { pool in
            _ = try await LogAdoption(
                pool: pool,
                keys: nil,
                witness: nil,
                ids: UUIDv7Generator(clock: clock),
                clock: clock,
                logger: logger
            ).adopt(reason: "a restored backup", actor: "test")
        }
    }

    /// Runs SQL as a superuser with triggers off.
    package func tamper(_ sql: String) async throws {
        try await TestDatabase.psql("SET session_replication_role = replica; \(sql)", at: url)
    }

    /// SQL that restores the current state of the log: events, tiles and head, but not the checkpoints.
    package func wayBack() async throws -> String {
        let head = try await pool.query("SELECT position, encode(frontier, 'hex') FROM ledger.head").single()
        let (position, frontier) = (try head.int64(0), try head.text(1))
        return """
            DELETE FROM ledger.events WHERE position > \(position);
            DELETE FROM ledger.tiles WHERE (index + 1) * (256::numeric ^ (level + 1)) > \(position);
            DELETE FROM ledger.streams s WHERE NOT EXISTS (SELECT FROM ledger.events e WHERE e.stream = s.stream);
            UPDATE ledger.streams s SET version = (SELECT max(version) FROM ledger.events e WHERE e.stream = s.stream);
            UPDATE ledger.head SET position = \(position), frontier = '\\x\(frontier)';
            """
    }
}
