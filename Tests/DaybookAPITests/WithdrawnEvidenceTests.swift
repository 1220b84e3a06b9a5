import Access
import Canonical
import EventLog
import Testing

/// Payments in doubt whose evidence was a statement that is withdrawn, checked against the OpenAPI document.
@Suite struct WithdrawnEvidenceTests {
    private static let id = "0198c1c2-6a00-7000-8000-000000000103"
    private static let withdrawnPayment = "withdrawn-payment"
    private static let line = "sale,USD,7.00,-0.20,6.80,g-3,2026-03-01,8846"

    /// Runs with a payment in doubt and a caller with all scopes it needs.
    private func payment(_ body: @escaping @Sendable (Caller, TestAPI) async throws -> Void) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            let reported = try await caller.send(
                "POST",
                "/v1/events",
                ["Content-Type": "application/json"],
                body: ReconciliationRunTests.doubt(3, 700).text
            )
            #expect(reported.status == 201, "\(reported.body)")
            try await body(caller, api)
        }
    }

    private func send(_ caller: Caller, _ path: String, _ body: String, _ type: String) async throws -> Answer {
        let answer = try await caller.send("POST", path, ["Content-Type": type], body: body)
        #expect(answer.status == 201, "\(answer.body)")
        return answer
    }

    /// - Returns: The id of the statement.
    private func statement(_ rows: [String], _ caller: Caller) async throws -> String {
        let text = (["type,currency,gross,fee,net,processor_id,day,merchant"] + rows).map { $0 + "\n" }.joined()
        return try #require(try await send(caller, "/v1/statements", text, "text/csv").json["id"]?.string)
    }

    private func withdraw(_ statement: String, _ caller: Caller, _ api: TestAPI) async throws {
        let proposed = try await caller.send(
            "POST",
            "/v1/statements/\(statement)/withdraw",
            ["Content-Type": "application/json"],
            body: #"{"reason":"it is of another shop"}"#
        )
        #expect(try await api.approve(proposed).status == 201)
    }

    /// Reconciles and returns the payment.
    private func reconciled(_ caller: Caller) async throws -> JSONValue {
        let run = try await caller.send("POST", "/v1/reconciliations", [:])
        #expect(run.status == 201, "\(run.body)")
        let position = try #require(run.fields["daybook-position"])
        return try await caller.get("/v1/transactions/\(Self.id)?min_position=\(position)").json
    }

    private func doubts(_ caller: Caller) async throws -> [JSONValue] {
        try await caller.get("/v1/doubts").json["items"]?.array ?? []
    }

    private func count(_ type: String, _ api: TestAPI) async throws -> Int {
        try await api.events().filter { $0.type == type && $0.stream == "transaction/\(Self.id)" }.count
    }

    @Test func thePaymentIsInDoubtUntilAnotherLineProvesIt() async throws {
        try await payment { caller, api in
            let first = try await statement([Self.line], caller)
            let ended = try await reconciled(caller)
            #expect(ended["status"] == "captured" && ended["inDoubt"] == false)

            // The outcome stays recorded, without evidence.
            try await withdraw(first, caller, api)
            let open = try await reconciled(caller)
            #expect(open["status"] == "captured" && open["inDoubt"] == true)
            let doubt = try #require(try await doubts(caller).first)
            #expect(doubt["transaction"]?.string == Self.id && doubt["isOpen"] == true)
            #expect(doubt["doubt"]?["what"]?.string == Self.withdrawnPayment, "\(doubt)")
            #expect(try await count("OutcomeResolved", api) == 1)
            let anomalies = try await caller.get("/v1/anomalies?state=open").json["items"]?.array ?? []
            #expect(anomalies.map { $0["kind"] } == ["follow-up-in-doubt"])
            // A second run raises no second anomaly.
            #expect(try await reconciled(caller)["inDoubt"] == true)
            #expect(try await count("AnomalyRaised", api) == 1)

            // The same line in another file.
            let second = try await statement([Self.line, "fee,USD,-1.00,,-1.00,f-1,2026-03-02,8846"], caller)
            #expect(try await reconciled(caller)["inDoubt"] == false)
            #expect(try await doubts(caller) == [])
            #expect(try await count("AnomalyCleared", api) == 1)
            #expect(try await reconciled(caller)["inDoubt"] == false)

            try await withdraw(second, caller, api)
            #expect(try await reconciled(caller)["inDoubt"] == true)
            #expect(try await count("AnomalyRaised", api) == 2)
            // Another line about the payment. Its fee is not compared with the outcome.
            _ = try await statement(["sale,USD,7.00,-0.30,6.70,g-3,2026-03-01,8846"], caller)
            let last = try await reconciled(caller)
            #expect(last["status"] == "captured" && last["inDoubt"] == false)
            #expect(try await count("OutcomeResolved", api) == 1)
        }
    }

    @Test(arguments: [("approved", "captured"), ("declined", "reversed"), ("not-posted", "reversed")])
    func anOperatorResolvesIt(outcome: String, status: String) async throws {
        try await payment { caller, api in
            let file = try await statement([Self.line], caller)
            #expect(try await reconciled(caller)["inDoubt"] == false)
            try await withdraw(file, caller, api)
            #expect(try await reconciled(caller)["inDoubt"] == true)
            let body = #"{"as":"\#(outcome)","evidence":"the portal","reason":"the file was of another shop"}"#
            let proposed = try await caller.send(
                "POST",
                "/v1/doubts/\(Self.id)/end",
                ["Content-Type": "application/json"],
                body: body
            )
            #expect(try await api.approve(proposed).status == 201)
            let ended = try await caller.get("/v1/doubts/\(Self.id)").json
            #expect(ended["isOpen"] == false && ended["status"]?.string == status, "\(ended)")
            // The operator's evidence is sufficient.
            let after = try await reconciled(caller)
            #expect(after["status"]?.string == status && after["inDoubt"] == false)
            #expect(try await count("AnomalyRaised", api) == 1)
            #expect(try await doubts(caller) == [])
        }
    }
}
