import DaybookTestKit
import Postgres
import Synchronization
import Testing

struct PoolTests {
    private static func withPool<R: Sendable>(
        _ options: PostgresPool.Options = .patient,
        _ body: (PostgresPool, PostgresConfiguration) async throws -> R
    ) async throws -> R {
        try await withTestDatabase { url in
            let configuration = PostgresConfiguration(connectionString: url)
            return try await PostgresPool.withPool(configuration, options: options) { pool in
                try await body(pool, configuration)
            }
        }
    }

    @Test func aRenewedPoolHasNewSessions() async throws {
        try await Self.withPool(.patient(connections: 2)) { pool, _ in
            func session() async throws -> Int32 {
                try await pool.query("SELECT pg_backend_pid()").single().int32(0)
            }
            let idle = try await session()
            #expect(try await session() == idle)
            let used = try await pool.withConnection { connection in
                pool.renew()
                return try await connection.query("SELECT pg_backend_pid()").single().int32(0)
            }
            let later = try await session()
            #expect(later != idle && later != used)
            #expect(try await session() == later)
        }
    }

    @Test func manyTasksShareFewConnections() async throws {
        try await Self.withPool(.patient(connections: 3)) { pool, _ in
            try await pool.withConnection { try await $0.script("CREATE TABLE counter AS SELECT 0::int8 AS n") }
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<60 {
                    group.addTask {
                        try await pool.withTransaction { transaction in
                            try await transaction.execute("UPDATE counter SET n = n + 1")
                            return try await transaction.query("SELECT pg_backend_pid()").single().int32(0)
                        }
                    }
                }
                var sessions: Set<Int32> = []
                for try await session in group { sessions.insert(session) }
                #expect(sessions.count <= 3)
            }
            let count = try await pool.withConnection { try await $0.query("SELECT n FROM counter").single().int64(0) }
            #expect(count == 60)
            #expect(pool.statistics.inUse == 0)
            #expect(pool.statistics.waiting == 0)
        }
    }

    @Test func anExhaustedPoolReportsIt() async throws {
        let options = PostgresPool.Options.patient(connections: 1, waiting: 1)
        try await Self.withPool(options) { pool, _ in
            let waiter = try await pool.withConnection { _ in
                let waiter = Task { try await pool.withConnection { _ in } }
                while pool.statistics.waiting == 0 { await Task.yield() }
                #expect(await failure { try await pool.withConnection { _ in } }?.code == .poolExhausted)
                return waiter
            }
            try await waiter.value
        }
    }

    @Test func waitersTimeOutWithTheReason() async throws {
        let configuration = PostgresConfiguration(connectionString: "host=/tmp/dbk-nowhere")
        let options = PostgresPool.Options(acquireTimeout: .seconds(1))
        let error = try await PostgresPool.withPool(configuration, options: options) { pool in
            await failure { try await pool.withConnection { _ in } }
        }
        #expect(error?.code == .acquireTimeout)
        #expect(error?.connectFailure == .refused)
    }

    @Test func waitersAreServedInOrder() async throws {
        try await Self.withPool(.patient(connections: 1)) { pool, _ in
            let order = Order()
            let waiters = try await pool.withConnection { _ in
                var waiters: [Task<Void, any Error>] = []
                for number in 0..<20 {
                    let waiter = Task { try await pool.withConnection { _ in order.add(number) } }
                    waiters.append(waiter)
                    while pool.statistics.waiting <= number { await Task.yield() }
                }
                return waiters
            }
            for waiter in waiters { try await waiter.value }
            #expect(order.numbers == Array(0..<20))
        }
    }

    @Test func aCancelledWaiterLeavesTheQueue() async throws {
        try await Self.withPool(.patient(connections: 1)) { pool, _ in
            try await pool.withConnection { _ in
                let waiter = Task { await failure { try await pool.withConnection { _ in } } }
                while pool.statistics.waiting == 0 { await Task.yield() }
                waiter.cancel()
                #expect(await waiter.value?.code == .cancelled)
                #expect(pool.statistics.waiting == 0)
            }
            try await pool.withConnection { _ in }
        }
    }

    @Test func aReturnedConnectionIsReset() async throws {
        struct Stop: Error {}
        try await Self.withPool(.patient(connections: 1)) { pool, _ in
            let process = try await pool.withConnection { connection in
                // Not through `transaction`, so the transaction stays open.
                try await connection.script("BEGIN; CREATE TABLE left_open ()")
                return try await connection.backendProcess
            }
            let (next, exists) = try await pool.withConnection { connection in
                let row = try await connection.query("SELECT to_regclass('left_open') IS NOT NULL").single()
                return (try await connection.backendProcess, try row.bool(0))
            }
            #expect(next == process)
            #expect(!exists)
            await #expect(throws: Stop.self) {
                try await pool.withConnection { connection in
                    try await connection.stream("SELECT generate_series(1, 1000000)") { _ in throw Stop() }
                }
            }
            try await pool.withConnection { #expect($0.condition == .ready) }
        }
    }

    @Test func aTerminatedIdleConnectionIsReplaced() async throws {
        try await Self.withPool { pool, configuration in
            let process = try await pool.withConnection { try await $0.backendProcess }
            let other = try await PostgresConnection.connect(configuration)
            try await other.terminate(process)
            // Detected while idle, without any request.
            while pool.statistics.idle > 0 { await Task.yield() }
            let next = try await pool.withConnection { try await $0.backendProcess }
            #expect(next != process)
        }
    }

    @Test func aLongIdleConnectionIsCheckedAndReused() async throws {
        let options = PostgresPool.Options(maximumConnections: 1, acquireTimeout: .seconds(300), checkAfterIdle: .zero)
        try await Self.withPool(options) { pool, _ in
            let first = try await pool.withConnection { try await $0.backendProcess }
            let second = try await pool.withConnection { try await $0.backendProcess }
            #expect(first == second)
        }
    }

    @Test func recoversFromARestartOfTheServer() async throws {
        try await OwnServer.with { server in
            let pool = PostgresPool(server.configuration, options: .patient(connections: 2))
            async let running: Void = pool.run()
            try await pool.withConnection { try await $0.script("CREATE TABLE kept AS SELECT 1 AS n") }
            await server.stop()
            let waiting = Task {
                try await pool.withConnection { try await $0.query("SELECT n FROM kept").single().int32(0) }
            }
            while pool.statistics.waiting == 0 { await Task.yield() }
            try await server.start()
            #expect(try await waiting.value == 1)
            await pool.shutdown()
            await running
        }
    }

    @Test func aMissingDatabaseIsReportedAtOnce() async throws {
        try await withTestDatabase { url in
            let configuration = PostgresConfiguration(
                connectionString: url.replacing("user=daybook", with: "user=nobody_at_all")
            )
            let options = PostgresPool.Options(acquireTimeout: .seconds(3_600))
            let error = try await PostgresPool.withPool(configuration, options: options) { pool in
                await failure { try await pool.withConnection { _ in } }
            }
            #expect(error?.code == .connectionFailed)
            #expect(error?.connectFailure == .noSuchDatabaseOrRole)
        }
    }

    @Test func shutdownLetsALeaseFinish() async throws {
        try await withTestDatabase { url in
            let pool = PostgresPool(PostgresConfiguration(connectionString: url))
            async let running: Void = pool.run()
            let stopping = try await pool.withTransaction { transaction in
                try await transaction.script("CREATE TABLE kept ()")
                let stopping = Task { await pool.shutdown(grace: .seconds(3_600)) }
                while await failure({ try await pool.withConnection { _ in } })?.code != .poolShutdown {
                    await Task.yield()
                }
                return stopping
            }
            await stopping.value
            await running
            #expect(try await TestDatabase.psql("SELECT to_regclass('kept')", at: url) == "kept")
        }
    }

    @Test func shutdownCutsALeaseThatDoesNotFinish() async throws {
        try await withTestDatabase { url in
            let configuration = PostgresConfiguration(connectionString: url)
            let observer = try await PostgresConnection.connect(configuration)
            let pool = PostgresPool(configuration)
            async let running: Void = pool.run()
            let process = try await pool.withConnection { try await $0.backendProcess }
            async let stuck = failure {
                try await pool.withConnection { try await $0.query("SELECT pg_sleep(3600)") }
            }
            try await observer.waitUntil(process: process, waitsFor: "PgSleep")
            await pool.shutdown(grace: .milliseconds(10))
            #expect(await stuck?.code == .connectionLost)
            await running
        }
    }

    @Test func aCancelledPoolStops() async throws {
        try await withTestDatabase { url in
            let pool = PostgresPool(PostgresConfiguration(connectionString: url))
            let running = Task { await pool.run() }
            try await pool.withConnection { _ in }
            running.cancel()
            await running.value
            #expect(await failure { try await pool.withConnection { _ in } }?.code == .poolShutdown)
        }
    }
}

/// The numbers received, in order.
private final class Order: Sendable {
    private let reported = Mutex<[Int]>([])

    var numbers: [Int] { reported.withLock { $0 } }

    func add(_ number: Int) { reported.withLock { $0.append(number) } }
}
