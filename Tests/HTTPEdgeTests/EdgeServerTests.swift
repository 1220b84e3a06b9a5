import Canonical
import DaybookTestKit
import HTTPEdge
import HTTPTypes
import Metrics
import Testing

@Suite struct EdgeServerTests {
    private struct CardError: Error, CustomStringConvertible {
        var description: String { "4111111111111111" }
    }

    @Test func answersAndKeepsTheConnection() async throws {
        try await TestEdge.serve { edge in
            let client = try await edge.connect()
            for _ in 1...3 {
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine-1\r\n\r\n")
                let response = try await client.readResponse()
                #expect(response.status == 200)
                #expect(response.body == "hello")
                #expect(response.fields["x-request-id"] == "mine-1")
                #expect(response.fields["x-content-type-options"] == "nosniff")
                #expect(response.fields["cache-control"] == "no-store")
                #expect(response.fields["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
                #expect(response.fields["server"] == nil)
                #expect(response.fields["connection"] == nil)
                #expect(response.fields["date"]?.hasSuffix("GMT") == true)
            }
        }
    }

    @Test func echoesBodiesHoweverFramed() async throws {
        try await TestEdge.serve { edge in
            let client = try await edge.connect()
            try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try await client.readResponse().body == "hello")
            try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n")
            try await client.send("3\r\nllo\r\n0\r\n\r\n")
            #expect(try await client.readResponse().body == "hello")
            try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.readResponse().body == "")
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await TestEdge.serve { edge in
            let client = try await edge.connect()
            let requests = (0..<200).map {
                "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n\(String($0 + 100))"
            }
            try await client.send(requests.joined())
            for index in 0..<200 {
                #expect(try await client.readResponse().body == String(index + 100))
            }
        }
    }

    @Test func aRefusalWaitsForTheAnswersBeforeIt() async throws {
        try await TestEdge.serve { edge in
            let client = try await edge.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n")
            #expect(try await client.readResponse().body == "hello")
            let refused = try await client.readResponse()
            #expect(refused.status == 400)
            #expect(refused.fields["connection"] == "close")
            #expect(try await client.isClosed())
        }
    }

    @Test func headHasNoBody() async throws {
        try await TestEdge.serve(routes: { router in
            router.addEcho()
            router.on(.get, "/stream") { _ in .ndjson { writer in try await writer.writeLine(["a": 1]) } }
            router.on(.get, "/none") { _ in EdgeResponse(status: .noContent) }
        }) { edge in
            let client = try await edge.connect()
            try await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            try await client.send("GET /none HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.readResponse(toHead: true).fields["content-length"] == "5")
            #expect(try await client.readResponse(toHead: true).fields["transfer-encoding"] == "chunked")
            let none = try await client.readResponse(toHead: true)
            #expect(none.status == 204)
            #expect(none.fields["content-length"] == nil)
            #expect(try await client.readResponse().body == "hello")
        }
    }

    @Test func http10ClientsGetOneAnswer() async throws {
        try await TestEdge.serve(routes: { router in
            router.on(.get, "/stream") { _ in .ndjson { writer in try await writer.writeLine(["a": 1]) } }
        }) { edge in
            let client = try await edge.connect()
            try await client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let text = try await client.readToEnd()
            #expect(text.hasSuffix("Connection: close\r\n\r\n{\"a\":1}\n"))
            #expect(!text.contains("Transfer-Encoding"))
        }
    }

    @Test func requestsABodyOnlyWhenItIsRead() async throws {
        try await TestEdge.serve(routes: { router in
            router.addEcho()
            router.on(.post, "/deny") { _ in
                throw Problem(status: 401, code: "unauthenticated", title: "Who are you")
            }
        }) { edge in
            func head(_ path: String, _ length: Int, _ expect: String = "100-continue") -> String {
                "POST \(path) HTTP/1.1\r\nHost: a\r\nExpect: \(expect)\r\nContent-Length: \(length)\r\n\r\n"
            }
            let client = try await edge.connect()
            try await client.send(head("/echo", 5))
            #expect(try await client.readResponse().status == 100)
            try await client.send("hello")
            #expect(try await client.readResponse().body == "hello")
            try await client.send(head("/deny", 5))
            let denied = try await client.readResponse()
            #expect(denied.status == 401)
            #expect(denied.fields["connection"] == "close")
            #expect(try await edge.exchange(head("/echo", 1001)).status == 413)
            #expect(try await edge.exchange(head("/echo", 5, "200-ok")).status == 417)
        }
    }

    @Test(arguments: [
        ("GET /nothing", 404, "not-found"), ("DELETE /echo", 405, "method-not-allowed"),
        ("BREW / ", 501, "method-not-implemented"), ("GET /%00", 400, "malformed-target"),
        ("GET /%c0%af", 400, "malformed-target"), ("GET /?a=%zz", 400, "malformed-target"),
        ("GET /fail", 500, "internal"), ("GET /problem", 409, "taken"),
    ])
    func everyFailureIsAProblem(_ request: String, _ status: Int, _ code: String) async throws {
        try await TestEdge.serve(routes: { router in
            router.addEcho()
            router.on(.get, "/fail") { _ in throw CardError() }
            router.on(.get, "/problem") { _ in throw Problem(status: 409, code: "taken", title: "Taken") }
        }) { edge in
            let line = request.split(separator: " ").joined(separator: " ")
            let response = try await edge.exchange("\(line) HTTP/1.1\r\nHost: a\r\nX-Request-Id: r1\r\n\r\n")
            #expect(response.status == status)
            #expect(response.fields["content-type"] == "application/problem+json")
            let problem = try JSONValue(parsing: response.body)
            #expect(problem["code"]?.string == code)
            #expect(problem["status"]?.int64 == Int64(status))
            // A request refused before its fields are read gets a new id.
            #expect(problem["correlation"]?.string == response.fields["x-request-id"])
            if status != 501 { #expect(problem["correlation"]?.string == "r1") }
            if status == 405 { #expect(response.fields["allow"] == "POST") }
            // Ports and durations in the log may contain "4111".
            #expect(!response.body.contains("41111111"))
            #expect(!edge.lines.all.contains { $0.values.contains { $0.contains("41111111") } })
        }
    }

    @Test(arguments: [
        ("application/json", #"{"a":1}"#, 200, ""), ("application/json; charset=utf-8", "[]", 200, ""),
        ("text/plain", "{}", 415, "unsupported-media-type"), ("application/json", "{", 400, "malformed-json"),
        ("application/json", #"{"a":1,"a":2}"#, 400, "json-duplicate-key"),
        ("application/json", String(repeating: "[", count: 65), 400, "json-depth"),
        ("application/json", "\"\(String(repeating: "a", count: 100))\"", 413, "body-too-large"),
    ])
    func jsonBodiesAreRead(_ type: String, _ body: String, _ status: Int, _ code: String) async throws {
        try await TestEdge.serve(routes: { router in
            router.on(.post, "/json") { request in
                .json(try await request.json(limits: JSONLimits(maximumBytes: 100)))
            }
        }) { edge in
            let response = try await edge.exchange(
                "POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            #expect(response.status == status)
            #expect(try JSONValue(parsing: response.body)["code"]?.string ?? "" == code)
        }
    }

    @Test(arguments: [
        ("GET", "", 200, ""), ("GET", "If-None-Match: \"v2\"", 304, ""), ("GET", "If-None-Match: W/\"v2\"", 304, ""),
        ("GET", "If-None-Match: \"v1\"", 200, ""), ("GET", "If-None-Match: v2", 400, "malformed-condition"),
        ("PUT", "", 200, ""), ("PUT", "If-Match: \"v2\"", 200, ""), ("PUT", "If-Match: *", 200, ""),
        ("PUT", "If-Match: \"v1\"", 412, "precondition-failed"),
        ("PUT", "If-Match: W/\"v2\"", 412, "precondition-failed"),
    ])
    func versionsAreCompared(_ method: String, _ field: String, _ status: Int, _ code: String) async throws {
        let tag = try #require(EntityTag("v2"))
        try await TestEdge.serve(routes: { router in
            router.on(.get, "/") { try $0.notModified(tag) ?? .json([:]) }
            router.on(.put, "/") { request in
                try request.requireMatch(tag)
                return .json([:])
            }
        }) { edge in
            let line = field.isEmpty ? "" : "\(field)\r\n"
            let response = try await edge.exchange("\(method) / HTTP/1.1\r\nHost: a\r\n\(line)\r\n")
            #expect(response.status == status)
            if status == 304 { #expect(response.fields["etag"] == "\"v2\"") }
            if status != 304 { #expect(try JSONValue(parsing: response.body)["code"]?.string ?? "" == code) }
        }
    }

    @Test func forwardedFieldsCountOnlyWhenTrusted() async throws {
        let request =
            "GET /peer HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.0.0.1, 192.0.2.7\r\nForwarded: for=9.9.9.9\r\n\r\n"
        func routes(_ router: inout Router) { router.on(.get, "/peer") { .text($0.peer) } }
        try await TestEdge.serve(routes: routes) { edge in
            let response = try await edge.exchange(request)
            #expect(response.body == "127.0.0.1")
        }
        try await TestEdge.serve({ $0.trustsForwardedFor = true }, routes: routes) { edge in
            let trusted = try await edge.exchange(request)
            #expect(trusted.body == "192.0.2.7")
            let malformed = try await edge.exchange("GET /peer HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: x\r\n\r\n")
            #expect(malformed.body == "127.0.0.1")
        }
    }

    @Test func theAccessLogKnowsTheRouteNotThePath() async throws {
        let registry = MetricsRegistry()
        try await TestEdge.serve(
            { $0.requestIDGenerator = { "made" } },
            metrics: registry,
            routes: { router in
                router.use { request, next in
                    request.principal = TestPrincipal(logIdentifier: "key-7")
                    return try await next(request)
                }
                router.on(.post, "/cards/{pan}") { request in
                    .text(try request.parameter("pan") + String(try await request.body.collect().count))
                }
            }
        ) { edge in
            let request = "POST /cards/4111111111111111?cvv=123 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab"
            #expect(try await edge.exchange(request).body == "41111111111111112")
            #expect(try await edge.exchange("GET /4111111111111111 HTTP/1.1\r\n\r\n").status == 400)
            // Each is answered on a separate connection, so only the answer is known to come after the line is written.
            while edge.lines.requests.count < 2 { await Task.yield() }
            let line = try #require(edge.lines.requests.first { $0["route"] == "/cards/{pan}" })
            #expect(line["method"] == "POST")
            #expect(line["status"] == "200")
            #expect(line["request_id"] == "made")
            #expect(line["principal"] == "key-7")
            #expect(line["bytes_in"] == "2")
            #expect(line["bytes_out"] == "17")
            #expect(line["duration_us"].flatMap { Int($0) } != nil)
            #expect(edge.lines.requests.contains { $0["code"] == "host-missing" })
            #expect(!edge.lines.all.contains { $0.values.contains { $0.contains("411111") || $0.contains("cvv") } })
        }
        #expect(registry.text.contains(#"http_requests_total{method="POST",route="/cards/{pan}",status="200"} 1"#))
    }

    /// Cached series count the right requests, and time by route whatever the status.
    @Test func requestsAreCountedByRouteAndStatus() async throws {
        let registry = MetricsRegistry()
        try await TestEdge.serve(metrics: registry) { edge in
            for path in ["/", "/none", "/", "/none", "/"] {
                _ = try await edge.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            }
            while edge.lines.requests.count < 5 { await Task.yield() }
        }
        let text = registry.text
        #expect(text.contains(#"http_requests_total{method="GET",route="/",status="200"} 3"#))
        #expect(text.contains(#"http_requests_total{method="GET",route="-",status="404"} 2"#))
        #expect(text.contains(#"http_request_duration_seconds_count{method="GET",route="/"} 3"#))
    }
}
