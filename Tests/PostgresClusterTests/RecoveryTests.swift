import DaybookTestKit
import Testing

@testable import PostgresCluster

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

struct RecoveryTests {
    @Test func aKilledServerIsStartedAgainWithEverythingCommitted() async throws {
        try await ClusterFixture.with { fixture in
            let first = try await fixture.cluster().start()
            try await first.sql("CREATE TABLE marks AS SELECT 7 AS mark")
            try await fixture.killServer()
            let second = try await fixture.cluster().start()
            #expect(try await second.sql("SELECT mark FROM marks") == "7")
            // The earlier lease also works with the new server.
            #expect(try await first.sql("SELECT mark FROM marks") == "7")
            await first.release()
            #expect(await fixture.serverProcessID() != nil)
            await second.release()
            #expect(await fixture.serverProcessID() == nil)
        }
    }

    @Test func lockFilesOfUnrelatedProcessesAreIgnored() async throws {
        try await ClusterFixture.with { fixture in
            let lease = try await fixture.cluster().start()
            try await lease.sql("CREATE TABLE marks AS SELECT 7 AS mark")
            try await fixture.killServer()
            await lease.release()

            // The worst case: the process id in both lock files now belongs to a process of the server's own account.
            let bystander = try await fixture.startBystander()
            let lockFiles = ["\(fixture.home)/data/postmaster.pid", "\(fixture.home)/run/.s.PGSQL.5432.lock"]
            for file in lockFiles {
                try await shell("sed -i \"1s/.*/$2/\" \"$1\"", file, "\(bystander.processID)")
            }
            #expect(await fixture.serverProcessID() == nil)
            let again = try await fixture.cluster().start()
            #expect(try await again.sql("SELECT mark FROM marks") == "7")
            await again.release()
            #expect(kill(bystander.processID, 0) == 0, "Nobody may harm the unrelated process")
            try await bystander.kill()
        }
    }

    @Test func aKilledInitialisationIsRepeated() async throws {
        try await ClusterFixture.with { fixture in
            let fake = try await FakeInitdb(in: fixture.root)
            let probe = try await fixture.startProbe(environment: ["DAYBOOK_PG_BIN": fake.directory])
            try await fake.waitUntilHalfWay()
            try await probe.kill()
            #expect(PrivateFiles.names(in: fixture.home).contains { $0.hasPrefix("data.incomplete-") })
            #expect(await fixture.cluster().status().state == .notInitialised)
            try await fake.end()

            let lease = try await fixture.cluster().start()
            #expect(try await lease.sql("SELECT 1") == "1")
            await lease.release()
            #expect(!PrivateFiles.names(in: fixture.home).contains { $0.hasPrefix("data.incomplete-") })
        }
    }

    @Test func aCancelledStartEndsItsChildrenAndCanBeRepeated() async throws {
        try await ClusterFixture.with { fixture in
            let fake = try await FakeInitdb(in: fixture.root)
            let starting = Task {
                try await fixture.cluster { $0.binaryDirectory = fake.directory }.start()
            }
            let processID = try await fake.waitUntilHalfWay()
            starting.cancel()
            await #expect(throws: CancellationError.self) { _ = try await starting.value }
            #expect(kill(processID, 0) != 0, "The cancelled initdb is still there")
            let lease = try await fixture.cluster().start()
            #expect(try await lease.sql("SELECT 1") == "1")
            await lease.release()
        }
    }

    @Test func aLockHeldTooLongNamesItsHolder() async throws {
        try await ClusterFixture.with { fixture in
            try await shell("mkdir \"$1\" && chmod 711 \"$1\"", fixture.dataDirectory)
            let holder = try await ServerProcess.start(
                "/usr/bin/flock",
                ["--no-fork", "\(fixture.dataDirectory)/start.lock", "/bin/sh", "-c", "echo held; read line"]
            )
            try await holder.line(startingWith: "held")
            await #expect {
                _ = try await fixture.cluster { $0.lockTimeout = .milliseconds(200) }.start()
            } throws: { error in
                let error = error as? PostgresClusterError
                return error?.code == .lockTimedOut && error?.message.contains("\(holder.processID)") == true
            }
            holder.closeInput()
            try await holder.waitForExit()
            try await fixture.cluster().start().release()
        }
    }
}

/// Server programs whose `initdb` makes half a cluster, reports it, and then stops there.
private struct FakeInitdb {
    let directory: String
    private let listener: ServerProcess

    init(in root: String) async throws {
        directory = "\(root)/bin"
        let real = try await PostgresInstallation.find(binaryDirectory: nil, majorVersion: nil).binaryDirectory
        let pipe = "\(root)/half-way"
        try await shell(
            "mkdir \"$1\" && ln -s \"$2\"/* \"$1\" && rm \"$1/initdb\" && mkfifo \"$3\" && chmod 666 \"$3\"",
            directory,
            real,
            pipe
        )
        try await writeScript(
            "\(directory)/initdb",
            """
            for word; do case $word in --pgdata=*) data=${word#--pgdata=};; esac; done
            mkdir -p "$data/global" && echo 15 > "$data/PG_VERSION"
            echo "half $$" > '\(pipe)'
            exec sleep 1000
            """
        )
        listener = try await ServerProcess.start("/bin/cat", [pipe])
    }

    /// The process id of the `initdb` that has made half a cluster.
    @discardableResult
    func waitUntilHalfWay() async throws -> Int32 {
        let line = try await listener.line(startingWith: "half ")
        guard let processID = Int32(line.dropFirst(5)) else { throw TestKitError("Malformed: \(line)") }
        return processID
    }

    func end() async throws { kill(try await waitUntilHalfWay(), SIGKILL) }
}
