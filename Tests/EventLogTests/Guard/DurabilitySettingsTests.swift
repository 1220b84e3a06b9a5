import EventLog
import Testing

/// Which settings keep what was acknowledged. The table was written from the requirements, without the code.
@Suite struct DurabilitySettingsTests {
    /// synchronous_commit, fsync, full_page_writes, what is required of standbys, where, the fault, and
    /// synchronous_standby_names.
    private static let table = #"""
        remote_apply | on | on | unspecified | live | - | 
        on | on | on | unspecified | live | - | 
        local | on | on | unspecified | live | setting-synchronous-commit | 
        local | on | on | unspecified | test | setting-synchronous-commit | 
        off | on | on | unspecified | live | setting-synchronous-commit | 
        remote_write | on | on | unspecified | live | setting-synchronous-commit | 
        on | off | on | unspecified | live | setting-fsync | 
        on | on | off | unspecified | live | setting-full-page-writes | 
        on | off | off | unspecified | live | setting-fsync | 
        on | off | on | unspecified | test | - | 
        on | on | off | unspecified | test | - | 
        on | off | off | unspecified | test | - | 
        local | off | on | unspecified | test | setting-synchronous-commit | 
        on | on | on | named | live | setting-standby-names | 
        on | on | on | any | live | - | 
        on | on | on | named | live | setting-standby-names | *
        on | on | on | unspecified | live | setting-standby-names | *
        on | on | on | any | live | - | *
        on | on | on | named | live | setting-standby-names | "*"
        on | on | on | any | live | - | "*"
        on | on | on | named | live | setting-standby-names | FIRST 1 (*)
        on | on | on | named | live | setting-standby-names | ANY 1 ("*")
        on | on | on | named | live | setting-standby-names | ANY 1 (s1, *)
        on | on | on | named | live | setting-standby-names | FIRST 1 (s1, s2, "*")
        on | on | on | named | live | setting-standby-names | s1, *
        on | on | on | any | live | - | ANY 1 (s1, *)
        on | on | on | named | live | - | s1
        on | on | on | named | live | - | s1, s2
        on | on | on | named | live | - | FIRST 1 (s1, s2)
        on | on | on | named | live | - | first 2 (s1, s2, s3)
        on | on | on | named | live | - | 2 (s1, s2)
        on | on | on | named | live | - | ANY 1 (s1, s2)
        on | on | on | named | live | - | any 2 ( s1 , s2 , s3 )
        on | on | on | named | live | - | ANY 1\t(\ns1,\r\ns2\n)
        on | on | on | named | live | - | ANY 1 ("node-1", "node-2")
        on | on | on | named | live | - | "node*"
        on | on | on | named | live | - | "**"
        on | on | on | named | live | - | " * "
        on | on | on | named | live | - | "first", "any"
        on | on | on | named | live | - | FIRST 1 ("a""*")
        on | on | on | named | live | - | FIRST 1 (s1)
        on | on | on | named | live | - | ANY 3 (s1, s2)
        on | on | on | named | live | - | S1
        on | on | on | named | live | setting-standby-names | ""
        on | on | on | unspecified | live | - | s1
        on | on | on | named | test | setting-standby-names | *
        local | on | on | named | live | setting-synchronous-commit | ANY 1 (s1, s2)
        remote_apply | on | on | named | live | - | ANY 1 (s1, s2)
        on | off | on | named | live | setting-fsync | *
        """#

    @Test func everyCombinationIsJudged() throws {
        var count = 0
        for line in Self.table.split(separator: "\n") {
            let columns = line.split(separator: " | ", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
            let names = columns.count > 6 ? columns[6] : ""
            let settings = DurabilitySettings(
                synchronousCommit: columns[0],
                fsync: columns[1],
                fullPageWrites: columns[2],
                standbyNames: names.replacing("\\t", with: "\t").replacing("\\r", with: "\r").replacing(
                    "\\n",
                    with: "\n"
                )
            )
            let standbys = try #require(DurabilitySettings.Standbys(rawValue: columns[3]))
            let fault = settings.fault(standbys: standbys, isTest: columns[4] == "test")
            #expect(fault?.rawValue ?? "-" == columns[5], "\(line)")
            count += 1
        }
        #expect(count == 49)
    }
}
