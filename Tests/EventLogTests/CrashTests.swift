import DaybookTestKit
import EventLog
import Foundation
import Postgres
import PostgresCluster
import Testing

/// Tests that need a server that may be broken; each has a private one.
struct CrashTests {
    @Test func aCrashOfTheServerLosesAndDoublesNothingAcknowledged() async throws {
        try await OwnServer.with { log, _ in
            let acknowledged = try await withThrowingTaskGroup(of: [AppendedRange].self) { group in
                for writer in 0..<8 {
                    group.addTask { try await Self.load(writer, log) }
                }
                group.addTask {
                    // Killing a backend makes the server end all sessions and recover from its WAL.
                    while try await patiently({ try await log.reader.head() }) < 60 { await Task.yield() }
                    try await Self.killABackend(log)
                    return []
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let events = try await patiently { try await log.events() }
            #expect(TestLog.faults(of: events).isEmpty)
            #expect(acknowledged.count == 8 * 30)
            #expect(Set(acknowledged.map(\.firstPosition)).count == acknowledged.count)
            #expect(events.count == acknowledged.count)
        }
    }

    /// After a cancelled or terminated wait for a synchronous standby, the server answers COMMIT with only a warning,
    /// or hangs up, although it has committed: that is an unknown outcome, never an acknowledgement.
    @Test(arguments: ["pg_cancel_backend", "pg_terminate_backend"])
    func aCommitCutShortWhileWaitingForAStandbyIsLookedUp(function: String) async throws {
        try await OwnServer.with { log, lease in
            _ = try await log.sequencer.append(.sample("a", count: 2))
            try await Self.setStandby("'nobody'", log)
            let (waiting, first, version) = try await Self.appendThatWaits(log, version: 2)
            _ = try await log.superuser.query("SELECT \(function)($1)", [.int32(first)])
            // Now the lookup waits for the standby, on another connection. Nothing has been acknowledged.
            _ = try await Self.waitForStandby(log, not: first)
            try await Self.setStandby("DEFAULT", log)
            let range = AppendedRange(firstPosition: version + 1, count: 1)
            #expect(try await waiting.value.get() == .appended(range))
            #expect(try await log.reader.head() == version + 1)
            #expect(TestLog.faults(of: try await log.events()).isEmpty)
        }
    }

    private static func load(_ writer: Int, _ log: TestLog) async throws -> [AppendedRange] {
        var ranges: [AppendedRange] = []
        for number in 0..<30 {
            let item = AppendItem.sample(
                "w\(writer)",
                expected: .version(Int64(number)),
                keys: [.sample("\(writer)-\(number)")]
            )
            guard case .appended(let range) = try await log.sequencer.append(item) else {
                Issue.record("a first request was not answered as one")
                continue
            }
            ranges.append(range)
        }
        return ranges
    }

    private static func killABackend(_ log: TestLog) async throws {
        let backend = try await patiently { try await log.superuser.query("SELECT pg_backend_pid()").single().int32(0) }
        guard kill(pid_t(backend), SIGKILL) == 0 else { throw TestKitError("kill: \(errno)") }
    }

    private static func setStandby(_ name: String, _ log: TestLog) async throws {
        try await log.superuser.withConnection { connection in
            try await connection.script("ALTER SYSTEM SET synchronous_standby_names TO \(name)")
            try await connection.script("SELECT pg_reload_conf()")
        }
        let expected = name == "DEFAULT" ? "" : "nobody"
        while try await log.superuser.query("SHOW synchronous_standby_names").single().text(0) != expected {
            await Task.yield()
        }
    }

    /// Appends to stream `a` until a commit waits for the standby: the server applies the setting with a delay, and
    /// commits before that do not wait.
    private static func appendThatWaits(_ log: TestLog, version: Int64) async throws -> (
        waiting: Task<Result<AppendResult, AppendError>, Never>, backend: Int32, version: Int64
    ) {
        var version = version
        while true {
            let item = AppendItem.sample("a", expected: .version(version), keys: [.sample("k\(version)")])
            let waiting = Task { await log.outcome(of: item) }
            // A commit that waits is not visible yet.
            while try await log.superuser.query("SELECT position FROM ledger.head").single().int64(0) == version {
                let sql = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                if let row = try await log.superuser.query(sql).first { return (waiting, try row.int32(0), version) }
                await Task.yield()
            }
            _ = try await waiting.value.get()
            version += 1
        }
    }

    private static func waitForStandby(_ log: TestLog, not other: Int32) async throws -> Int32 {
        let sql = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> $1"
        while true {
            if let row = try await log.superuser.query(sql, [.int32(other)]).first { return try row.int32(0) }
            await Task.yield()
        }
    }
}
