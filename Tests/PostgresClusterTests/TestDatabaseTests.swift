import DaybookTestKit
import Synchronization
import Testing

@Suite struct TestDatabaseTests {
    @Test func eachLeaseIsAFreshDatabaseAndIsDropped() async throws {
        let names = try await withTestDatabase { first in
            try await withTestDatabase { second in
                try await TestDatabase.psql("CREATE TABLE marks (mark int)", at: first)
                #expect(
                    try await TestDatabase.psql("SELECT count(*) FROM pg_class WHERE relname = 'marks'", at: second)
                        == "0"
                )
                return try await [
                    TestDatabase.psql("SELECT current_database()", at: first),
                    TestDatabase.psql("SELECT current_database()", at: second),
                ]
            }
        }
        #expect(Set(names).count == 2)
        let left = try await withTestDatabase { url in
            let list = names.map { "'\($0)'" }.joined(separator: ",")
            return try await TestDatabase.psql("SELECT count(*) FROM pg_database WHERE datname IN (\(list))", at: url)
        }
        #expect(left == "0")
    }

    @Test func aTemplateIsPreparedOnceAndCopied() async throws {
        let preparations = Mutex(0)
        let template = TestDatabase.Template("marks-\(#line)") { url in
            preparations.withLock { $0 += 1 }
            try await TestDatabase.psql("CREATE TABLE marks (mark int); INSERT INTO marks VALUES (7)", at: url)
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await withTestDatabase(template: template) { url in
                        try await TestDatabase.psql("SELECT mark FROM marks", at: url)
                    }
                }
            }
            for try await mark in group { #expect(mark == "7") }
        }
        #expect(preparations.withLock { $0 } == 1)
    }

    @Test func aSeedGivesTheSameNumbersAgain() {
        var first = SeededGenerator(seed: 1_234_567)
        var second = SeededGenerator(seed: 1_234_567)
        let numbers = (0..<4).map { _ in first.next() }
        #expect(numbers == (0..<4).map { _ in second.next() })
        // The published reference output of SplitMix64 for this seed.
        #expect(numbers[0] == 6_457_827_717_110_365_317)
        #expect(numbers[1] == 3_203_168_211_198_807_973)
    }
}
