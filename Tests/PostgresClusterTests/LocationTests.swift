import DaybookTestKit
import Testing

@testable import PostgresCluster

struct LocationTests {
    @Test(.enabled(if: isRoot, "only root hands the server to another account"))
    func aClusterThatTheServersAccountCannotReachLivesElsewhere() async throws {
        try await ClusterFixture.with { fixture in
            try await shell("mkdir -m 700 \"$1\"", "\(fixture.root)/closed")
            let cluster = fixture.cluster(in: "\(fixture.root)/closed/daybook")
            let lease = try await cluster.start()
            try await lease.sql("CREATE TABLE marks AS SELECT 7 AS mark")
            let status = await cluster.status()
            #expect(status.isRelocated)
            let identity = try #require(try ClusterIdentity.read(from: "\(fixture.root)/closed/daybook"))
            #expect(status.home == "\(fixture.root)/shared/\(identity.id)")
            await lease.release()
            let again = try await cluster.start()
            #expect(try await again.sql("SELECT mark FROM marks") == "7")
            await again.release()
            #expect(await cluster.status().state == .stopped)
        }
    }

    @Test(.enabled(if: isRoot, "only root can become another account"))
    func anOrdinaryUserRunsTheServerUnderTheSameAccount() async throws {
        try await ClusterFixture.with { fixture in
            let directory = "\(fixture.root)/own"
            try await shell("mkdir -m 700 \"$1\" && chown nobody: \"$1\"", directory)
            let probe = try await fixture.startProbe(
                in: directory,
                through: ["/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--inh-caps=-all"]
            )
            let url = try await probe.line(startingWith: "ready ").dropFirst(6)
            let status = await fixture.cluster(in: directory).status()
            #expect(status.userName == "nobody")
            #expect(!status.isRelocated)
            #expect(PrivateFiles.attributes(of: "\(directory)/postgres/data")?.mode == 0o700)

            // Root uses the same server, which continues to run as its owner, and leaves files that the owner can use.
            let lease = try await fixture.cluster(in: directory).start()
            #expect(lease.connectionString() == url)
            probe.closeInput()
            try await probe.line(startingWith: "released")
            #expect(try await lease.sql("SELECT 1") == "1")
            await lease.release()
            #expect(await fixture.cluster(in: directory).status().state == .stopped)
            try await fixture.cluster(in: directory).start().release()
            let again = try await fixture.startProbe(
                in: directory,
                through: ["/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
            )
            try await again.line(startingWith: "ready ")
            again.closeInput()
            try await again.line(startingWith: "released")
        }
    }

    @Test(.enabled(if: !isRoot, "root would hand the server to another account"))
    func anOrdinaryUserMayUseAPrivateDirectory() async throws {
        try await ClusterFixture.with(mode: 0o700) { fixture in
            let lease = try await fixture.cluster().start()
            #expect(await !fixture.cluster().status().isRelocated)
            #expect(try await lease.sql("SELECT 1") == "1")
            await lease.release()
        }
    }

    @Test(arguments: ["long-\(String(repeating: "x", count: 110))", "space $dollar 'quote' \"double\" `tick`"])
    func aPathUnfitForASocketAddressGetsAShortSocketDirectory(name: String) async throws {
        try await ClusterFixture.with { fixture in
            let cluster = fixture.cluster(in: "\(fixture.root)/\(name)")
            let lease = try await cluster.start()
            let socket = try #require(await cluster.status().socketPath)
            #expect(!socket.hasPrefix(fixture.root))
            #expect(socket.utf8.count <= SocketDirectory.longestPathBytes)
            #expect(PrivateFiles.attributes(of: lease.socketDirectory)?.mode == 0o700)
            #expect(try await lease.sql("SELECT 1") == "1")
            await lease.release()
            #expect(!PrivateFiles.exists(lease.socketDirectory))
        }
    }

    @Test func theConnectionStringReachesTheServer() async throws {
        try await ClusterFixture.with { fixture in
            let lease = try await fixture.cluster { $0.database = "other_1" }.start()
            let result = try await ChildProgram.run(
                lease.psqlPath,
                ["-XAtc", "SELECT current_database()", lease.connectionString()]
            )
            #expect(result.standardOutput == "other_1\n")
            let other = try await ChildProgram.run(
                lease.psqlPath,
                ["-XAtc", "SELECT current_database()", lease.connectionString(database: "postgres")]
            )
            #expect(other.standardOutput == "postgres\n")
            await lease.release()
        }
    }
}
