import DaybookTestKit
import EventLog
import Logging
import Merkle
import Postgres

extension TestLog {
    /// The server process of this database's sequencer, the only session that has locked the head.
    func blockedAppend() async throws -> Int32 {
        try await waitForBlockedAppend()
        let sql = """
            SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        return try await superuser.query(sql).single().int32(0)
    }

    /// The result of an item.
    func outcome(
        of item: AppendItem,
        by other: Sequencer? = nil
    ) async -> Result<AppendResult, AppendError> {
        do throws(AppendError) {
            return .success(try await (other ?? sequencer).append(item))
        } catch {
            return .failure(error)
        }
    }

    /// Another sequencer, like one in another process.
    func anotherSequencer(limits: Sequencer.Limits = .init(), logger: Logger = TestLog.logger) -> Sequencer {
        Sequencer(configuration: configuration, clock: clock, signal: .init(), limits: limits, logger: logger)
    }

    /// Sets the head to a log that ends at `position`, as it was when the log ended there.
    func setHead(to position: Int64) async throws {
        var frontier = MerkleFrontier()
        for row in try await pool.query("SELECT leaf FROM ledger.events WHERE position <= $1", [.int64(position)]) {
            if let leaf = MerkleHash(bytes: try row.bytes(0)) { frontier.append(leaf) }
        }
        _ = try await pool.execute(
            "UPDATE ledger.head SET position = $1, frontier = $2",
            [.int64(position), .bytea(frontier.bytes)]
        )
    }
}
