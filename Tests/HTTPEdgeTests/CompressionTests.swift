import Canonical
import DaybookTestKit
import Gunzip
import HTTPEdge
import HTTPTypes
import Synchronization
import Testing

/// When answers are compressed, and that their content is the same.
@Suite struct CompressionTests {
    @Test(
        arguments: [
            ("gzip", true, false), ("GZIP", true, false), ("x-gzip", true, false), ("*", true, false),
            ("br, gzip;q=0.5", true, false), ("deflate, gzip;q=1.0, *;q=0.5", true, false),
            ("gzip ; q=0.001", true, false),
            ("gzip, identity", true, false), ("gzip;q=0.5, identity;q=0.4", true, false),
            ("gzip, identity;q=0", true, true), ("gzip, *;q=0", true, true), ("*, identity;q=0", true, true),
            ("", false, false), ("identity", false, false), ("br, deflate", false, false), ("gzip;q=0", false, false),
            ("gzip;q=0.000", false, false), ("*, gzip;q=0", false, false), ("gzip;q=0.4, identity;q=0.5", false, false),
            ("gzip;q=0, identity;q=0", false, true), ("*;q=0", false, true), ("*;q=0, identity", false, false),
            ("gzip, gzip;q=0", false, false), ("gzip;q=2", false, false), ("gzip;q=", false, false),
            ("gzip;level=9", false, false), ("gzip deflate", false, false), (", ,gzip", true, false),
        ] as [(String, Bool, Bool)]
    )
    func acceptedCodingsAreRead(_ field: String, _ prefersGzip: Bool, _ refusesIdentity: Bool) {
        let accepted = AcceptEncodingField(field)
        #expect(accepted.prefersGzip == prefersGzip)
        #expect(accepted.refusesIdentity == refusesIdentity)
    }

    private static let rows = (0..<3000).map { JSONValue.object(["row": .string("number \($0)")]) }
    private static let large = JSONValue.array(Array(rows.prefix(200)))

    private static func addRoutes(_ router: inout Router) {
        func add(_ path: String, _ answer: EdgeResponse, _ fields: HTTPFields = [:]) {
            var answer = answer
            for field in fields { answer.fields.append(field) }
            router.on(.get, path, RouteOptions(span: .stream)) { [answer] _ in answer }
        }
        let blank = [UInt8](repeating: 0x20, count: 5000)
        let long = String(repeating: "a", count: 5000)
        add("/large", .json(large))
        add("/small", .json(["a": 1]))
        add("/weak", .json(large), [.eTag: "W/\"v5\"", .vary: "Accept"])
        add("/strong", .json(large), [.eTag: "\"v5\""])
        add("/unchanged", EdgeResponse(status: .notModified), [.eTag: "W/\"v5\""])
        add("/part", .json(large, status: .partialContent))
        add("/cookie", .json(large), [.setCookie: "a=b"])
        add("/bytes", .bytes(blank, type: "application/octet-stream"))
        add("/page", .text(long, type: "TEXT/HTML; charset=utf-8"))
        add("/picture", .bytes(blank, type: "image/svg+xml"))
        add("/problem", Problem(status: 400, code: "a", title: long).response(correlation: "c"))
        add("/none", EdgeResponse(status: .noContent))
        add("/lines", .ndjson { writer in for row in rows { try await writer.writeLine(row) } })
        add("/events", .events { writer in for _ in 0..<100 { try await writer.send(ServerSentEvent(data: "a")) } })
    }

    private static func request(_ path: String, _ fields: String = "", method: String = "GET") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    private static let asking = "Accept-Encoding: gzip\r\n"

    @Test(arguments: ["/large", "/weak", "/page", "/picture", "/problem", "/lines"])
    func compressedAnswersHaveTheSameContent(_ path: String) async throws {
        try await TestEdge.serve(routes: Self.addRoutes) { edge in
            let client = try await edge.connect()
            try await client.send(Self.request(path) + Self.request(path, Self.asking))
            let plain = try await client.readResponse()
            let compressed = try await client.readResponse()
            #expect(compressed.fields["content-encoding"] == "gzip")
            #expect(compressed.bytes.count < plain.bytes.count)
            #expect(try GunzipStream.read(whole: compressed.bytes) == plain.bytes)
            #expect(plain.fields["content-encoding"] == nil)
            for name in ["vary", "etag", "content-type", "transfer-encoding"] {
                #expect(compressed.fields[name] == plain.fields[name])
            }
            #expect(plain.fields["vary"] == (path == "/weak" ? "Accept, Accept-Encoding" : "Accept-Encoding"))
        }
    }

    @Test(
        arguments: [
            ("/large", "", true), ("/lines", "", true), ("/large", "Accept-Encoding: gzip;q=0\r\n", true),
            ("/large", "Accept-Encoding: br\r\n", true), ("/large", "Accept-Encoding: \r\n", true),
            ("/small", asking, true), ("/unchanged", asking, true),
            ("/large", asking + "Cookie: session=a\r\n", false), ("/lines", asking + "Cookie: session=a\r\n", false),
            ("/cookie", asking, false), ("/events", asking, false), ("/strong", asking, false),
            ("/part", asking, false), ("/bytes", asking, false), ("/none", asking, false),
        ] as [(String, String, Bool)]
    )
    func someAnswersAreNotCompressed(_ path: String, _ fields: String, _ varies: Bool) async throws {
        try await TestEdge.serve(routes: Self.addRoutes) { edge in
            let client = try await edge.connect()
            try await client.send(Self.request(path) + Self.request(path, fields))
            let hasNoBody = path == "/unchanged" || path == "/none"
            let plain = try await client.readResponse(toHead: hasNoBody)
            let answer = try await client.readResponse(toHead: hasNoBody)
            #expect(answer.fields["content-encoding"] == nil)
            #expect(answer.bytes == plain.bytes)
            #expect(answer.bytes.isEmpty == hasNoBody)
            #expect(answer.fields["vary"] == (varies ? "Accept-Encoding" : nil))
        }
    }

    @Test func shortAnswersAreCompressedForClientsThatRefuseIdentity() async throws {
        try await TestEdge.serve(routes: Self.addRoutes) { edge in
            let answer = try await edge.exchange(Self.request("/small", "Accept-Encoding: gzip, identity;q=0\r\n"))
            #expect(answer.fields["content-encoding"] == "gzip")
            #expect(try GunzipStream.read(whole: answer.bytes) == Array(#"{"a":1}"#.utf8))
        }
    }

    @Test(arguments: ["/large", "/small", "/weak", "/strong", "/lines", "/unchanged"])
    func headHasTheFieldsOfGet(_ path: String) async throws {
        try await TestEdge.serve(routes: Self.addRoutes) { edge in
            func fields(_ method: String) async throws -> [String: String] {
                let client = try await edge.connect()
                let line = "X-Request-Id: same\r\n"
                try await client.send(Self.request(path, Self.asking + line, method: method))
                return try await client.readResponse(toHead: true).fields.filter { $0.key != "date" }
            }
            let fields = try await (get: fields("GET"), head: fields("HEAD"))
            #expect(fields.head == fields.get)
            // The next answer is not mistaken for a body.
            let client = try await edge.connect()
            try await client.send(Self.request(path, Self.asking, method: "HEAD") + Self.request("/small"))
            _ = try await client.readResponse(toHead: true)
            #expect(try await client.readResponse().body == #"{"a":1}"#)
        }
    }

    @Test func eachLineGoesOutWhenItIsMade() async throws {
        let goOn = Gate()
        try await TestEdge.serve(routes: { router in
            router.on(.get, "/lines", RouteOptions(span: .stream)) { _ in
                .ndjson { writer in
                    try await writer.writeLine(["first": 1])
                    await goOn.passed()
                    try await writer.writeLine(["last": 2])
                }
            }
        }) { edge in
            let client = try await edge.connect()
            try await client.send(Self.request("/lines", Self.asking))
            #expect(try await client.readResponse(toHead: true).fields["content-encoding"] == "gzip")
            let body = try GunzipStream()
            // No more is produced until the first line was read.
            let first = try #require(try await client.readChunk())
            #expect(try body.read(first) == Array("{\"first\":1}\n".utf8))
            goOn.open()
            var rest: [UInt8] = []
            while let chunk = try await client.readChunk() { rest += try body.read(chunk) }
            #expect(rest == Array("{\"last\":2}\n".utf8))
            #expect(body.isFinished)
        }
    }

    private struct Watched {
        weak var writer: EdgeBodyWriter?
        var isSet = false
    }

    /// The writer owns the memory that zlib has allocated.
    @Test func aClientThatGoesAwayLeavesNothingBehind() async throws {
        let watched = Mutex(Watched())
        let broken = Gate()
        try await TestEdge.serve(routes: { router in
            router.on(.get, "/endless", RouteOptions(span: .stream)) { _ in
                .stream(type: "text/plain") { writer in
                    watched.withLock {
                        $0.writer = writer
                        $0.isSet = true
                    }
                    defer { broken.open() }
                    while true { try await writer.write([UInt8](repeating: 0x61, count: 100_000)) }
                }
            }
        }) { edge in
            do {
                let client = try await edge.connect()
                try await client.send(Self.request("/endless", Self.asking))
                #expect(try await client.readResponse(toHead: true).fields["content-encoding"] == "gzip")
            }
            await broken.passed()
        }
        #expect(watched.withLock { $0.isSet })
        #expect(watched.withLock { $0.writer } == nil)
    }
}
