import Canonical
import Configuration
import DaybookTestKit
import Foundation
import Gateways
import Payments
import PostgresCluster
import Simulator
import Testing

/// A gateway that loses answers, two servers that are killed, and a database that is: in the end every payment is closed
/// by evidence, no card was charged twice, and the ledger has what the gateway has, to the cent.
///
/// What a killed server had asked the gateway is taken to be under way for three minutes: `make proof` runs it.
@Suite(.timeLimit(.minutes(60))) struct ReplayProofTests {
    private static let payments = ProcessInfo.processInfo.environment["DAYBOOK_PROOF_PAYMENTS"].flatMap { Int($0) }
    private static let faults = "lost=20,duplicate=5,slow=5,fail=5"

    @Test(.enabled(if: payments != nil, "DAYBOOK_PROOF_PAYMENTS says how many"))
    func nothingIsChargedTwiceWhateverDies() async throws {
        var random = SeededGenerator.forTest()
        try await PrivateServer.with { cluster, url in
            try await Daybook.with(environment: ["DATABASE_URL": url]) { plain in
                let gateway = try await plain.start([
                    "simulate", "gateway", "--json", "--bridgepay", "0", "--books", "books.ndjson", "--seed", "11",
                    "--faults", Self.faults, "--slow-seconds", "1", "--take-duplicates",
                ])
                let line = try await gateway.line(startingWith: "{\"listening\"")
                let told = try JSONValue(parsing: Array(line.utf8))["listening"]?["bridgepay"]?.string
                let port = try #require(told.flatMap { URL(string: $0)?.port })
                let settings = Self.settings(port)
                var environment = ["DATABASE_URL": url]
                for (key, value) in settings {
                    environment[key.uppercased().replacing(".", with: "_")] = value
                }
                let daybook = Daybook(directory: plain.directory, environment: environment)
                var proof = Proof(
                    daybook: daybook,
                    cluster: cluster,
                    gatewayPort: port,
                    gateway: try Self.gateway(settings),
                    keys: Keys(
                        app: try await daybook.key(),
                        planner: try await daybook.key(scopes: "read,replay:plan"),
                        approver: try await daybook.key(scopes: "read,replay:approve")
                    ),
                    servers: [try await daybook.serve(), try await daybook.serve()]
                )
                try await proof.run(try #require(Self.payments), &random)
                gateway.send(15)
                #expect(try await gateway.waitForExit() == 0)
            }
        }
    }

    private static func settings(_ port: Int) -> [String: String] {
        [
            "daybook.gateways": "bridge", "daybook.gateway.bridge.kind": "bridgecomm",
            "daybook.gateway.bridge.url": "http://127.0.0.1:\(port)/PaymentService/RequestHandler.svc",
            "daybook.gateway.bridge.user": "u", "daybook.gateway.bridge.password": "pw-1",
            "daybook.gateway.bridge.merchant.code": "320000",
            "daybook.gateway.bridge.merchant.account": "320001",
            // Every fourth call fails: that is no reason to leave this gateway alone.
            "daybook.gateway.bridge.failures.to.open": "1000",
            "daybook.gateway.bridge.concurrent": "16",
            "daybook.replay.rules": "wait.unposted=3;ask.intervals=1 1 2",
            "daybook.replay.lease.seconds": "3",
            "daybook.vault.key": Data(repeating: 9, count: 32).base64EncodedString(),
        ]
    }

    /// The gateway as the app calls it.
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
        return try #require(GatewayRegistry(configurations, clock: SystemClock()).gateways.first)
    }
}

/// Whose keys they are.
private struct Keys: Sendable {
    let app: String
    let planner: String
    let approver: String
}

private struct Proof {
    let daybook: Daybook
    let cluster: PostgresCluster
    let gatewayPort: Int
    let gateway: any PaymentGateway
    let keys: Keys
    var servers: [RunningServer]

    private static let rounds = 6

    mutating func run(_ payments: Int, _ random: inout SeededGenerator) async throws {
        let sold = try await sell(payments, seed: random.next())
        #expect(sold.count == payments)
        var rounds = 0
        // A payment that is asked for again can be lost again, and some amounts the network answers with an error every time.
        while rounds < Self.rounds {
            try await settled()
            guard let plan = try await plan() else { break }
            rounds += 1
            try await kill(during: plan, isFirst: rounds == 1, &random)
            try await completed(plan)
        }
        #expect(rounds > 0, "nothing was replayed")
        try await settled()
        try await compare(sold)
        for server in servers { #expect(try await server.stop() == 0) }
    }

    // MARK: The app

    private static func doubtful(_ reference: String, _ invoice: String, _ amount: Money) -> JSONValue {
        [
            "kind": "NSError", "transaction": .string(reference),
            "body": [
                "BPNPaymentRequest": [
                    "invoiceNumber": .string(invoice), "amount": .string(amount.decimalText),
                    "tenderType": "TENDER_TYPE_CREDIT", "transactionType": "TRANSACTION_TYPE_SALE",
                    "merchantAccountCode": "320001",
                ],
                // The request timed out.
                "NSError": ["domain": "NSURLErrorDomain", "code": "-1001"],
            ],
        ]
    }

    /// Sells, and tells the ledger what came of it as far as the app knows.
    ///
    /// - Returns: The payments, by the names they were sent to the gateway with.
    private func sell(_ count: Int, seed: UInt64) async throws -> [String: String] {
        let ports = servers.map(\.port)
        return try await withThrowingTaskGroup(of: [String: String].self) { group in
            for worker in 0..<16 {
                group.addTask { [gateway, keys] in
                    var sold: [String: String] = [:]
                    var random = SeededGenerator(seed: seed &+ UInt64(worker))
                    for number in stride(from: worker + 1, through: count, by: 16) {
                        let reference = "app-\(number)"
                        let invoice = "INV\(number)"
                        // Most are approved; some are declined, and of some the network says nothing.
                        let cents =
                            number % 20 == 0
                            ? Int64.random(in: 12_000...14_999, using: &random)
                            : Int64.random(in: 500...6_999, using: &random)
                        let amount = Money(cents, .usd)
                        let outcome = await gateway.call(
                            GatewayCall(
                                .sale,
                                reference: reference,
                                amount: amount,
                                invoice: invoice,
                                token: Secret("11110000000000001111")
                            )
                        )
                        var record = Self.doubtful(reference, invoice, amount)
                        if case .answered(let answer) = outcome, let document = answer.document {
                            record = [
                                "kind": .string(document.kind), "transaction": .string(reference),
                                "body": document.body,
                            ]
                        }
                        let answer = try await Self.send(
                            "POST",
                            "/v1/intake/bridgepay",
                            record,
                            to: ports,
                            key: keys.app,
                            from: number
                        )
                        guard let id = answer["transaction"]?.string else {
                            throw TestKitError("\(number): \(answer.text)")
                        }
                        sold[reference] = id
                        _ = try await Self.send(
                            "PUT",
                            "/v1/transactions/\(id)/card-token",
                            ["token": "11110000000000001111"],
                            to: ports,
                            key: keys.app,
                            from: number
                        )
                    }
                    return sold
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
    }

    /// Sends until it is answered: a server, or the database, may be away.
    private static func send(
        _ method: String,
        _ target: String,
        _ body: JSONValue,
        to ports: [Int],
        key: String,
        from first: Int = 0
    ) async throws -> JSONValue {
        var turn = first
        while true {
            try Task.checkCancellation()
            turn += 1
            let client = APIClient(port: ports[turn % ports.count], key: key)
            let request = HTTPRequest(
                method: method,
                target: target,
                fields: [("Content-Type", "application/json")],
                body: body.canonicalBytes
            )
            guard let answer = try? await client.send(request), answer.status != 503 else {
                await Task.yield()
                continue
            }
            let json = try JSONValue(parsing: answer.body)
            guard answer.status < 300 || answer.status == 409 || answer.status == 422 else {
                throw TestKitError("\(target): \(answer.status) \(answer.text)")
            }
            return json
        }
    }

    private func get(_ target: String) async throws -> JSONValue {
        var turn = 0
        while true {
            try Task.checkCancellation()
            turn += 1
            let client = APIClient(port: servers[turn % servers.count].port, key: keys.planner)
            if let answer = try? await client.send(HTTPRequest(target: target)), answer.status == 200 {
                return try JSONValue(parsing: answer.body)
            }
        }
    }

    // MARK: Resolving and replaying

    /// Returns once nothing is in doubt any more.
    private func settled() async throws {
        while try await get("/v1/in-doubt?limit=1")["items"]?.array?.isEmpty == false {
            try await nextEvent()
        }
    }

    /// Returns when something was recorded, or might have been.
    private func nextEvent() async throws {
        try await Task.sleep(for: .milliseconds(200))
    }

    /// A plan of everything that was never posted, approved and started; nil where there is nothing to ask for.
    private func plan() async throws -> String? {
        let ports = servers.map(\.port)
        let asked: JSONValue = ["filter": ["status": "not-posted"], "reason": "answers were lost"]
        let made = try await Self.send("POST", "/v1/replays", asked, to: ports, key: keys.planner)
        if made["code"] == "replay-nothing-found" { return nil }
        guard let id = made["id"]?.string else { throw TestKitError("\(made.text)") }
        let reason: JSONValue = ["reason": "looked at"]
        let approved = try await Self.send(
            "POST",
            "/v1/replays/\(id)/approve",
            reason,
            to: ports,
            key: keys.approver
        )
        #expect(approved["status"] == "approved", "\(approved.text)")
        let started = try await Self.send("POST", "/v1/replays/\(id)/start", reason, to: ports, key: keys.planner)
        #expect(started["status"] == "running" || started["code"] == "replay-already-started", "\(started.text)")
        return id
    }

    /// Kills both servers in turn, and the database, while the plan is carried out.
    private mutating func kill(during plan: String, isFirst: Bool, _ random: inout SeededGenerator) async throws {
        guard isFirst else { return }
        let open = try await get("/v1/replays/\(plan)")["progress"]?["toAttempt"]?.int64 ?? 0
        for victim in 0..<3 {
            // At some moment while there is work left.
            let moment = open * Int64(victim) / 4 + Int64.random(in: 0...max(1, open / 4), using: &random)
            while true {
                let now = try await get("/v1/replays/\(plan)")
                let attempted = now["progress"]?["attempted"]?.int64 ?? 0
                if attempted >= min(moment, open) || now["status"] == "completed" { break }
                try await nextEvent()
            }
            switch victim {
            case 1:
                try await PostgresProcesses(of: cluster).kill()
                await (try await cluster.start()).release()
            default:
                let index = victim == 0 ? 0 : 1
                let port = servers[index].port
                try await servers[index].process.kill()
                servers[index] = try await daybook.serve(port: port)
            }
        }
    }

    private func completed(_ plan: String) async throws {
        while try await get("/v1/replays/\(plan)")["status"] != "completed" { try await nextEvent() }
    }

    // MARK: The books

    private func compare(_ sold: [String: String]) async throws {
        // Which payment each call was for, by the name the gateway has for the call.
        var payments = sold
        var after = ""
        repeat {
            let page = try await get("/v1/events?type=GatewayCallSent&limit=1000\(after)")
            for event in page["items"]?.array ?? [] {
                guard let reference = event["data"]?["reference"]?.string, event["data"]?["operation"] == "sale",
                    let stream = event["stream"]?.string
                else { continue }
                payments[reference] = String(stream.dropFirst("transaction/".count))
            }
            after = page["next"]?.string.map { "&cursor=\($0)" } ?? ""
        } while !after.isEmpty
        let books = try await APIClient(port: gatewayPort, key: nil).send(HTTPRequest(target: "/standin/books"))
        var charged: [String: [BookedPayment]] = [:]
        var gatewayTotal: Int64 = 0
        for line in books.text.split(separator: "\n") {
            let booked = try JSONValueDecoder().decode(BookedPayment.self, from: try JSONValue(parsing: line.utf8))
            guard booked.isCharge else { continue }
            gatewayTotal += booked.captured
            guard let payment = payments[booked.reference] else {
                Issue.record("nobody knows the charge \(booked.reference)")
                continue
            }
            charged[payment, default: []].append(booked)
        }
        #expect(charged.values.filter { $0.count > 1 }.isEmpty, "charged twice")

        var ledgerTotal: Int64 = 0
        var seen = 0
        after = ""
        repeat {
            let page = try await get("/v1/transactions?limit=1000\(after)")
            for payment in page["items"]?.array ?? [] {
                seen += 1
                let id = payment["id"]?.string ?? ""
                let status = payment["status"]?.string ?? ""
                let captured = payment["amounts"]?["captured"]?["value"]?.int64 ?? 0
                ledgerTotal += captured
                let booked = charged[id]?.reduce(0) { $0 + $1.captured } ?? 0
                if captured != booked {
                    Issue.record("\(id) is \(status) with \(captured), and \(booked) at the gateway")
                }
                #expect(["captured", "declined", "not-posted"].contains(status), "\(id) is \(status)")
            }
            after = page["next"]?.string.map { "&cursor=\($0)" } ?? ""
        } while !after.isEmpty
        #expect(seen == sold.count)
        #expect(ledgerTotal == gatewayTotal && gatewayTotal > 0)
    }
}
