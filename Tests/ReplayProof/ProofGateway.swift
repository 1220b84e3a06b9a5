import Canonical
import Configuration
import DaybookTestKit
import Foundation
import Gateways
import HTTPRequests
import Simulator

/// The gateway stand-in as a process, the servers' settings for it, and the app's access to it.
struct ProofGateway: Sendable {
    let port: Int
    let settings: [String: String]
    let gateway: any PaymentGateway
    private let process: ServerProcess

    static func start(_ daybook: Daybook, faults: String) async throws -> ProofGateway {
        let process = try await daybook.start([
            "simulate", "gateway", "--json", "--bridgepay", "0", "--books", "books.ndjson", "--seed", "11",
            "--faults", faults, "--slow-seconds", "1", "--take-duplicates",
        ])
        let line = try await process.line(startingWith: "{\"listening\"")
        let reported = try JSONValue(parsing: Array(line.utf8))["listening"]?["bridgepay"]?.string
        guard let port = reported.flatMap({ URL(string: $0)?.port }) else { throw TestKitError("no port in \(line)") }
        let settings = settings(port)
        return ProofGateway(
            port: port,
            settings: settings,
            gateway: try gateway(settings.merging(["daybook.gateway.bridge.waiting": "256"]) { $1 }),
            process: process
        )
    }

    func stop() async throws -> Int {
        process.send(15)
        return try await process.waitForExit()
    }

    /// The gateway's own books.
    func books() async throws -> [BookedPayment] {
        let answer = try await APIClient(port: port, key: nil).send(HTTPRequest(target: "/standin/books"))
        return try answer.text.split(separator: "\n").map { line in
            try JSONValueDecoder().decode(BookedPayment.self, from: try JSONValue(parsing: line.utf8))
        }
    }

    private static func settings(_ port: Int) -> [String: String] {
        [
            "daybook.gateways": "bridge", "daybook.gateway.bridge.kind": "bridgecomm",
            "daybook.gateway.bridge.mode": "test", "daybook.gateway.bridge.tenant": "acme",
            "daybook.gateway.bridge.url": "http://127.0.0.1:\(port)/PaymentService/RequestHandler.svc",
            "daybook.gateway.bridge.user": "u", "daybook.gateway.bridge.password": "pw-1",
            "daybook.gateway.bridge.merchant.code": "320000",
            "daybook.gateway.bridge.merchant.account": "320001",
            // A call of a killed server ends after these limits plus the tolerance for clocks.
            "daybook.gateway.bridge.connect.seconds": "1", "daybook.gateway.bridge.read.seconds": "4",
            "daybook.gateway.bridge.total.seconds": "5", "daybook.gateway.bridge.wait.seconds": "2",
            // Every fourth call fails; the breaker must not open because of that.
            "daybook.gateway.bridge.failures.to.open": "1000",
            "daybook.gateway.bridge.concurrent": "16", "daybook.replay.concurrent": "16",
            "daybook.replay.rules": "wait.unposted=3;query.intervals=1 1 2",
            "daybook.replay.lease.seconds": "3",
            "daybook.vault.key": Data(repeating: 9, count: 32).base64EncodedString(),
        ]
    }

    private static func gateway(_ settings: [String: String]) throws -> any PaymentGateway {
        let given = Dictionary(
            uniqueKeysWithValues: settings.map { key, value in
                (
                    AbsoluteConfigKey(key.split(separator: ".").map(String.init), context: [:]),
                    ConfigValue(.string(value), isSecret: false)
                )
            }
        )
        let configurations = try GatewayConfiguration.all(
            in: ConfigReader(provider: InMemoryProvider(values: given))
        )
        guard let configuration = configurations.first else { throw TestKitError("no gateway is configured") }
        return HTTPGateway(configuration, clock: SystemClock())
    }
}
