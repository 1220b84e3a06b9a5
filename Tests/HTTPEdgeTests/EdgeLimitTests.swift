import Canonical
import DaybookTestKit
import HTTPEdge
import HTTPTypes
import NIOCore
import Synchronization
import Testing

/// Every limit, over real sockets.
@Suite struct EdgeLimitTests {
    private func code(_ response: RawResponse) throws -> String? {
        try JSONValue(parsing: response.body)["code"]?.string
    }

    @Test(arguments: [
        ("GET /" + String(repeating: "a", count: 8200) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 16_400) + "\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 100) + "\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: y\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ])
    func refusalsCloseTheConnection(_ request: String, _ status: Int) async throws {
        try await TestEdge.serve { edge in
            let client = try await edge.connect()
            try await client.send(request)
            await client.sendAnyway("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try await client.readResponse()
            #expect(response.status == status)
            #expect(response.fields["connection"] == "close")
            #expect(response.fields["content-type"] == "application/problem+json")
            #expect(try await client.isClosed())
        }
    }

    @Test func aHundredFieldsAreAccepted() async throws {
        try await TestEdge.serve { edge in
            let fields = String(repeating: "X: y\r\n", count: 99)
            let response = try await edge.exchange("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
            #expect(response.status == 200)
        }
    }

    @Test func bodiesBeyondTheCapAreNotRead() async throws {
        try await TestEdge.serve { edge in
            // No part of the body is ever sent.
            let declared = try await edge.exchange("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
            #expect(declared.status == 413)
            #expect(try code(declared) == "body-too-large")
            #expect(declared.fields["connection"] == "close")
            let chunk = "3e8\r\n" + String(repeating: "a", count: 1000) + "\r\n"
            let head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            #expect(try await edge.exchange(head + chunk + "0\r\n\r\n").body.count == 1000)
            // The body never ends.
            #expect(try await edge.exchange(head + chunk + "1\r\na\r\n").status == 413)
            #expect(try await edge.exchange("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na").status == 413)
        }
    }

    @Test func aClientThatIsStillSendingGetsItsRefusal() async throws {
        try await TestEdge.serve({ $0.lingerTimeout = .seconds(10) }) { edge in
            let client = try await edge.connect()
            let count = 16 << 20
            try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
            // All of it is sent before anything is read, far more than the buffers in between can hold.
            try await client.send([UInt8](repeating: 0x61, count: count))
            #expect(try await client.readResponse().status == 413)
            client.closeOutput()
            #expect(try await client.isClosed())
        }
    }

    @Test func aBodyThatStopsIsIncomplete() async throws {
        try await TestEdge.serve { edge in
            let client = try await edge.connect()
            try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
            client.closeOutput()
            let response = try await client.readResponse()
            #expect(response.status == 400)
            #expect(try code(response) == "body-incomplete")
        }
    }

    @Test func aClientThatHalfClosesStillGetsItsAnswer() async throws {
        try await TestEdge.serve { edge in
            let client = try await edge.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            client.closeOutput()
            #expect(try await client.readToEnd().hasSuffix("hello"))
        }
    }

    @Test func aSlowHeaderIsAnswered408() async throws {
        try await TestEdge.serve({ $0.headerDeadline = .milliseconds(50) }) { edge in
            for start in ["G", "GET / HTTP/1.1\r\nHost: a\r\nX"] {
                let client = try await edge.connect()
                try await client.send(start)
                let response = try await client.readResponse()
                #expect(response.status == 408)
                #expect(try code(response) == "header-timeout")
                #expect(try await client.isClosed())
            }
        }
    }

    @Test func aTrickledBodyIsAnswered408() async throws {
        try await TestEdge.serve(
            { $0.requestDeadline = .milliseconds(100) },
            routes: { router in
                router.on(.post, "/", RouteOptions(bodyLimitBytes: .max)) { request in
                    while try await request.body.next() != nil {}
                    return .text("done")
                }
            }
        ) { edge in
            let client = try await edge.connect()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let trickle = Task {
                // Ends when the server hangs up.
                while !Task.isCancelled { try await client.send("1\r\na\r\n") }
            }
            let response = try await client.readResponse()
            #expect(response.status == 408)
            #expect(try code(response) == "body-timeout")
            trickle.cancel()
        }
    }

    @Test func aSlowRouteIsAnswered503AndCancelled() async throws {
        let cancelled = Gate()
        let never = Gate()
        try await TestEdge.serve(
            { $0.requestDeadline = .milliseconds(50) },
            routes: { router in
                router.on(.get, "/slow") { _ in
                    await never.passed()
                    if Task.isCancelled { cancelled.open() }
                    return .text("late")
                }
            }
        ) { edge in
            let client = try await edge.connect()
            try await client.send("GET /slow HTTP/1.1\r\nHost: a\r\nX-Request-Id: slow-1\r\n\r\n")
            let response = try await client.readResponse()
            #expect(response.status == 503)
            let problem = try JSONValue(parsing: response.body)
            #expect(problem["code"]?.string == "request-timeout")
            #expect(problem["outcome"]?.string == "unknown")
            #expect(problem["correlation"]?.string == "slow-1")
            #expect(response.fields["retry-after"] == "1")
            #expect(try await client.readToEnd() == "")
            await cancelled.passed()
            while edge.lines.requests.isEmpty { await Task.yield() }
            #expect(edge.lines.requests[0]["status"] == "503")
            #expect(edge.lines.requests[0]["code"] == "request-timeout")
        }
    }

    @Test func aRouteThatIgnoresCancellationTimesOut() async throws {
        let (stuck, continuation) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
        try await TestEdge.serve(
            { $0.requestDeadline = .milliseconds(50) },
            routes: { router in
                router.on(.get, "/stuck") { _ in
                    await withCheckedContinuation { continuation.yield($0) }
                    return .text("late")
                }
            }
        ) { edge in
            let client = try await edge.connect()
            try await client.send("GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.readResponse().status == 503)
            #expect(try await client.isClosed())
            for await route in stuck {
                route.resume()
                break
            }
        }
    }

    @Test func streamsAreExemptFromTheDeadline() async throws {
        let goOn = Gate()
        let never = Gate()
        try await TestEdge.serve(
            { $0.requestDeadline = .seconds(3) },
            routes: { router in
                router.on(.get, "/slow") { _ in
                    await never.passed()
                    return .text("late")
                }
                router.on(.post, "/stream", RouteOptions(span: .stream)) { request in
                    let body = try await request.body.collect()
                    return .ndjson { writer in
                        try await writer.writeLine(["first": .string(String(decoding: body, as: UTF8.self))])
                        await goOn.passed()
                        try await writer.writeLine(["second": 2])
                    }
                }
            }
        ) { edge in
            // If other tests use the processors for too long, a request ends before it is recognised as a stream.
            for _ in 1...20 {
                let client = try await edge.connect()
                try await client.send("POST /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na")
                // A request that began later has used up its time, so the stream has outlived its own deadline.
                #expect(try await edge.exchange("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").status == 503)
                await client.sendAnyway("b")
                // It received the timeout, or was cut off before it could read it.
                guard let head = try? await client.readResponse(toHead: true), head.status != 408 else { continue }
                #expect(head.status == 200)
                #expect(try await edge.exchange("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").status == 503)
                goOn.open()
                let rest = try await client.read(through: Array("0\r\n\r\n".utf8))
                #expect(
                    String(decoding: rest, as: UTF8.self)
                        == "f\r\n{\"first\":\"ab\"}\n\r\nd\r\n{\"second\":2}\n\r\n0\r\n\r\n"
                )
                return
            }
            Issue.record("no stream outlived the deadline")
        }
    }

    @Test func aStreamThatIsNotReadIsCut() async throws {
        let broken = Gate()
        try await TestEdge.serve(
            {
                $0.streamRateWindow = .milliseconds(100)
                $0.streamBytesPerSecond = 1_000_000_000
            },
            routes: { router in
                router.on(.get, "/stream", RouteOptions(span: .stream)) { _ in
                    .stream(type: "text/plain") { writer in
                        defer { broken.open() }
                        while true { try await writer.write([UInt8](repeating: 0x61, count: 100_000)) }
                    }
                }
            }
        ) { edge in
            let client = try await edge.connect(receiveBufferBytes: 4096)
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            await broken.passed()
        }
    }

    @Test func aStreamThatIsNotSentIsCut() async throws {
        let broken = Gate()
        try await TestEdge.serve(
            { $0.streamRateWindow = .milliseconds(50) },
            routes: { router in
                router.on(.post, "/stream", RouteOptions(span: .stream)) { request in
                    defer { broken.open() }
                    return .bytes(try await request.body.collect(), type: "text/plain")
                }
            }
        ) { edge in
            let client = try await edge.connect()
            try await client.send("POST /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\na")
            await broken.passed()
            #expect(try await client.readToEnd() == "")
        }
    }

    @Test func anIdleConnectionIsClosed() async throws {
        try await TestEdge.serve({ $0.idleTimeout = .milliseconds(500) }) { edge in
            let silent = try await edge.connect()
            #expect(try await silent.isClosed())
            // On a busy machine a connection can be idle that long before its request is sent; then the next one is
            // tried.
            var answered: RawClient?
            var tries = 0
            while answered == nil, tries < 100 {
                tries += 1
                let client = try await edge.connect()
                await client.sendAnyway("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                guard let response = try? await client.readResponse() else { continue }
                #expect(response.status == 200)
                answered = client
            }
            #expect(try await #require(answered).isClosed())
        }
    }

    @Test func connectionsBeyondTheLimitAreAnswered503() async throws {
        try await TestEdge.serve({ $0.maximumConnections = 2 }) { edge in
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            var clients: [RawClient] = []
            for _ in 1...2 {
                let client = try await edge.connect()
                try await client.send(request)
                #expect(try await client.readResponse().status == 200)
                clients.append(client)
            }
            let third = try await edge.connect()
            let refused = try await third.readResponse()
            #expect(refused.status == 503)
            #expect(refused.fields["retry-after"] == "1")
            #expect(try code(refused) == "too-many-connections")
            third.closeOutput()
            #expect(try await third.isClosed())
            // A released place can be used again.
            clients[0].closeOutput()
            #expect(try await clients[0].isClosed())
            var statuses: [Int] = []
            while statuses.last != 200, statuses.count < 1000 {
                let next = try await edge.connect()
                await next.sendAnyway(request)
                statuses.append(try await next.readResponse().status)
            }
            #expect(statuses.last == 200)
        }
    }

    @Test func requestsBeyondTheLimitAreAnswered503() async throws {
        let begun = Gate()
        let goOn = Gate()
        try await TestEdge.serve(
            { $0.maximumRequestsInFlight = 1 },
            routes: { router in
                router.addEcho()
                router.on(.get, "/wait") { _ in
                    begun.open()
                    await goOn.passed()
                    return .text("done")
                }
            }
        ) { edge in
            let first = try await edge.connect()
            try await first.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            await begun.passed()
            let refused = try await edge.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(refused.status == 503)
            #expect(refused.fields["retry-after"] == "1")
            #expect(try code(refused) == "overloaded")
            goOn.open()
            #expect(try await first.readResponse().body == "done")
            try await first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await first.readResponse().status == 200)
        }
    }

    @Test func aLineStreamIsAnsweredLineByLine() async throws {
        try await TestEdge.serve(routes: { router in
            router.on(.post, "/lines", RouteOptions(bodyLimitBytes: .max, span: .stream)) { request in
                .ndjson { writer in
                    var lines = request.body.lines(lineLimit: 10)
                    while let line = try await lines.next() {
                        switch line {
                        case .bytes(let bytes):
                            try await writer.writeLine(["bytes": .number(.init(Int64(bytes.count)))])
                        case .tooLong: try await writer.writeLine(["bytes": .null])
                        }
                    }
                }
            }
        }) { edge in
            let client = try await edge.connect()
            try await client.send("POST /lines HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            _ = try await client.readResponse(toHead: true)
            // Each answer arrives before the next line is sent: both directions flow at once.
            for (line, answer) in [
                ("5\r\n{\"a\":\r\n3\r\n1}\n\r\n", "{\"bytes\":7}\n"),
                ("f\r\n01234567890123\n\r\n", "{\"bytes\":null}\n"),
            ] {
                try await client.send(line)
                let read = try await client.read(through: Array(answer.utf8))
                #expect(String(decoding: read, as: UTF8.self).hasSuffix(answer))
            }
            try await client.send("0\r\n\r\n")
            #expect(try await client.read(through: Array("0\r\n\r\n".utf8)).count == 7)
        }
    }
}
