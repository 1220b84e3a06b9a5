import DaybookTestKit
import HTTPEdge
import HTTPTypes
import Testing

/// The events of some bytes, with the pieces of a body joined.
private struct Transcript: Equatable, CustomStringConvertible {
    var events: [RequestGate.Event] = []
    var isInsideHead = false

    var description: String { "\(events)" }

    /// - Parameter cuts: sizes of the pieces in which the bytes arrive; the rest arrives at once.
    init(_ bytes: [UInt8], cuts: some Sequence<Int> = [], limits: RequestGate.Limits = .init()) {
        var gate = RequestGate(limits: limits)
        var rest = bytes[...]
        func take(_ piece: ArraySlice<UInt8>, _ events: inout [RequestGate.Event]) {
            piece.withUnsafeBytes { buffer in
                var start = 0
                while true {
                    let (consumed, event) = gate.advance(over: UnsafeRawBufferPointer(rebasing: buffer[start...]))
                    start += consumed
                    switch (event, events.last) {
                    case (.body(let count), .body(let before)): events[events.count - 1] = .body(count: before + count)
                    case (let event?, _): events.append(event)
                    case (nil, _): if start == buffer.count { return }
                    }
                }
            }
        }
        for cut in cuts where !rest.isEmpty {
            take(rest.prefix(cut), &events)
            rest = rest.dropFirst(cut)
        }
        take(rest, &events)
        isInsideHead = gate.isInsideHead
    }

    init(_ text: String, limits: RequestGate.Limits = .init()) {
        self.init(Array(text.utf8), limits: limits)
    }

    var refusal: GateRefusal? {
        if case .refused(let refusal) = events.last { refusal } else { nil }
    }

    var heads: [RequestHead] {
        events.compactMap { if case .head(let head) = $0 { head } else { nil } }
    }
}

@Suite struct RequestGateTests {
    @Test func readsARequestWithoutABody() throws {
        let transcript = Transcript("GET /a?b=c HTTP/1.1\r\nHost: example:80\r\nX-Y:  z \t\r\n\r\n")
        let head = try #require(transcript.heads.first)
        #expect(head.method == .get)
        #expect(head.target == "/a?b=c")
        #expect(head.isVersion11)
        #expect(head.keepsAlive)
        #expect(head.framing == .none)
        #expect(try head.fields[#require(HTTPField.Name("X-Y"))] == "z")
        #expect(transcript.events == [.head(head), .end])
    }

    @Test func readsPipelinedRequestsWithBodies() {
        let transcript = Transcript(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                + "\r\nPOST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\nA\r\n0123456789\r\n1\r\nx\r\n"
                + "0\r\nTrailer: 1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: x, CLOSE\r\n\r\n"
        )
        let heads = transcript.heads
        #expect(heads.map(\.framing) == [.length(3), .chunked, .none])
        #expect(heads.map(\.keepsAlive) == [true, true, false])
        #expect(
            transcript.events == [
                .head(heads[0]), .body(count: 3), .end, .head(heads[1]), .body(count: 11), .end, .head(heads[2]), .end,
            ]
        )
    }

    @Test func ignoresAnOfferToUpgrade() {
        let transcript = Transcript(
            "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nab"
        )
        #expect(transcript.events.dropFirst() == [.body(count: 2), .end])
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", .hostMissing),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .hostRepeated),
            ("GET / HTTP/1.1\r\nHost:\r\n\r\n", .hostMalformed),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .hostMalformed),
            ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", .hostMalformed),
            (
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                .framingAmbiguous
            ),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .contentLengthRepeated),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\n", .contentLengthRepeated),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", .contentLengthMalformed),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", .contentLengthMalformed),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\n", .contentLengthMalformed),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", .contentLengthMalformed),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999999\r\n\r\n", .contentLengthMalformed),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferEncodingUnsupported),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", .transferEncodingUnsupported),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;q=1\r\n\r\n", .transferEncodingUnsupported),
            (
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                .transferEncodingUnsupported
            ),
            ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncodingUnsupported),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n", .foldedField),
            ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .foldedField),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\nHost\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\n: a\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\nHost: a\n\n", .controlByte),
            ("GET / HTTP/1.1\r\nHost: a\n\r\n", .controlByte),
            ("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", .controlByte),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n", .controlByte),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{7F}\r\n\r\n", .controlByte),
            ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET /\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET /#f HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET a HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET / http/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .versionNotSupported),
            ("GET / HTTP/1.2\r\nHost: a\r\n\r\n", .versionNotSupported),
            ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", .methodNotImplemented),
            ("get / HTTP/1.1\r\nHost: a\r\n\r\n", .methodNotImplemented),
            ("CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n", .methodNotImplemented),
            ("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", .methodNotImplemented),
        ] as [(String, GateRefusal)]
    )
    func refuses(_ request: String, _ refusal: GateRefusal) {
        let transcript = Transcript(request + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(transcript.events == [.refused(refusal)])
    }

    @Test(arguments: ["", "x", "-1", "1;a=b", " 1", "1 ", "0x1", "1000000000000000", "ffffffffffffffffffff"])
    func refusesChunkSizes(_ size: String) {
        let transcript = Transcript(
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\na\r\n0\r\n\r\n"
        )
        #expect(transcript.refusal == .chunkMalformed)
    }

    @Test func refusesAChunkWithAnotherLength() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(Transcript(head + "1\r\nab\r\n0\r\n\r\n").refusal == .chunkMalformed)
        #expect(Transcript(head + "1\na").refusal == .controlByte)
        #expect(Transcript(head + "0\r\n folded: 1\r\n\r\n").refusal == .foldedField)
    }

    @Test func refusesTooLongParts() {
        var limits = RequestGate.Limits()
        limits.requestLineBytes = 20
        limits.headerBytes = 30
        limits.fieldCount = 3
        #expect(Transcript("GET /aaaa HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits).refusal == nil)
        #expect(Transcript("GET /aaaaa HTTP/1.1\r\n", limits: limits).refusal == .requestLineTooLong)
        #expect(Transcript("GET /aaaaaaaaaaaaaaa", limits: limits).refusal == .requestLineTooLong)
        let line = "GET / HTTP/1.1\r\n"
        #expect(Transcript(line + "Host: a\r\nX: 01234567890123\r\n\r\n", limits: limits).refusal == nil)
        #expect(
            Transcript(line + "Host: a\r\nX: 012345678901234567\r\n\r\n", limits: limits).refusal == .headerTooLarge
        )
        #expect(Transcript(line + "Host: a\r\nX: 0123456789012345678", limits: limits).refusal == .headerTooLarge)
        #expect(Transcript(line + "Host: a\r\nA:\r\nB:\r\n\r\n", limits: limits).refusal == nil)
        #expect(Transcript(line + "Host: a\r\nA:\r\nB:\r\nC:\r\n\r\n", limits: limits).refusal == .tooManyFields)
    }

    @Test func reportsAHeadThatHasBegun() {
        #expect(!Transcript("").isInsideHead)
        #expect(Transcript("G").isInsideHead)
        #expect(Transcript("\r\n").isInsideHead)
        #expect(Transcript("GET / HTTP/1.1\r\nHost: a\r\n").isInsideHead)
        #expect(!Transcript("GET / HTTP/1.1\r\nHost: a\r\n\r\n").isInsideHead)
        #expect(!Transcript("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na").isInsideHead)
    }

    /// Valid requests, damaged at random, have the same result however they are divided.
    @Test func verdictDoesNotDependOnTheCuts() {
        var random = SeededGenerator.forTest()
        var limits = RequestGate.Limits()
        limits.requestLineBytes = 40
        limits.headerBytes = 120
        limits.fieldCount = 5
        let samples = [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "\r\nGET /a?b HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n10\r\n0123456789abcdef\r\n0\r\nT: u\r\n\r\n",
            "GET /0123456789012345678901234567890 HTTP/1.1\r\nHost: a\r\n\r\n",
        ]
        let damage = Array("\r\n\u{0}\t :;0123456789abcfGPx/%".utf8)
        var refused = 0
        for round in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes += Array(samples.randomElement(using: &random)!.utf8)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let place = bytes.indices.randomElement(using: &random)!
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = damage.randomElement(using: &random)!
                case 1: bytes.remove(at: place)
                default: bytes.insert(damage.randomElement(using: &random)!, at: place)
                }
            }
            let whole = Transcript(bytes, limits: limits)
            let single = Transcript(bytes, cuts: Array(repeating: 1, count: bytes.count), limits: limits)
            let cuts = (0..<bytes.count).map { _ in Int.random(in: 1...17, using: &random) }
            let some = Transcript(bytes, cuts: cuts, limits: limits)
            #expect(whole == single, "round \(round), seed \(random.seed): \(String(decoding: bytes, as: UTF8.self))")
            #expect(whole == some, "round \(round), seed \(random.seed): \(String(decoding: bytes, as: UTF8.self))")
            if whole.refusal != nil { refused += 1 }
        }
        // Both results must have occurred, or the damage is too large or too small to be meaningful.
        #expect((300...2900).contains(refused))
    }
}
