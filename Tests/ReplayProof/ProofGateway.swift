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
    /// The settings of servers that may call it, for both tenants.
    let settings: [String: String]
    private let process: ServerProcess

    /// The gateways of the configuration, each with its tenant and its only account.
    static let accounts = [
        (gateway: "bridge", tenant: "acme", account: "320001"), (gateway: "east", tenant: "rival", account: "320002"),
    ]

    static func start(_ daybook: Daybook, faults: String) async throws -> ProofGateway {
        let process = try await daybook.start([
            "simulate", "gateway", "--json", "--bridgepay", "0", "--books", "books.ndjson", "--seed", "11",
            "--faults", faults, "--slow-seconds", "1", "--take-duplicates",
        ])
        let line = try await process.line(startingWith: "{\"listening\"")
        let reported = try JSONValue(parsing: Array(line.utf8))["listening"]?["bridgepay"]?.string
        guard let port = reported.flatMap({ URL(string: $0)?.port }) else { throw TestKitError("no port in \(line)") }
        return ProofGateway(port: port, settings: settings(port), process: process)
    }

    /// The access of the app of a tenant.
    func access(of tenant: String) throws -> any PaymentGateway {
        guard let own = Self.accounts.first(where: { $0.tenant == tenant }) else { throw TestKitError(tenant) }
        var settings = settings
        settings["daybook.gateways"] = own.gateway
        settings["daybook.gateway.\(own.gateway).waiting"] = "256"
        for other in Self.accounts where other.gateway != own.gateway {
            settings = settings.filter { !$0.key.hasPrefix("daybook.gateway.\(other.gateway).") }
        }
        return try Self.gateway(settings)
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

    /// The number of requests that named an account, as the stand-in counted them.
    func requests(of account: String) async throws -> Int64 {
        let summary = try await APIClient(port: port, key: nil).get("/standin/summary")
        return summary["requests"]?[account]?.int64 ?? 0
    }

    private static func settings(_ port: Int) -> [String: String] {
        var settings = [
            "daybook.gateways": accounts.map(\.gateway).joined(separator: ","), "daybook.replay.concurrent": "16",
            "daybook.replay.rules": "wait.unposted=3;query.intervals=1 1" + String(repeating: " 2", count: 60),
            "daybook.replay.lease.seconds": "3",
            "daybook.vault.key": Data(repeating: 9, count: 32).base64EncodedString(),
        ]
        for (gateway, tenant, account) in accounts {
            let own = [
                "kind": "bridgecomm", "mode": "test", "tenant": tenant,
                "url": "http://127.0.0.1:\(port)/PaymentService/RequestHandler.svc",
                "user": "u", "password": "pw-1", "merchant.code": "320000", "merchant.account": account,
                // A call of a killed server ends after these limits plus the tolerance for clocks.
                "connect.seconds": "1", "read.seconds": "4", "total.seconds": "5", "wait.seconds": "2",
                // Every fourth call fails; the breaker must not open because of that.
                "failures.to.open": "1000", "concurrent": "16",
            ]
            for (key, value) in own { settings["daybook.gateway.\(gateway).\(key)"] = value }
        }
        return settings
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
