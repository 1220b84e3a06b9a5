import EventLog
import Testing

/// Which settings keep what was acknowledged. The table was written from the requirements, without the code.
@Suite struct DurabilitySettingsTests {
    /// synchronous_commit, fsync, full_page_writes, what is required of standbys, the fault, and
    /// synchronous_standby_names.
    private static let table = #"""
        remote_apply | on | on | unspecified | - | 
        on | on | on | unspecified | - | 
        local | on | on | unspecified | setting-synchronous-commit | 
        off | on | on | unspecified | setting-synchronous-commit | 
        remote_write | on | on | unspecified | setting-synchronous-commit | 
        on | off | on | unspecified | setting-fsync | 
        on | on | off | unspecified | setting-full-page-writes | 
        on | off | off | unspecified | setting-fsync | 
        on | on | on | named | setting-standby-names | 
        on | on | on | any | - | 
        on | on | on | named | setting-standby-names | *
        on | on | on | unspecified | setting-standby-names | *
        on | on | on | any | - | *
        on | on | on | named | setting-standby-names | "*"
        on | on | on | any | - | "*"
        on | on | on | named | setting-standby-names | FIRST 1 (*)
        on | on | on | named | setting-standby-names | ANY 1 ("*")
        on | on | on | named | setting-standby-names | ANY 1 (s1, *)
        on | on | on | named | setting-standby-names | FIRST 1 (s1, s2, "*")
        on | on | on | named | setting-standby-names | s1, *
        on | on | on | any | - | ANY 1 (s1, *)
        on | on | on | named | - | s1
        on | on | on | named | - | s1, s2
        on | on | on | named | - | FIRST 1 (s1, s2)
        on | on | on | named | - | first 2 (s1, s2, s3)
        on | on | on | named | - | 2 (s1, s2)
        on | on | on | named | - | ANY 1 (s1, s2)
        on | on | on | named | - | any 2 ( s1 , s2 , s3 )
        on | on | on | named | - | ANY 1\t(\ns1,\r\ns2\n)
        on | on | on | named | - | ANY 1 ("node-1", "node-2")
        on | on | on | named | - | "node*"
        on | on | on | named | - | "**"
        on | on | on | named | - | " * "
        on | on | on | named | - | "first", "any"
        on | on | on | named | - | FIRST 1 ("a""*")
        on | on | on | named | - | FIRST 1 (s1)
        on | on | on | named | - | ANY 3 (s1, s2)
        on | on | on | named | - | S1
        on | on | on | named | setting-standby-names | ""
        on | on | on | unspecified | - | s1
        local | on | on | named | setting-synchronous-commit | ANY 1 (s1, s2)
        remote_apply | on | on | named | - | ANY 1 (s1, s2)
        on | off | on | named | setting-fsync | *
        """#

    @Test func everyCombinationIsJudged() throws {
        var count = 0
        for line in Self.table.split(separator: "\n") {
            let columns = line.split(separator: " | ", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
            let names = columns.count > 5 ? columns[5] : ""
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
            let fault = settings.fault(standbys: standbys)
            #expect(fault?.rawValue ?? "-" == columns[4], "\(line)")
            count += 1
        }
        #expect(count == 43)
    }
}
