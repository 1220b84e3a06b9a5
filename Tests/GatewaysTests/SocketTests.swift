import Canonical
import Foundation
import NIOSSL
import Payments
import Testing

@testable import Gateways

/// The outcomes of calls on real sockets. Nothing is ever sent twice.
@Suite("Calls over sockets") struct SocketTests {
    private static let sale = GatewayCall(
        .sale,
        reference: "R-1",
        amount: Known.usd(750),
        token: Known.secret(Known.cardToken)
    )
    private static let find = GatewayCall(
        .find,
        reference: "R-2",
        original: OriginalPayment(reference: "3e665342-a95b-49c1-b6fe-b3f102305a76", begunAt: .earliest)
    )

    private static func http(_ status: String, _ body: String = "", _ fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let approval = String(
        decoding: Answers.coded("A01 - Approved", "00000", more: "<AuthorizedAmount>750</AuthorizedAmount>"),
        as: UTF8.self
    )

    private func gateway(
        _ url: String,
        speaking dialect: any WireDialect = Known.bridgecomm,
        connectMilliseconds: Int64 = 10_000,
        readMilliseconds: Int64 = 20_000,
        totalMilliseconds: Int64 = 30_000,
        resolver: any NameResolver = SystemResolver(),
        trustRootsFile: String? = nil,
        breaker: CircuitBreaker.Settings = .init()
    ) throws -> HTTPGateway {
        let endpoint = try #require(GatewayEndpoint(url))
        return HTTPGateway(
            name: "main",
            dialect: dialect,
            transport: HTTPTransport(
                endpoint: endpoint,
                egress: EgressPolicy(allowed: [], allowsLoopback: endpoint.isLoopback),
                timeouts: GatewayTimeouts(
                    connectMilliseconds: connectMilliseconds,
                    readMilliseconds: readMilliseconds,
                    totalMilliseconds: totalMilliseconds
                ),
                resolver: resolver,
                trustRootsFile: trustRootsFile
            ),
            gate: GatewayGate(.init(), breaker, clock: SystemClock()),
            clock: SystemClock()
        )
    }

    private func notSent(_ outcome: GatewayOutcome) -> GatewayFailure.Code? {
        if case .notSent(let failure) = outcome { failure.code } else { nil }
    }

    private func unanswered(_ outcome: GatewayOutcome) -> GatewayFailure.Code? {
        if case .unanswered(let failure) = outcome { failure.code } else { nil }
    }

    @Test("An answer")
    func answer() async throws {
        try await GatewayServer.with(.answer(Self.http("200 OK", Self.approval), thenCloses: false)) { server in
            let gateway = try gateway("http://127.0.0.1:\(server.port)/PaymentService/RequestHandler.svc/")
            for _ in 0..<2 {
                guard case .answered(let answer) = await gateway.call(Self.sale) else {
                    Issue.record("not answered")
                    return
                }
                #expect(answer.verdict == .approved)
            }
            let request = try #require(server.requests.first)
            #expect(request.hasPrefix("POST /PaymentService/RequestHandler.svc HTTP/1.1\r\n"))
            let body = try Known.body(Known.bridgecomm, Self.sale)
            // The request's time is the current one; everything around it is as expected.
            #expect(request.hasSuffix(body.suffix(100)))
            // A separate connection for each call.
            #expect(server.requests.count == 2 && server.connections == 2)
        }
    }

    @Test("No listener: nothing was sent")
    func refused() async throws {
        let port = try await GatewayServer.unusedPort()
        do {
            let outcome = try await gateway("http://127.0.0.1:\(port)").call(Self.sale)
            #expect(notSent(outcome) == .notConnected)
        }
        #expect(
            await notSent(try gateway("http://127.0.0.1:\(port)", speaking: Known.handpoint).call(Self.find))
                == .notConnected
        )
    }

    static let broken: [(String, GatewayServer.Behaviour, GatewayFailure.Code)] = [
        ("closed when the request was there", .closeUnanswered, .connectionLost),
        ("cut off within the head", .answer("HTTP/1.1 200 OK\r\nContent-Le", thenCloses: true), .connectionLost),
        (
            "cut off within the body", .answer("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc", thenCloses: true),
            .connectionLost
        ),
        ("no HTTP", .answer("220 mail.example ESMTP\r\n\r\n", thenCloses: true), .connectionLost),
        ("5xx", .answer(http("500 Internal Server Error", approval), thenCloses: false), .serverError),
        ("503", .answer(http("503 Service Unavailable"), thenCloses: false), .serverError),
        ("4xx to what moves money", .answer(http("403 Forbidden"), thenCloses: false), .unexpectedStatus),
        (
            "redirect", .answer(http("307 Temporary Redirect", "", "Location: /elsewhere\r\n"), thenCloses: false),
            .redirected
        ),
        (
            "redirect after a POST",
            .answer(http("302 Found", "", "Location: http://127.0.0.1/\r\n"), thenCloses: false), .redirected
        ),
        ("another body", .answer(http("200 OK", "<html/>"), thenCloses: false), .malformed),
        ("compressed", .answer(http("200 OK", approval, "Content-Encoding: gzip\r\n"), thenCloses: false), .malformed),
        (
            "announced too long", .answer("HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n", thenCloses: false),
            .oversized
        ),
        (
            "too long, in chunks",
            .answer(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n"
                    + String(repeating: "x", count: 2_097_152),
                thenCloses: false
            ), .oversized
        ),
    ]

    @Test("Sent and not answered: the outcome is unknown, and nothing is sent again", arguments: broken)
    func lost(_ name: String, _ behaviour: GatewayServer.Behaviour, _ code: GatewayFailure.Code) async throws {
        try await GatewayServer.with(behaviour) { server in
            let outcome = try await gateway("http://127.0.0.1:\(server.port)/").call(Self.sale)
            #expect(unanswered(outcome) == code, "\(name): \(outcome)")
            #expect(server.requests.count == 1 && server.connections == 1, "\(name)")
        }
    }

    @Test("Accepted and closed at once: the outcome is never an answer, and nothing is sent again")
    func closedAtOnce() async throws {
        try await GatewayServer.with(.closeAtOnce) { server in
            let outcome = try await gateway("http://127.0.0.1:\(server.port)/").call(Self.sale)
            if case .answered = outcome { Issue.record("\(outcome)") }
            #expect(server.connections == 1)
        }
    }

    @Test("Too slow: the outcome is unknown")
    func slow() async throws {
        for behaviour in [GatewayServer.Behaviour.silence, .begin("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")] {
            try await GatewayServer.with(behaviour) { server in
                let impatient = try gateway("http://127.0.0.1:\(server.port)/", readMilliseconds: 50)
                #expect(await unanswered(impatient.call(Self.sale)) == .readTimeout)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test("An endless slow answer ends with the call's time limit")
    func trickle() async throws {
        try await GatewayServer.with(.trickle("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\nabc")) { server in
            let patient = try gateway(
                "http://127.0.0.1:\(server.port)/",
                readMilliseconds: 500,
                totalMilliseconds: 1_000
            )
            #expect(patient.longestCallMilliseconds == 6_000)
            let outcome = await patient.call(Self.sale)
            #expect(unanswered(outcome) == .readTimeout || notSent(outcome) != nil, "\(outcome)")
        }
    }

    @Test("A request that cannot be answered in time is not sent")
    func late() async throws {
        try await GatewayServer.with(.silence) { server in
            let gateway = try gateway("http://127.0.0.1:\(server.port)/")
            // As if the process was suspended between the event and the call.
            for deadline in [ContinuousClock.now, .now.advanced(by: .seconds(19))] {
                #expect(notSent(await gateway.call(Self.sale, by: deadline)) == .waitedTooLong)
            }
            #expect(server.connections == 0)
        }
        // As if it was suspended while it connected.
        let body = BodyOnce([1, 2, 3], until: ContinuousClock.now.advanced(by: .milliseconds(-1)))
        var parts = body.makeAsyncIterator()
        await #expect(throws: GatewayFailure.self) { try await parts.next() }
        #expect(!body.wasTaken)
    }

    @Test("A refused query is refused")
    func refusedQuestion() async throws {
        try await GatewayServer.with(.answer(Self.http("401 Unauthorized"), thenCloses: false)) { server in
            let outcome = await (try gateway("http://127.0.0.1:\(server.port)/", speaking: Known.handpoint)).call(
                Self.find
            )
            guard case .answered(let answer) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(answer.verdict == .refused(code: "http-401") && answer.document == nil)
        }
    }

    @Test("A gateway that is down is not called")
    func breaks() async throws {
        try await GatewayServer.with(.answer(Self.http("503 Service Unavailable"), thenCloses: false)) { server in
            let gateway = try gateway(
                "http://127.0.0.1:\(server.port)/",
                breaker: .init(failuresToOpen: 2, openMicroseconds: 3_600_000_000)
            )
            for _ in 0..<2 { #expect(await unanswered(gateway.call(Self.sale)) == .serverError) }
            for _ in 0..<3 { #expect(await notSent(gateway.call(Self.sale)) == .circuitOpen) }
            #expect(server.requests.count == 2)
        }
    }

    // MARK: TLS

    @Test("Nothing is sent to a server without TLS")
    func plain() async throws {
        try await GatewayServer.with(.answer(Self.http("200 OK", Self.approval), thenCloses: true)) { server in
            // The server waits for a request that never arrives, and the client for a handshake.
            let outcome = try await gateway("https://127.0.0.1:\(server.port)/", connectMilliseconds: 200).call(
                Self.sale
            )
            #expect(notSent(outcome) != nil, "\(outcome)")
            #expect(server.requests.isEmpty)
        }
        try await GatewayServer.with(.closeAtOnce) { server in
            let outcome = try await gateway("https://127.0.0.1:\(server.port)/").call(Self.sale)
            #expect(notSent(outcome) != nil, "\(outcome)")
        }
    }

    @Test("An untrusted certificate is refused, and so is one of another name")
    func certificates() async throws {
        let certificate = try SelfSigned()
        defer { certificate.remove() }
        let answer = GatewayServer.Behaviour.answer(Self.http("200 OK", Self.approval), thenCloses: false)
        try await GatewayServer.with(answer, tls: certificate.context()) { server in
            let untrusted = try gateway("https://localhost:\(server.port)/")
            #expect(await notSent(untrusted.call(Self.sale)) == .tlsFailed)
            let otherName = try gateway(
                "https://127.0.0.1:\(server.port)/",
                trustRootsFile: certificate.certificateFile
            )
            #expect(await notSent(otherName.call(Self.sale)) == .tlsFailed)
            #expect(server.requests.isEmpty)
            let trusted = try gateway("https://localhost:\(server.port)/", trustRootsFile: certificate.certificateFile)
            guard case .answered(let answer) = await trusted.call(Self.sale) else {
                Issue.record("not answered")
                return
            }
            #expect(answer.verdict == .approved && server.requests.count == 1)
        }
    }

    // MARK: Addresses

    private struct FixedResolver: NameResolver {
        var found: [String]

        func addresses(of host: String) async -> [NetworkAddress] { found.compactMap { NetworkAddress($0) } }
    }

    @Test(
        "A name that resolves to a private address is not called",
        arguments: [
            ["127.0.0.1"], ["10.0.0.7"], ["169.254.169.254"], ["192.168.1.1"], ["::1"], ["fd00:ec2::254"],
            ["::ffff:10.0.0.7"], ["fe80::1", "127.0.0.1"], ["0.0.0.0"],
        ]
    )
    func egress(_ found: [String]) async throws {
        try await GatewayServer.with(.answer(Self.http("200 OK", Self.approval), thenCloses: true)) { server in
            let gateway = try gateway("https://gateway.example:\(server.port)/", resolver: FixedResolver(found: found))
            #expect(await notSent(gateway.call(Self.sale)) == .addressRefused)
            #expect(server.connections == 0)
        }
    }

    @Test("A name without an address is not called")
    func unresolved() async throws {
        let gateway = try gateway("https://gateway.example/", resolver: FixedResolver(found: []))
        #expect(await notSent(gateway.call(Self.sale)) == .nameNotResolved)
    }

    @Test("The connection goes to the address that was looked up and checked")
    func pinned() async throws {
        try await GatewayServer.with(.answer(Self.http("200 OK", Self.approval), thenCloses: true)) { server in
            // The first of two addresses does not answer: the second belongs to the same attempt, with only one
            // request.
            let gateway = try gateway(
                "http://localhost:\(server.port)/",
                resolver: FixedResolver(found: ["127.0.0.2", "127.0.0.1"])
            )
            guard case .answered = await gateway.call(Self.sale) else {
                Issue.record("not answered")
                return
            }
            #expect(server.requests.count == 1)
            #expect(server.requests.first?.contains("localhost:\(server.port)") == true)
        }
    }
}

/// A self-signed certificate for `localhost`, created for one test.
private struct SelfSigned {
    private let directory: URL
    var certificateFile: String { directory.appending(path: "certificate.pem").path() }
    private var keyFile: String { directory.appending(path: "key.pem").path() }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "daybook-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", keyFile, "-out", certificateFile,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    func context() throws -> NIOSSLContext {
        try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile(certificateFile).map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: keyFile, format: .pem))
            )
        )
    }

    func remove() { try? FileManager.default.removeItem(at: directory) }
}
