import Operations
import Testing

/// Parameters of the API and filters of the command line, read by name.
@Suite struct ParameterReaderTests {
    private func reader(_ query: String) -> ParameterReader {
        ParameterReader(
            query.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
            }
        )
    }

    @Test(arguments: [("", 100), ("limit=1", 1), ("limit=1000", 1000)])
    func limitsWithinTheRangeAreAccepted(_ query: String, _ limit: Int) throws {
        var reader = reader(query)
        #expect(try reader.limit() == limit)
        try reader.finish()
    }

    @Test(arguments: ["0", "1001", "-1", "+5", "1e2", "", " 5", "99999999999999999999"])
    func otherLimitsAreRefused(_ limit: String) throws {
        var reader = reader("limit=\(limit)")
        let refusal = #expect(throws: Refusal.self) { try reader.limit() }
        #expect(refusal?.code == "invalid-limit")
    }

    @Test func unknownParametersAreRefused() throws {
        var reader = reader("a=1&b=2&b=3&c=true")
        #expect(try reader.text("a") == "1")
        #expect(throws: Refusal.self) { try reader.text("b") }
        #expect(try reader.list("b") == [])
        let refusal = #expect(throws: Refusal.self) { try reader.finish() }
        #expect(refusal?.code == "unknown-parameter")
    }

    @Test func parametersAreTyped() throws {
        var reader = reader("n=5&f=false&x=abc&long=\(String(repeating: "a", count: 300))")
        #expect(try reader.integer("n", in: 1...5) == 5)
        #expect(try reader.flag("f") == false)
        #expect(try reader.value("x") { Int($0, radix: 16) } == 0xabc)
        #expect(throws: ParameterReader.invalid("long", "has at most 256 bytes")) { try reader.text("long") }
        var bad = self.reader("n=6&f=yes&x=xyz")
        #expect(throws: ParameterReader.invalid("n", "is a whole number, 1...5")) { try bad.integer("n", in: 1...5) }
        #expect(throws: ParameterReader.invalid("f", "is true or false")) { try bad.flag("f") }
        #expect(throws: ParameterReader.invalid("x")) { try bad.value("x") { Int($0, radix: 16) } }
    }

    @Test func aMisspeltNameIsAnsweredWithTheKnownOnes() throws {
        enum Size: String, CaseIterable { case small, large }
        var reader = reader("size=huge&at=noon&colour=red")
        #expect(throws: ParameterReader.invalid("size", "is one of small, large")) {
            try reader.choice("size", of: Size.self)
        }
        #expect(throws: ParameterReader.invalid("at", "is a time such as 2026-03-01T12:00:00Z")) {
            try reader.time("at")
        }
        let rest = reader
        let refusal = #expect(throws: Refusal.self) { try rest.finish() }
        #expect(refusal?.code == "unknown-parameter" && refusal?.detail == "Known here: size, at.")
    }
}
