import DaybookTestKit
import Postgres
import Testing

struct CancellationTests {
    @Test func aSlowQueryStopsAndTheConnectionGoesOn() async throws {
        try await withObservedConnection { connection, observer in
            let process = try await connection.backendProcess
            let slow = Task { await failure { try await connection.query("SELECT pg_sleep(3600)") } }
            try await observer.waitUntil(process: process, waitsFor: "PgSleep")
            slow.cancel()
            #expect(await slow.value?.code == .cancelled)
            #expect(try await connection.query("SELECT 1").single().int32(0) == 1)
            #expect(try await connection.backendProcess == process)
        }
    }

    @Test func aCancelledStatementFailsItsTransactionAlone() async throws {
        try await withObservedConnection { connection, observer in
            try await observer.script("CREATE TABLE marks (n int8)")
            let process = try await connection.backendProcess
            let slow = Task {
                await failure {
                    try await connection.transaction { transaction in
                        try await transaction.execute("INSERT INTO marks VALUES (1)")
                        try await transaction.execute("SELECT pg_sleep(3600)")
                    }
                }
            }
            try await observer.waitUntil(process: process, waitsFor: "PgSleep")
            slow.cancel()
            #expect(await slow.value?.code == .cancelled)
            #expect(connection.condition == .ready)
            #expect(try await connection.query("SELECT count(*) FROM marks").single().int64(0) == 0)
        }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE SEQUENCE touched")
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await failure { try await connection.query("SELECT nextval('touched')") }
            }
            #expect(await task.value?.code == .cancelled)
            #expect(try await connection.query("SELECT nextval('touched')").single().int64(0) == 1)
        }
    }

    @Test func aLateCancelNeverHitsAnotherStatement() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE marks (n int8)")
            var cancelled = 0
            for round in 0..<200 {
                let first = Task { await failure { try await connection.query("SELECT pg_sleep(0.0005)") } }
                // Varies the head start of the statement.
                for _ in 0..<(round % 20) { await Task.yield() }
                first.cancel()
                if await first.value?.code == .cancelled { cancelled += 1 }
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO marks VALUES ($1)", [.int64(Int64(round))])
                }
            }
            #expect(cancelled > 0)
            #expect(try await connection.query("SELECT count(*) FROM marks").single().int64(0) == 200)
        }
    }

    @Test func theStatementTimeoutHasItsOwnError() async throws {
        try await withObservedConnection({ $0.statementTimeout = .milliseconds(500) }) { connection, observer in
            let timedOut = await failure { try await connection.query("SELECT pg_sleep(3600)") }
            #expect(timedOut?.code == .timeout)
            let next = try await connection.query("SELECT 1").single().int32(0)
            #expect(next == 1)
            #expect(try await observer.query("SHOW statement_timeout").single().text(0) == "0")
        }
    }

    @Test func anothersCancelRequestIsAnError() async throws {
        try await withObservedConnection { connection, observer in
            let process = try await connection.backendProcess
            async let error = failure { try await connection.query("SELECT pg_sleep(3600)") }
            try await observer.waitUntil(process: process, waitsFor: "PgSleep")
            _ = try await observer.query("SELECT pg_cancel_backend($1)", [.int32(process)])
            #expect(await error?.code == .server)
            #expect(await error?.sqlState == "57014")
        }
    }

    @Test func aTerminatedSessionIsLost() async throws {
        try await withObservedConnection { connection, observer in
            let process = try await connection.backendProcess
            async let error = failure { try await connection.query("SELECT pg_sleep(3600)") }
            try await observer.waitUntil(process: process, waitsFor: "PgSleep")
            try await observer.terminate(process)
            #expect(await error?.code == .connectionLost)
            #expect(await error?.sqlState == "57P01")
            #expect(connection.condition == .broken)
            #expect(await failure { try await connection.query("SELECT 1") }?.code == .connectionLost)
        }
    }

    @Test func connectingToASilentServerCanBeCancelled() async throws {
        try await SocketProxy.with(upstreamDirectory: "/nowhere", fault: .silent) { proxy in
            let attempt = Task {
                await failure {
                    try await PostgresConnection.connect(
                        PostgresConfiguration(connectionString: "host=\(proxy.directory) user=x dbname=x")
                    )
                }
            }
            await proxy.waitForClient()
            attempt.cancel()
            #expect(await attempt.value?.code == .cancelled)
        }
    }

    @Test func abortCutsAStatementShort() async throws {
        try await withObservedConnection { connection, observer in
            let process = try await connection.backendProcess
            async let error = failure { try await connection.query("SELECT pg_sleep(3600)") }
            try await observer.waitUntil(process: process, waitsFor: "PgSleep")
            connection.abort()
            #expect(await error?.code == .connectionLost)
            try await observer.terminate(process)
        }
    }

    @Test func manySlowStatementsLeaveThePoolOfThreadsFree() async throws {
        try await withTestDatabase { url in
            let configuration = PostgresConfiguration(connectionString: url)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let observer = try await PostgresConnection.connect(configuration)
                _ = try await observer.query("SELECT pg_advisory_lock(1)")
                // Many more than there are cores: each would block one thread if it ran on the pool.
                for _ in 0..<24 {
                    group.addTask {
                        let connection = try await PostgresConnection.connect(configuration)
                        _ = try await connection.query("SELECT pg_advisory_xact_lock(1)")
                    }
                }
                try await observer.waitUntil("count(*) = 24 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                _ = try await observer.query("SELECT pg_advisory_unlock(1)")
                try await group.waitForAll()
            }
        }
    }
}
