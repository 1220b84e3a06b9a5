import Testing

@testable import PostgresCluster

@Suite struct FileFormatTests {
    @Test func theServersLockFileIsReadAtEveryStage() throws {
        let ready = "4711\n/a dir/data\n1767225600\n5432\n/a dir/run\n\n  5432001   32768\nready   \n"
        let postmaster = try #require(Postmaster(text: ready))
        #expect(postmaster.processID == 4711)
        #expect(postmaster.startedAtSeconds == 1_767_225_600)
        #expect(postmaster.socketDirectory == "/a dir/run")
        #expect(postmaster.state == .ready)

        let early = try #require(Postmaster(text: "4711\n/data\n1767225600\n5432\n/run\n"))
        #expect(early.state == nil)
        #expect(Postmaster(text: "4711\n/data\n1\n5432\n\n\n")?.socketDirectory == nil)
        for text in ["", "\n", "x\n", "0\n", "-3\n", "99999999999\n"] { #expect(Postmaster(text: text) == nil) }
    }

    @Test func anIdentityIsReadAsWritten() {
        for home in [nil, "/var/lib/daybook/0123456789abcdef"] {
            for isInitialised in [false, true] {
                let identity = ClusterIdentity(
                    id: ClusterIdentity.randomID(),
                    homeElsewhere: home,
                    isInitialised: isInitialised
                )
                #expect(ClusterIdentity(text: identity.text) == identity)
            }
        }
    }

    @Test(arguments: [
        "", "id=0123456789abcdef\n", "id=../../../../etc/x\nhome=postgres\ninitialised=yes\n",
        "id=0123456789abcdef\nhome=elsewhere\ninitialised=yes\n", "id=0123456789abcdef\nhome=postgres\ninitialised=?\n",
    ])
    func aMalformedIdentityIsNotRead(text: String) {
        #expect(ClusterIdentity(text: text) == nil)
    }

    @Test func settingsAreQuotedForTheShell() {
        var options = PostgresClusterOptions()
        options.settings = ["work_mem": "'; touch /tmp/x; '"]
        let line = ServerSettings(options: options, socketDirectory: "/run/x").commandLine
        #expect(line.contains(#"-c 'work_mem='\''; touch /tmp/x; '\'''"#))
        #expect(line.contains("-c 'listen_addresses='"))
    }
}
