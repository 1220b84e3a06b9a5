import Configuration
import Testing

@testable import Gateways

/// `daybook doctor` asks gateways for an answer without calling them.
@Suite struct ReachTests {
    private func configuration(port: Int) throws -> GatewayConfiguration {
        let values = [
            "daybook.gateways": "hp", "daybook.gateway.hp.kind": "handpoint", "daybook.gateway.hp.tenant": "acme",
            "daybook.gateway.hp.url": "http://127.0.0.1:\(port)/base", "daybook.gateway.hp.api.key": "key-1",
            "daybook.gateway.hp.accounts": "1",
        ]
        let entries = values.map { key, value in
            (
                AbsoluteConfigKey(key.split(separator: ".").map(String.init), context: [:]),
                ConfigValue(.string(value), isSecret: true)
            )
        }
        let reader = ConfigReader(provider: InMemoryProvider(values: Dictionary(uniqueKeysWithValues: entries)))
        return try #require(try GatewayConfiguration.all(in: reader).first)
    }

    @Test(
        "Any answer will do, and the request has no credentials and no body",
        arguments: ["200 OK", "404 Not Found", "500 No", "302 Found"]
    )
    func answers(_ status: String) async throws {
        let answer = "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nLocation: http://127.0.0.1:9/\r\n\r\n"
        try await GatewayServer.with(.answer(answer, thenCloses: true)) { server in
            let failure = try await configuration(port: server.port).reach()
            #expect(failure == nil)
            #expect(server.requests.count == 1)
            let request = server.requests.first ?? ""
            #expect(request.hasPrefix("GET /base HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\n"))
            #expect(!request.contains("key-1"))
        }
    }

    @Test("Without an answer it says why")
    func silence() async throws {
        let port = try await GatewayServer.unusedPort()
        #expect(try await configuration(port: port).reach()?.code == .notConnected)
        try await GatewayServer.with(.closeUnanswered) { server in
            let failure = try await configuration(port: server.port).reach()
            #expect(failure?.code == .connectionLost)
        }
        try await GatewayServer.with(.silence) { server in
            let failure = try await configuration(port: server.port).reach(within: .seconds(1))
            #expect(failure?.code == .readTimeout)
        }
    }
}
