import Canonical
import DaybookTestKit
import HTTPEdge
import HTTPTypes
import NIOCore
import Testing

@Suite struct RequestReadingTests {
    @Test(
        arguments: [
            ("/", []), ("/a/b", ["a", "b"]), ("/a/", ["a", ""]), ("//a", ["", "a"]), ("/a%2Fb/c%20d", ["a/b", "c d"]),
            ("/%E2%82%AC+", ["€+"]), ("/%252e", ["%2e"]),
        ] as [(String, [String])]
    )
    func pathsAreCutBeforeTheyAreDecoded(_ target: String, _ segments: [String]) throws {
        #expect(try RequestTarget(target).segments == segments)
    }

    @Test(arguments: [
        "/%00", "/a%0d%0a", "/%7f", "/%c2%85", "/%", "/%2", "/%zz", "/%+1", "/%c0%af", "/%e0%80%af", "/%ed%a0%80",
        "/%f5%80%80%80", "/%ff", "/..", "/a/../b", "/%2e%2e/b", "/.", "/a/%2E", "/a?%00=1", "/a?b=%c0%af", "/a?b=%",
        "/a?" + Array(repeating: "a=1", count: 65).joined(separator: "&"),
    ])
    func badTargetsAreRefused(_ target: String) {
        #expect(throws: Problem.malformedTarget) { try RequestTarget(target) }
    }

    @Test func queriesAreDecodedAsForms() throws {
        let parameters = try RequestTarget("/?a=1+2&b%3D=%26&c&&d=e=f").parameters
        #expect(parameters.map(\.name) == ["a", "b=", "c", "d"])
        #expect(parameters.map(\.value) == ["1 2", "&", "", "e=f"])
    }

    @Test(
        arguments: [
            ("*/*", "application/json"), ("text/csv", "text/csv"), ("text/*;q=0.5, application/json;q=0.4", "text/csv"),
            ("application/json;q=0.9, text/csv;q=0.900", "application/json"), ("TEXT/CSV ; Q=1.0", "text/csv"),
            ("*/*;q=0.1, application/json;q=0", "text/csv"), ("text/csv;q=2, */*", "application/json"),
            ("text/csv;q=0.001, image/png", "text/csv"), ("image/png", nil), ("", nil), ("*/csv", nil),
            ("text/csv;q=0", nil),
        ] as [(String, String?)]
    )
    func accepts(_ field: String, _ best: String?) {
        #expect(AcceptField(field).best(of: ["application/json", "text/csv"]) == best)
    }

    private func lines(_ pieces: [[UInt8]], limit: Int) async throws -> [LineReader.Line] {
        var rest = pieces[...]
        var reader = LineReader(lineLimit: limit) { rest.popFirst().map { ByteBuffer(bytes: $0) } }
        var lines: [LineReader.Line] = []
        while let line = try await reader.next() { lines.append(line) }
        #expect(try await reader.next() == nil)
        return lines
    }

    @Test func linesDoNotDependOnThePieces() async throws {
        var random = SeededGenerator.forTest()
        let text = Array("a\r\n\n\r\nbcdef\nghijkl\n12345\r\n123456\r\n\u{0}x\r\r\nend".utf8)
        let expected: [LineReader.Line] = [
            .bytes(Array("a".utf8)), .bytes(Array("bcdef".utf8)), .tooLong, .bytes(Array("12345".utf8)), .tooLong,
            .bytes([0, 0x78, 0x0D]), .bytes(Array("end".utf8)),
        ]
        #expect(try await lines([text], limit: 5) == expected)
        #expect(try await lines(text.map { [$0] }, limit: 5) == expected)
        for _ in 0..<200 {
            var pieces: [[UInt8]] = []
            var rest = text[...]
            while !rest.isEmpty {
                let count = Int.random(in: 0...9, using: &random)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(try await lines(pieces, limit: 5) == expected, "seed \(random.seed)")
        }
    }

    @Test func wellFormedRequestIDsAreKept() {
        func id(_ fields: HTTPFields) -> String? { CorrelationID.sent(in: fields) }
        let name = HTTPField.Name("X-Request-Id")!
        let parent = HTTPField.Name("traceparent")!
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        #expect(id([name: "a-1._Z"]) == "a-1._Z")
        #expect(id([name: String(repeating: "a", count: 65)]) == nil)
        #expect(id([name: "a b"]) == nil)
        #expect(id([name: ""]) == nil)
        #expect(id([parent: "00-\(trace)-00f067aa0ba902b7-01"]) == trace)
        #expect(id([name: "a b", parent: "00-\(trace)-00f067aa0ba902b7-01"]) == trace)
        #expect(id([parent: "00-\(trace.uppercased())-00f067aa0ba902b7-01"]) == nil)
        #expect(id([parent: "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01"]) == nil)
        let made = Set((0..<1000).map { _ in CorrelationID.random() })
        #expect(made.count == 1000)
        #expect(made.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}
