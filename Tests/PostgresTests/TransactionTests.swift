import DaybookTestKit
import Postgres
import PostgresCluster
import Testing

struct TransactionTests {
    /// A table whose COMMIT waits for advisory lock 7, so that a test decides when it continues.
    private static let slowCommit = """
        CREATE TABLE marks (n int8);
        CREATE FUNCTION await_lock() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END$$;
        CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON marks DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION await_lock();
        """

    private static func marks(_ connection: PostgresConnection) async throws -> Int64 {
        try await connection.query("SELECT count(*) FROM marks").single().int64(0)
    }

    @Test func theBodyMayReturnAnything() async throws {
        final class Box { var n = 0 }
        try await withConnection { connection in
            let box = Box()
            let same = try await connection.transaction { transaction in
                box.n = try await Int(transaction.query("SELECT 5").single().int32(0))
                return box
            }
            #expect(same.n == 5)
        }
    }

    @Test func isolationAndAccessAreAsAsked() async throws {
        try await withConnection { connection in
            let isolation = try await connection.transaction(isolation: .serializable) { transaction in
                try await transaction.query("SHOW transaction_isolation").single().text(0)
            }
            #expect(isolation == "serializable")
            let error = await failure {
                try await connection.transaction(readOnly: true) { transaction in
                    try await transaction.script("CREATE TABLE t ()")
                }
            }
            #expect(error?.sqlState == "25006")
            #expect(connection.condition == .ready)
        }
    }

    @Test func aSwallowedErrorCannotCommit() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE marks (n int8)")
            let error = await failure {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO marks VALUES (1)")
                    do {
                        try await transaction.execute("SELECT 1/0")
                    } catch {
                        // Swallowed, as in careless code.
                    }
                }
            }
            #expect(error?.code == .transactionRolledBack)
            #expect(try await Self.marks(connection) == 0)
        }
    }

    @Test func aRefusedCommitIsAnOrdinaryError() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE t (n int8 UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            let error = await failure {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO t VALUES (1), (1)")
                }
            }
            #expect(error?.code == .server)
            #expect(error?.sqlState == "23505")
            #expect(connection.condition == .ready)
        }
    }

    @Test func otherTasksCannotUseATransaction() async throws {
        try await withConnection { connection in
            try await connection.transaction { transaction in
                #expect(connection.condition == .occupied)
                #expect(await failure { try await connection.query("SELECT 1") }?.code == .connectionBusy)
                #expect(await failure { try await connection.transaction { _ in } }?.code == .connectionBusy)
                try await transaction.execute("SELECT 1")
            }
            #expect(connection.condition == .ready)
        }
    }

    @Test func aScriptMayNotEndTheTransaction() async throws {
        try await withConnection { connection in
            let error = await failure {
                try await connection.transaction { transaction in try await transaction.script("COMMIT") }
            }
            #expect(error?.code == .protocolViolation)
            #expect(connection.condition == .ready)
        }
    }

    @Test func aCommitWhoseAnswerIsLostIsUnknown() async throws {
        try await lostCommit(.swallowCommitAnswer, committed: 1)
    }

    @Test func aCommitThatNeverArrivesIsUnknown() async throws {
        try await lostCommit(.swallowCommit, committed: 0)
    }

    private func lostCommit(_ fault: SocketProxy.Fault, committed: Int64) async throws {
        let server = try await TestDatabase.server()
        try await withTestDatabase { url in
            try await SocketProxy.with(upstreamDirectory: server.socketDirectory, fault: fault) { proxy in
                let direct = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
                try await direct.script("CREATE TABLE marks (n int8)")
                let name = try await direct.query("SELECT current_database()::text").single().text(0)
                let connection = try await PostgresConnection.connect(
                    PostgresConfiguration(connectionString: "host=\(proxy.directory) user=daybook dbname=\(name)")
                )
                let error = await failure {
                    try await connection.transaction { transaction in
                        try await transaction.execute("INSERT INTO marks VALUES (1)")
                    }
                }
                #expect(error?.code == .outcomeUnknown)
                #expect(connection.condition == .broken)
                #expect(try await Self.marks(direct) == committed)
            }
        }
    }

    @Test func aSessionTerminatedDuringCommitIsUnknown() async throws {
        try await withObservedConnection { connection, observer in
            try await observer.script(Self.slowCommit)
            _ = try await observer.query("SELECT pg_advisory_lock(7)")
            let process = try await connection.backendProcess
            async let error = failure {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO marks VALUES (1)")
                }
            }
            try await observer.waitUntil(process: process, waitsFor: "advisory")
            try await observer.terminate(process)
            #expect(await error?.code == .outcomeUnknown)
            #expect(connection.condition == .broken)
        }
    }

    @Test func aSessionTerminatedBeforeCommitIsLost() async throws {
        try await withObservedConnection { connection, observer in
            try await observer.script("CREATE TABLE marks (n int8)")
            let process = try await connection.backendProcess
            let error = await failure {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO marks VALUES (1)")
                    try await observer.terminate(process)
                    try await observer.waitUntil(
                        "NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)",
                        [.int32(process)]
                    )
                    try await transaction.execute("INSERT INTO marks VALUES (2)")
                }
            }
            #expect(error?.code == .connectionLost)
            #expect(try await Self.marks(observer) == 0)
        }
    }

    @Test func cancellationDoesNotReachACommit() async throws {
        try await withObservedConnection { connection, observer in
            try await observer.script(Self.slowCommit)
            _ = try await observer.query("SELECT pg_advisory_lock(7)")
            let process = try await connection.backendProcess
            let writer = Task {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO marks VALUES (1)")
                }
            }
            try await observer.waitUntil(process: process, waitsFor: "advisory")
            writer.cancel()
            // The server would have acted on a cancel request before it answers this.
            try await observer.waitUntil(process: process, waitsFor: "advisory")
            _ = try await observer.query("SELECT pg_advisory_unlock(7)")
            _ = try await writer.value
            #expect(try await Self.marks(observer) == 1)
            #expect(connection.condition == .ready)
        }
    }

    @Test func theStatementTimeoutDoesNotReachACommit() async throws {
        try await withObservedConnection({ $0.statementTimeout = .seconds(3_600) }) { connection, observer in
            try await observer.script(Self.slowCommit)
            _ = try await observer.query("SELECT pg_advisory_lock(7)")
            let process = try await connection.backendProcess
            async let outcome = failure {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO marks VALUES (1)")
                    // Set only now, so that a busy machine cannot make the earlier statements exceed it.
                    try await transaction.script("SET LOCAL statement_timeout = '500ms'")
                }
            }
            try await observer.waitUntil(process: process, waitsFor: "advisory")
            // Much longer than the timeout, by the server's clock.
            try await observer.waitUntil(
                "(SELECT clock_timestamp() - query_start > '1500ms' FROM pg_stat_activity WHERE pid = $1)",
                [.int32(process)]
            )
            _ = try await observer.query("SELECT pg_advisory_unlock(7)")
            #expect(await outcome == nil)
            #expect(try await Self.marks(observer) == 1)
        }
    }

    @Test func aWarningDuringCommitIsNotAPlainConfirmation() async throws {
        try await withConnection { connection in
            try await connection.script(
                """
                CREATE TABLE marks (n int8);
                CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
                $$BEGIN RAISE WARNING 'careful'; RETURN NULL; END$$;
                CREATE CONSTRAINT TRIGGER late AFTER INSERT ON marks DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION warn();
                CREATE TRIGGER early AFTER DELETE ON marks FOR EACH ROW EXECUTE FUNCTION warn();
                """
            )
            let late = await failure {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO marks VALUES (1)")
                }
            }
            #expect(late?.code == .outcomeUnknown)
            #expect(late?.sqlState == "01000")
            // A warning of an earlier statement does not concern the commit.
            try await connection.transaction { transaction in try await transaction.execute("DELETE FROM marks") }
        }
    }

    @Test func aCancelledWaitForTheStandbyIsUnknown() async throws {
        try await OwnServer.with { server in
            let observer = try await PostgresConnection.connect(server.configuration)
            try await observer.script("CREATE TABLE marks (n int8)")
            try await observer.script("ALTER SYSTEM SET synchronous_standby_names = 'absent'")
            try await observer.script("SELECT pg_reload_conf()")
            try await observer.waitUntil("current_setting('synchronous_standby_names') = 'absent'")
            let connection = try await PostgresConnection.connect(server.configuration)
            let process = try await connection.backendProcess
            let insert = "INSERT INTO marks SELECT 1"
            let writes: [@Sendable () async throws -> Void] = [
                { _ = try await connection.transaction { try await $0.execute(insert) } },
                { try await connection.execute(insert) },
                { try await connection.script(insert) },
                { try await connection.stream(insert + " RETURNING n") { _ in } },
                { try await connection.copyIn("COPY marks FROM STDIN") { try await $0.write(Array("1\n".utf8)) } },
            ]
            for write in writes {
                let outcome = Task { await failure(write) }
                try await observer.waitUntil(process: process, waitsFor: "SyncRep")
                _ = try await observer.query("SELECT pg_cancel_backend($1)", [.int32(process)])
                let error = await outcome.value
                #expect(error?.code == .outcomeUnknown)
                #expect(error?.sqlState == "01000")
            }
            // A cancelled task that waits for a statement that is its own transaction does not know the outcome either.
            let outcome = Task { await failure { try await connection.execute(insert) } }
            try await observer.waitUntil(process: process, waitsFor: "SyncRep")
            outcome.cancel()
            #expect(await outcome.value?.code == .outcomeUnknown)
            // So that the server can be stopped without waiting.
            try await observer.script("ALTER SYSTEM RESET synchronous_standby_names")
            try await observer.script("SELECT pg_reload_conf()")
        }
    }

    @Test func aFrozenServerMakesTheOutcomeUnknownAfterTheAnswerTimeout() async throws {
        try await withObservedConnection({ $0.answerTimeout = .seconds(2) }) { connection, observer in
            try await observer.script(Self.slowCommit)
            _ = try await observer.query("SELECT pg_advisory_lock(7)")
            let error = await failure {
                try await connection.transaction { transaction in
                    try await transaction.execute("INSERT INTO marks VALUES (1)")
                }
            }
            #expect(error?.code == .outcomeUnknown)
            #expect(connection.condition == .broken)
        }
    }
}
