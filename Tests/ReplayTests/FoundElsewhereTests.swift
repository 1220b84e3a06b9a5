import Canonical
import DaybookTestKit
import EventLog
import Gateways
import Payments
import Redaction
import Replay
import Testing

/// Reused names: a transaction found by one need not be the payment in doubt.
@Suite("Transactions found by a reused name") struct FoundElsewhereTests {
    /// Expects that the found transaction does not count as the payment, and that an operator is shown the reason.
    private func expectAnother(_ id: UUID128, _ world: World, reason difference: String) async throws {
        let after = try await world.settle(id, within: 12)
        #expect(after.status == .inDoubt && after.captured == 0 && !after.hasApproval)
        let status = try #require(try await world.status(id))
        #expect(status.next == .person(rule: "doubt.ambiguous") && status.isShown)
        let reported = try #require(status.calls.last?.end)
        #expect(reported.verdict == .ambiguous)
        #expect(reported.differs?.contains(difference) == true, "\(reported.differs ?? "")")
        // Its names are not recorded, so the other payment's next document is not assigned here.
        #expect(after.references.authorizationCode == nil && after.references.retrievalReference == nil)
        // Only codes of the other payment are in the log.
        let events = try await world.log.reader.stream(StreamName.transaction(id), of: "acme")
        #expect(events.count { $0.type == "DocumentReceived" } == 1)
        for event in events where event.type == "GatewayCallAnswered" {
            let data = try JSONValue(parsing: event.data.utf8)
            #expect(data["verdict"] == "ambiguous" && data["response"]?["code"]?.string != nil, "\(data)")
            #expect(data["references"] == [:] && data["response"]?["message"] == nil, "\(data)")
            #expect(data["account"] == nil)
        }
    }

    @Test("BridgePay: yesterday's invoice with another amount, approved or declined, is not today's payment")
    func invoiceOfAnotherAmount() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                try await world.sellElsewhere(2_000, at: "bridge", reference: "Y-1", invoice: "INV1001")
                try await world.sellElsewhere(19_000, at: "bridge", reference: "Y-2", invoice: "INV1002")
                // A smaller amount is not a partial approval, because the requested amount is reported.
                try await world.sellElsewhere(1_000, at: "bridge", reference: "Y-3", invoice: "INV1003")
                for invoice in ["INV1001", "INV1002", "INV1003"] {
                    let id = try await world.begin(.bridgepay, References(invoice: invoice), cents: 1_250)
                    try await expectAnother(id, world, reason: "requested amount")
                }
            }
        }
    }

    @Test("BridgePay: the invoice with its amount is the payment, and one of the day before is not")
    func invoiceOfTheAmount() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                try await world.sellElsewhere(1_250, at: "bridge", reference: "T-1", invoice: "INV1001")
                try await world.sellElsewhere(1_300, at: "bridge", reference: "T-2", invoice: "INV1002")
                let id = try await world.begin(.bridgepay, References(invoice: "INV1001"), cents: 1_250)
                let after = try await world.settle(id)
                #expect(after.status == .captured && after.captured == 1_250)
                log.clock.advance(seconds: 86_400)
                let other = try await world.begin(.bridgepay, References(invoice: "INV1002"), cents: 1_300)
                try await expectAnother(other, world, reason: "time")
            }
        }
    }

    @Test("SPIn: the same ReferenceId with another amount, or in another batch, is another payment")
    func referenceOfAnotherBatch() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                for (reference, cents) in [("1001", Int64(2_100)), ("1002", 1_250), ("1003", 1_250)] {
                    try await world.sellElsewhere(cents, at: "spin", reference: reference)
                }
                func begin(_ reference: String, batch: String? = nil) async throws -> UUID128 {
                    var references = References(gatewayTransaction: reference, terminal: "Z11NATASHA98")
                    references.vendorTransaction = batch.map { "Z11NATASHA98/\($0)/\(reference)" }
                    return try await world.begin(.dejavoo, references, cents: 1_250)
                }
                try await expectAnother(try await begin("1001"), world, reason: "approved amount")
                try await expectAnother(try await begin("1002", batch: "977"), world, reason: "batch")
                let after = try await world.settle(try await begin("1003"))
                #expect(after.status == .captured && after.captured == 1_250)
            }
        }
    }

    @Test("A gateway with another account than the documents name is not queried", arguments: ["320001", "320002"])
    func anotherAccount(account: String) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.begin(
                    .bridgepay,
                    References(invoice: "INV1001"),
                    cents: 1_250,
                    document: ["BPNPaymentRequest": ["merchantAccountCode": .string(account)]]
                )
                let status = try #require(try await world.status(id))
                let asked = world.resolver.queryable(status).map(\.name)
                #expect(asked == (account == "320001" ? ["bridge"] : []))
                let after = try await world.settle(id)
                // Nothing was posted at that account, and the other account is unknown.
                #expect(after.status == (account == "320001" ? .notPosted : .inDoubt))
                #expect(try await world.questions(id).isEmpty == (account != "320001"))
            }
        }
    }

    @Test(
        "A terminal other than the one that took the payment is not queried",
        arguments: ["Z11NATASHA98", "Z11OTHERTPN1"]
    )
    func anotherTerminal(terminal: String) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let references = References(gatewayTransaction: "1001", terminal: terminal)
                let id = try await world.begin(.dejavoo, references, cents: 1_250, terminal: terminal)
                let status = try #require(try await world.status(id))
                #expect(world.resolver.queryable(status).map(\.name) == (terminal == "Z11NATASHA98" ? ["spin"] : []))
            }
        }
    }
}
