import DaybookTestKit
import Testing

@testable import PostgresCluster

/// Refusals, and the hints they contain.
struct RefusalTests {
    private func expectRefusal(
        _ code: PostgresClusterError.Code,
        hint: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        await #expect(sourceLocation: sourceLocation) {
            try await body()
        } throws: { error in
            let error = error as? PostgresClusterError
            return error?.code == code && error?.hint.contains(hint) == true
        }
    }

    @Test func aDirectoryOfAnotherProgramIsNotTouched() async throws {
        try await ClusterFixture.with { fixture in
            try await shell("mkdir -p \"$1\" && echo 15 > \"$1/PG_VERSION\"", "\(fixture.home)/data")
            await expectRefusal(.foreignDirectory, hint: "Move it away") { _ = try await fixture.cluster().start() }
            #expect(await fixture.cluster().status().problem?.code == .foreignDirectory)
            #expect(PrivateFiles.names(in: fixture.home) == ["data"])
            try await shell("rm -r \"$1\"", fixture.home)
        }
    }

    @Test func lostDataIsReportedAndNotRecreated() async throws {
        try await ClusterFixture.with { fixture in
            try await fixture.cluster().start().release()
            try await shell("rm \"$1\"", "\(fixture.home)/data/global/pg_control")
            await expectRefusal(.dataMissing, hint: "backup") { _ = try await fixture.cluster().start() }
            try await shell("rm -r \"$1\"", fixture.home)
            await expectRefusal(.dataMissing, hint: "backup") { _ = try await fixture.cluster().start() }
            #expect(await fixture.cluster().status().problem?.code == .dataMissing)
        }
    }

    @Test func aDamagedControlFileIsReportedWithTheServersReason() async throws {
        try await ClusterFixture.with { fixture in
            try await fixture.cluster().start().release()
            try await shell("head -c 8192 /dev/zero > \"$1\"", "\(fixture.home)/data/global/pg_control")
            await #expect {
                _ = try await fixture.cluster().start()
            } throws: { error in
                let error = error as? PostgresClusterError
                return error?.code == .startFailed && error?.output?.contains("incorrect checksum") == true
                    || error?.output?.contains("incompatible") == true
            }
        }
    }

    @Test func aDamagedIdentityIsReported() async throws {
        try await ClusterFixture.with { fixture in
            try await fixture.cluster().start().release()
            let path = "\(fixture.dataDirectory)/cluster-id"
            try await shell("mv \"$1\" \"$1.kept\" && echo nonsense > \"$1\"", path)
            await expectRefusal(.fileSystem, hint: "backup") { _ = try await fixture.cluster().start() }
            try await shell("mv \"$1.kept\" \"$1\"", path)
            try await fixture.cluster().start().release()
        }
    }

    @Test func aClusterOfAnotherReleaseNeedsThatRelease() async throws {
        try await ClusterFixture.with { fixture in
            try await fixture.cluster().start().release()
            try await shell("echo 9 > \"$1\"", "\(fixture.home)/data/PG_VERSION")
            await expectRefusal(.versionMismatch, hint: "postgresql-9") { _ = try await fixture.cluster().start() }
        }
    }

    @Test func aServerStartedByHandWithUnsafeSettingsIsNotUsed() async throws {
        try await ClusterFixture.with { fixture in
            let lease = try await fixture.cluster().start()
            let location = try #require(
                try ClusterLocation.existing(in: fixture.dataDirectory, options: fixture.options())
            )
            await lease.release()
            let started = try await ServerTool(account: location.account).run(
                lease.installation.pgctl,
                [
                    "start", "--wait", "--log=server.log",
                    "--options=-c fsync=off -c listen_addresses='' -k '\(location.home)/run'",
                ],
                environment: ["PGDATA": location.data],
                workingDirectory: location.home
            )
            #expect(started.succeeded)
            await #expect {
                _ = try await fixture.cluster().start()
            } throws: { error in
                let error = error as? PostgresClusterError
                return error?.code == .settingsNotInForce && error?.message.contains("fsync=on") == true
            }
            try await fixture.cluster().stop()
            try await fixture.cluster().start().release()
        }
    }

    @Test func anAbsentServerNamesThePackageToInstall() async throws {
        try await ClusterFixture.with { fixture in
            await expectRefusal(.serverNotInstalled, hint: "apt-get install postgresql") {
                _ = try await fixture.cluster { $0.binaryDirectory = fixture.root }.start()
            }
        }
    }

    @Test func anOldServerIsRefused() async throws {
        try await ClusterFixture.with { fixture in
            for program in ["initdb", "pg_ctl", "postgres", "psql"] {
                try await writeScript("\(fixture.root)/\(program)", "echo '\(program) (PostgreSQL) 14.9 (Debian)'")
            }
            await expectRefusal(.serverTooOld, hint: "15") {
                _ = try await fixture.cluster { $0.binaryDirectory = fixture.root }.start()
            }
        }
    }

    @Test func invalidOrFixedOptionsAreRefused() async throws {
        let changes: [@Sendable (inout PostgresClusterOptions) -> Void] = [
            { $0.sharedBuffersMebibytes = 0 }, { $0.maximumConnections = 5 }, { $0.database = "Day book" },
            { $0.database = "1st" }, { $0.settings = ["fsync": "off"] }, { $0.settings = ["log_statement": "all"] },
            { $0.settings = ["work mem": "1MB"] }, { $0.settings = ["work_mem": "1MB\n"] },
        ]
        for change in changes {
            var options = PostgresClusterOptions()
            change(&options)
            await expectRefusal(.invalidOption, hint: "Correct the option") {
                _ = try await PrivateCluster(dataDirectory: "/nonexistent", options: options).start()
            }
        }
        #expect(!PrivateFiles.exists("/nonexistent"))
    }
}
