import Access
import Canonical
import EventLog
import Payments
import Testing

/// What a till relays, against what a server reports that got its documents from the gateway.
@Suite struct RelayedDocumentTests {
    private static let server: Set<Scope> = [.documents, .evidence, .read]

    private func sale() throws -> JSONValue { try Sample.named("MSR sale").record }

    /// A follow-up on the sale.
    private func followUp(_ type: String, _ message: String, _ code: String) throws -> JSONValue {
        try Sample.named("Capture with tip")
            .with("body", "BPNPaymentRequest", "pnRefNum", as: "214973401")
            .with("body", "BPNPaymentRequest", "transactionType", as: .string("TRANSACTION_TYPE_\(type)"))
            .with("body", "BPNPaymentRequest", "amount", as: "5.50")
            .with("body", "BPNPaymentRequest", "tipAmount", as: nil)
            .with("body", "BridgeCommResponse", "gatewayTransactionID", as: "214973401")
            .with("body", "BridgeCommResponse", "requestType", as: .string(code))
            .with("body", "BridgeCommResponse", "gatewayMessage", as: .string(message))
            .record
    }

    private func void() throws -> JSONValue { try followUp("VOID", "A03 - Void Posted", "012") }

    /// The sale, as declined.
    private func decline() throws -> JSONValue {
        try Sample.named("MSR sale")
            .with("body", "BridgeCommResponse", "gatewayMessage", as: "D03 - Declined")
            .with("body", "BridgeCommResponse", "gatewayResult", as: "10003")
            .record
    }

    private func payment(_ id: String, _ caller: Caller) async throws -> JSONValue {
        let events = try await caller.get("/v1/transactions/\(id)/events").json["items"]?.array ?? []
        let last = events.compactMap { $0["position"]?.int64 }.max() ?? 0
        return try await caller.get("/v1/transactions/\(id)?min_position=\(last)").json
    }

    private func captured(_ payment: JSONValue) -> Int64? { payment["amounts"]?["captured"]?["value"]?.int64 }

    private func kinds(_ answer: JSONValue) -> [String] {
        answer["anomalies"]?.array?.compactMap { $0["kind"]?.string } ?? []
    }

    /// The evidence that each event of a type states.
    private func evidence(of type: String, _ api: TestAPI) async throws -> [String?] {
        try await api.events().filter { $0.type == type }.map { try JSONValue(parsing: $0.data)["evidence"]?.string }
    }

    @Test func aRelayedVoidDoesNotEndWhatTheGatewayReports() async throws {
        try await TestAPI.serve { api in
            let server = try await api.caller(Self.server)
            let till = try await api.caller([.documents])
            let id = try #require(try await server.take("bridgepay", sale())["transaction"]?.string)
            let before = try await payment(id, server)
            let answer = try await till.take("bridgepay", void())
            #expect(answer["transaction"]?.string == id && kinds(answer) == ["follow-up-in-doubt"])
            #expect(try await evidence(of: "Voided", api) == ["relayed"])
            let after = try await payment(id, server)
            #expect(captured(after) == 550 && after["status"] == "captured" && after["inDoubt"] == true)
            #expect(after["amounts"] == before["amounts"] && after["outcome"] == before["outcome"])
            #expect(after["outcomeEvidence"] == "gateway")
            // A further made-up void changes nothing, and ends nothing.
            let again = try await till.take("bridgepay", try void().setting(["occurredAt"], to: "2026-03-01T12:00:00Z"))
            #expect(kinds(again) == [], "\(again)")
            #expect(try await payment(id, server)["anomalies"]?.array?.count == 1)
            // The gateway's own report of the void counts.
            _ = try await server.take(
                "bridgepay",
                try void().setting(["occurredAt"], to: "2026-03-01T13:00:00Z")
            )
            #expect(try await api.events().last?.type == "AnomalyCleared")
            let last = try await payment(id, server)
            #expect(last["status"] == "voided" && captured(last) == 0 && last["inDoubt"] == false)
        }
    }

    /// The till's sale and void arrive before the gateway's report of the sale.
    @Test func aRelayedVoidThatCameFirstDoesNotEndWhatTheGatewayReports() async throws {
        try await TestAPI.serve { api in
            let server = try await api.caller(Self.server)
            let till = try await api.caller([.documents])
            let id = try #require(try await till.take("bridgepay", sale())["transaction"]?.string)
            #expect(kinds(try await till.take("bridgepay", void())) == [])
            #expect(captured(try await payment(id, server)) == 0)
            let webhook = try Sample.named("MSR sale")
                .with("body", "BridgeCommResponse", "internalMessage", as: "Approved")
                .record
            let answer = try await server.take("bridgepay", webhook)
            #expect(answer["transaction"]?.string == id && kinds(answer) == ["follow-up-in-doubt"])
            let restored = try await payment(id, server)
            #expect(captured(restored) == 550 && restored["status"] == "captured" && restored["inDoubt"] == true)
            #expect(restored["captures"]?[0]?["evidence"] == "gateway")
            _ = try await server.take("bridgepay", try void().setting(["occurredAt"], to: "2026-03-01T13:00:00Z"))
            let last = try await payment(id, server)
            #expect(captured(last) == 0 && last["status"] == "voided" && last["inDoubt"] == false)
        }
    }

    /// A closing that a till made up takes nothing from the gateway's own void, and ends no doubt.
    @Test func aRelayedClosingConcludesNothingAboutAVoid() async throws {
        try await TestAPI.serve { api in
            let server = try await api.caller(Self.server)
            let till = try await api.caller([.documents])
            let (sale, closing) = try batchDocuments()
            let id = try #require(try await server.take("dejavoo", sale)["transaction"]?.string)
            _ = try await till.take("dejavoo", closing)
            _ = try await settled(id, by: "gateway", server)
            func voids(_ caller: Caller, by evidence: String) async throws -> Bool {
                let data: JSONValue = ["id": "void", "evidence": .string(evidence), "response": [:], "references": [:]]
                let event: JSONValue = [
                    "type": "Voided", "schema": 1, "occurredAt": "2026-03-01T12:00:00Z", "data": data,
                ]
                let record: JSONValue = ["stream": .string("transaction/\(id)"), "events": [event]]
                let fields = ["Content-Type": "application/json"]
                return try await caller.send("POST", "/v1/events", fields, body: record.text).status == 201
            }
            let reporter = try await api.caller([.events])
            #expect(try await voids(reporter, by: "reader"))
            let doubted = try await payment(id, server)
            #expect(captured(doubted) == 1340 && doubted["inDoubt"] == true)
            let mirror = try await api.caller([.events, .evidence])
            #expect(try await voids(mirror, by: "gateway"))
            let last = try await payment(id, server)
            #expect(captured(last) == 0 && last["status"] == "voided" && last["inDoubt"] == false)
        }
    }

    @Test func aRelayedDeclineContradictsTheGateway() async throws {
        try await TestAPI.serve { api in
            let server = try await api.caller(Self.server)
            let till = try await api.caller([.documents])
            let id = try #require(try await server.take("bridgepay", sale())["transaction"]?.string)
            #expect(kinds(try await till.take("bridgepay", decline())).contains("conflicting-outcome"))
            let after = try await payment(id, server)
            #expect(captured(after) == 550 && after["outcome"] == "approved" && after["outcomeEvidence"] == "gateway")
            #expect(after["facets"]?["gateway"]?["outcome"] == "approved")
            #expect(after["facets"]?["gateway"]?["relayed"] == nil)
            #expect(try await evidence(of: "Declined", api) == ["relayed"])
        }
    }

    @Test func theGatewaysDeclineDisplacesARelayedApproval() async throws {
        try await TestAPI.serve { api in
            let server = try await api.caller(Self.server)
            let till = try await api.caller([.documents])
            let id = try #require(try await till.take("bridgepay", sale())["transaction"]?.string)
            let before = try await payment(id, server)
            #expect(captured(before) == 550 && before["outcomeEvidence"] == "relayed")
            #expect(before["captures"]?[0]?["evidence"] == "relayed")
            #expect(before["facets"]?["gateway"]?["relayed"] == true)
            #expect(kinds(try await server.take("bridgepay", decline())).contains("conflicting-outcome"))
            let after = try await payment(id, server)
            #expect(captured(after) == 0 && after["outcome"] == "declined" && after["outcomeEvidence"] == "gateway")
            #expect(after["facets"]?["gateway"]?["outcome"] == "declined")
        }
    }

    /// A void among relayed documents counts as before.
    @Test func aTillVoidsWhatOnlyItReports() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.documents, .read])
            let id = try #require(try await till.take("bridgepay", sale())["transaction"]?.string)
            #expect(kinds(try await till.take("bridgepay", void())) == [])
            let after = try await payment(id, till)
            #expect(after["status"] == "voided" && captured(after) == 0 && after["inDoubt"] == false)
        }
    }

    /// The same document is a repeat, also if the second sender vouches.
    @Test func aRepeatKeepsTheRankOfTheFirst() async throws {
        try await TestAPI.serve { api in
            let server = try await api.caller(Self.server)
            let till = try await api.caller([.documents])
            #expect(try await till.post("bridgepay", sale()).status == 201)
            let again = try await server.post("bridgepay", sale())
            #expect(again.fields["idempotency-replayed"] == "true")
            #expect(try await evidence(of: "Captured", api) == ["relayed"])
        }
    }

    private func batchDocuments() throws -> (sale: JSONValue, closing: JSONValue) {
        let sale = try Sample.named("Tap-to-pay sale (V2)").with("terminal", as: "794524937054").record
        let closing = try Sample.named("Batch settlement (V2)").with("body", "batch_no", as: 121)
            .with("body", "timeStamp", as: "20240222230000").record
        return (sale, closing)
    }

    private func settled(_ id: String, by evidence: String, _ caller: Caller) async throws -> JSONValue {
        try await eventually {
            try await caller.get("/v1/transactions/\(id)").json
        } is: {
            $0["status"] == "settled" && $0["captures"]?[0]?["evidence"]?.string == evidence
        }
    }

    /// The closing of a till settles its payments, and raises none of them to evidence of settlement.
    @Test func aRelayedClosingIsNoEvidenceOfSettlement() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.documents, .read])
            let (sale, closing) = try batchDocuments()
            let id = try #require(try await till.take("dejavoo", sale)["transaction"]?.string)
            let batch = try #require(try await till.take("dejavoo", closing)["batch"]?.string)
            let payment = try await settled(id, by: "relayed", till)
            #expect(captured(payment) == 1340 && payment["facets"]?["settlement"]?["relayed"] == true)
            #expect(try await evidence(of: "Settled", api) == ["relayed"])
            #expect(try await till.get("/v1/batches/\(batch)").json["evidence"] == "relayed")
            // A server reports the same closing: now it is settlement's.
            let server = try await api.caller(Self.server)
            let vouched = closing.setting(["body", "transaction_id"], to: nil)
            _ = try await server.take("dejavoo", vouched)
            let raised = try await eventually {
                try await server.get("/v1/transactions/\(id)").json
            } is: {
                $0["facets"]?["settlement"]?["relayed"] == nil
            }
            // It names no amount, so the amount is still the till's.
            #expect(captured(raised) == 1340 && raised["captures"]?[0]?["evidence"] == "relayed")
            let view = try await eventually {
                try await server.get("/v1/batches/\(batch)").json
            } is: {
                $0["evidence"] == "settlement"
            }
            #expect(view["status"] == "closed")
        }
    }

    @Test func aVouchedClosingIsEvidenceOfSettlement() async throws {
        try await TestAPI.serve { api in
            let server = try await api.caller(Self.server)
            let till = try await api.caller([.documents])
            let (sale, closing) = try batchDocuments()
            let id = try #require(try await server.take("dejavoo", sale)["transaction"]?.string)
            // A made-up closing does not lower what the gateway reports.
            _ = try await till.take("dejavoo", closing)
            _ = try await settled(id, by: "gateway", server)
            _ = try await server.take("dejavoo", closing.setting(["body", "transaction_id"], to: nil))
            #expect(captured(try await settled(id, by: "settlement", server)) == 1340)
        }
    }

    /// No document of a till yields evidence above `relayed`, and documents of a server keep theirs.
    @Test(arguments: [[.documents], [.documents, .evidence]] as [Set<Scope>])
    func everySampleHasTheRankOfItsSender(scopes: Set<Scope>) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller(scopes)
            for sample in try Sample.all() {
                #expect(try await caller.post(sample.vendor, sample.record).status == 201, "\(sample)")
            }
            var found: Set<Evidence> = []
            for event in try await api.events() {
                let data = try JSONValue(parsing: event.data)
                guard let evidence = data["evidence"]?.string.flatMap(Evidence.init(rawValue:)) else { continue }
                found.insert(evidence)
            }
            let expected: Evidence = scopes.contains(.evidence) ? .settlement : .relayed
            #expect(found.allSatisfy { $0.rank <= expected.rank }, "\(found)")
            #expect(found.contains(scopes.contains(.evidence) ? .gateway : .relayed))
        }
    }
}
