import DaybookTestKit
import Testing

@testable import PostgresCluster

struct LifecycleTests {
    @Test func theFirstStartMakesAClusterWithAllItsSafetySettings() async throws {
        try await ClusterFixture.with { fixture in
            #expect(await fixture.cluster().status().state == .notInitialised)
            let lease = try await fixture.cluster().start()
            let expected = [
                "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "data_checksums": "on",
                "listen_addresses": "", "unix_socket_permissions": "0700", "server_encoding": "UTF8",
                "lc_messages": "C", "shared_buffers": "16MB", "max_connections": "20", "TimeZone": "UTC",
                "log_statement": "none", "log_min_messages": "log", "log_min_error_statement": "panic",
                "log_parameter_max_length": "0", "log_parameter_max_length_on_error": "0",
                "log_min_duration_statement": "-1", "log_error_verbosity": "terse",
            ]
            for (name, value) in expected { #expect(try await lease.sql("SHOW \(name)") == value, "\(name)") }
            #expect(try await lease.sql("SELECT current_user || ' ' || current_database()") == "daybook daybook")
            #expect(try await lease.sql("SELECT datcollate FROM pg_database WHERE datname = 'daybook'") == "C")
            let methods = try await lease.sql("SELECT DISTINCT type, auth_method FROM pg_hba_file_rules ORDER BY 1")
            #expect(methods == "host|reject\nlocal|trust")

            let status = await fixture.cluster().status()
            #expect(status.socketPath == "\(fixture.home)/run/.s.PGSQL.5432")
            #expect(!status.isRelocated)
            #expect(status.dataMajorVersion == status.installation?.majorVersion)
            #expect(status.problem == nil)
            for directory in ["", "/data", "/run"] {
                let attributes = try #require(PrivateFiles.attributes(of: fixture.home + directory))
                #expect(attributes.mode == 0o700)
                #expect(attributes.userID != 0)
            }
            await lease.release()
            #expect(await fixture.cluster().status().state == .stopped)
        }
    }

    @Test func aRestartKeepsTheData() async throws {
        try await ClusterFixture.with { fixture in
            let first = try await fixture.cluster().start()
            try await first.sql("CREATE TABLE marks AS SELECT 7 AS mark")
            await first.release()
            #expect(await fixture.serverProcessID() == nil)
            let second = try await fixture.cluster().start()
            #expect(try await second.sql("SELECT mark FROM marks") == "7")
            await second.release()
        }
    }

    @Test func leasesShareOneServerAndTheLastOneStopsIt() async throws {
        try await ClusterFixture.with { fixture in
            async let one = fixture.cluster().start()
            async let other = fixture.cluster().start()
            let (first, second) = try await (one, other)
            let processID = await fixture.serverProcessID()
            #expect(processID != nil)
            await first.release()
            await first.release()
            #expect(await fixture.serverProcessID() == processID)
            #expect(try await second.sql("SELECT 1") == "1")
            await second.release()
            #expect(await fixture.serverProcessID() == nil)
        }
    }

    @Test func processesShareOneServerAndAKilledOneBlocksNone() async throws {
        try await ClusterFixture.with { fixture in
            let probe = try await fixture.startProbe()
            try await probe.line(startingWith: "ready ")
            let processID = await fixture.serverProcessID()
            let lease = try await fixture.cluster().start()
            #expect(await fixture.serverProcessID() == processID)
            #expect(await fixture.cluster().status().users.contains(Int(probe.processID)))

            await #expect {
                try await fixture.cluster().stop()
            } throws: { error in
                let error = error as? PostgresClusterError
                return error?.code == .inUse && error?.message.contains("\(probe.processID)") == true
            }
            try await probe.kill()
            await lease.release()
            #expect(await fixture.serverProcessID() == nil)
        }
    }

    @Test func aServerOrphanedByAKilledProcessIsTakenOver() async throws {
        try await ClusterFixture.with { fixture in
            let probe = try await fixture.startProbe()
            try await probe.line(startingWith: "ready ")
            try await probe.kill()
            let processID = await fixture.serverProcessID()
            #expect(processID != nil)
            let lease = try await fixture.cluster().start()
            #expect(await fixture.serverProcessID() == processID)
            await lease.release()
            #expect(await fixture.serverProcessID() == nil)
        }
    }

    @Test func aServerAskedToStayOutlivesItsUsersUntilStopped() async throws {
        try await ClusterFixture.with { fixture in
            try await fixture.cluster().start().leaveRunning()
            let processID = await fixture.serverProcessID()
            #expect(processID != nil)
            try await fixture.cluster().start().release()
            #expect(await fixture.serverProcessID() == processID)
            try await fixture.cluster().stop()
            #expect(await fixture.serverProcessID() == nil)
            // The request was for that run of the server only.
            try await fixture.cluster().start().release()
            #expect(await fixture.serverProcessID() == nil)
        }
    }

    @Test func theServersLogNeverQuotesStatementsOrValues() async throws {
        try await ClusterFixture.with { fixture in
            let lease = try await fixture.cluster().start()
            for statement in [
                "SELECT 'xyzzy-value'::int", "SELECT xyzzy_column", "SELECT 1/0 /* xyzzy */",
                "CREATE TABLE t (c text PRIMARY KEY); INSERT INTO t VALUES ('xyzzy'), ('xyzzy')",
                "DO $$ BEGIN RAISE WARNING 'xyzzy'; RAISE EXCEPTION 'xyzzy'; END $$",
                // Ends the session like a crash, which makes PostgreSQL name the failed statement in a DETAIL.
                "COPY (SELECT 'xyzzy') TO PROGRAM 'kill -9 $PPID'",
            ] {
                await #expect(throws: TestKitError.self) { try await lease.sql(statement) }
            }
            // The server restarts after the crash; wait for it as a new process would.
            await lease.release()
            try await fixture.cluster().start().release()
            let log = try await shell("cat \"$1\"", "\(fixture.home)/server.log")
            #expect(log.contains("was terminated by signal 9"))
            #expect(!log.contains("xyzzy"))
        }
    }
}
