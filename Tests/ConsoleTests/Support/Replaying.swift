import Canonical
import Composition
import Configuration
import DaybookTestKit
import EventLog
import Gateways
import Intake
import Payments
import Postgres
import Projections
import Redaction
import Replay
import ReplayRules
import Testing

/// Replay plans with a gateway that is configured and never called.
enum Replaying {
    static func gateways() throws -> [GatewayConfiguration] {
        let values = [
            "daybook.gateways": "bridge", "daybook.gateway.bridge.kind": "bridgecomm",
            "daybook.gateway.bridge.tenant": "acme",
            "daybook.gateway.bridge.url": "http://127.0.0.1:9/PaymentService/RequestHandler.svc",
            "daybook.gateway.bridge.user": "u", "daybook.gateway.bridge.password": "pw-1",
            "daybook.gateway.bridge.merchant.code": "320000", "daybook.gateway.bridge.merchant.account": "320001",
        ]
        let given = Dictionary(
            uniqueKeysWithValues: values.map { key, value in
                (
                    AbsoluteConfigKey(key.split(separator: ".").map(String.init), context: [:]),
                    ConfigValue(.string(value), isSecret: false)
                )
            }
        )
        return try GatewayConfiguration.all(in: ConfigReader(provider: InMemoryProvider(values: given)))
    }

    /// Options without delays between attempts.
    static var options: ReplayOptions {
        var options = ReplayOptions()
        options.vaultKey = Array(repeating: 3, count: 32)
        options.queriesOnlyStandIns = true
        options.overrides = ["window.duplicate=0", "wait.retry=0", "wait.retry-later=0"]
        return options
    }
}

extension TestConsole {
    /// A sale that BridgePay declined, for a temporary reason unless the code is a hard decline, with the card's token.
    func declined(_ number: Int, code: String = "30043", in ledger: Ledger? = nil) async throws -> String {
        let record: JSONValue = [
            "kind": "BPNPayment", "transaction": .string("declined-\(number)"),
            "body": [
                "BPNPaymentRequest": [
                    "invoiceNumber": .string("88\(number)"), "amount": .string("\(5 + number).50"),
                    "tenderType": "TENDER_TYPE_CREDIT", "transactionType": "TRANSACTION_TYPE_SALE",
                    "merchantAccountCode": "320001",
                ],
                "BridgeCommResponse": [
                    "transactionID": .string("88\(number)"), "requestType": "004", "responseCode": .string(code),
                    "responseDescription": "Card Processor Error",
                    "gatewayTransactionID": .string("2149734\(10 + number)"),
                    "gatewayMessage": code == "30043" ? "D17 - Card Processor Error" : "D04 - Hold Card",
                    "gatewayResult": .string(code), "ISOCurrencyCode": "USD",
                    "originalAmount": .string("$\(5 + number).50"),
                ],
            ],
        ]
        let taken = try await take("bridgepay", record)
        let id = try #require(StreamName.transactionID(taken.stream).flatMap { UUID128($0) })
        _ = try await (ledger ?? self.ledger).replay.cards.keep("11110000000000001111", of: id, tenant: "acme")
        return id.text
    }

    /// Appends the events of an execution: the first items end, the others stay open.
    func execute(_ plan: UUID128, _ ends: [ReplayItemEnd.End]) async throws {
        let sender = Sender(tenant: "acme", actor: "system:replay", correlation: "test")
        let stream = StreamName.replay(plan)
        var folded = ReplayPlan(folding: try await ledger.reader.stream(stream, of: "acme").map { try ReplayEvent($0) })
        func append(_ event: ReplayEvent) async throws {
            let item = AppendItem(
                tenant: "acme",
                stream: stream,
                expected: .version(folded.version),
                events: [try ProposedEvent(event, id: ledger.ids.next(), at: ledger.clock.now(), by: sender)]
            )
            guard case .appended = try await ledger.sequencer.append(item) else {
                throw TestKitError("\(event.type) was not appended")
            }
            folded.fold(event)
        }
        for (item, end) in zip(folded.openItems.map(\.planned), ends) {
            let reference = "DBR\(item.number)"
            try await append(
                try folded.attempt(item.number, version: item.version, reference: reference, at: ledger.clock.now())
            )
            try await append(try folded.end(item.number, end, detail: "A01"))
        }
        if folded.openCount == 0 {
            try await append(.completed(ReplayCompletion(ends: folded.ends)))
        }
        try await ledger.catchUp()
    }

    /// Plans in several states, made by a ledger with a gateway.
    ///
    /// - Parameter evidence: The keys of the log, if it is signed.
    func planReplays(signing evidence: EvidenceOptions = .init()) async throws {
        let planning = Ledger(
            configuration: PostgresConfiguration(connectionString: url),
            connections: 3,
            acquireTimeout: .seconds(60),
            signing: evidence,
            gateways: try Replaying.gateways(),
            replaying: Replaying.options,
            clock: ledger.clock,
            logger: log.logger
        )
        try await planning.run(for: .appending) {
            var ids: [UUID128] = []
            for (number, code) in [(1, "30043"), (2, "30043"), (3, "30043"), (4, "30034")] {
                let id = try await declined(number, code: code, in: planning)
                ids.append(try #require(UUID128(id)))
            }
            _ = try await plan(ids, "not reviewed yet", planning)
            try await act(.reject, try await plan(ids, "too early", planning), "bob", planning)
            let running = try await plan(ids, "the issuer was down", planning)
            try await act(.approve, running, "bob", planning)
            try await act(.start, running, "ann", planning)
            try await execute(running, [.posted, .declined])
        }
        try await ledger.catchUp()
    }

    private func plan(_ ids: [UUID128], _ reason: Reason, _ ledger: Ledger) async throws -> UUID128 {
        let asked = PlanRequest(.transactions(ids), reason: reason)
        return try await ledger.replay.planner.plan(asked, sender: sender("ann"), waitLimit: .seconds(60)).plan
    }

    private func act(_ action: ReplayAction, _ plan: UUID128, _ name: String, _ ledger: Ledger) async throws {
        _ = try await ledger.replay.commands.act(
            action,
            on: plan,
            authority: ReplayAuthority(
                ReplayActor(name: "cli:\(name)", holder: name),
                mayPlan: true,
                mayApprove: true
            ),
            reason: "because of \"it\" & that",
            sender: sender(name)
        )
    }

    private func sender(_ name: String) -> Sender {
        Sender(tenant: "acme", actor: "cli:\(name)", correlation: "test", holder: name)
    }
}
