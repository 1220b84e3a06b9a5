import Canonical
import Testing

/// The payments of the vendors' manuals, as the API returns them.
@Suite struct PaymentTests {
    private func value(_ json: JSONValue?, _ name: String) -> Int64? { json?["amounts"]?[name]?["value"]?.int64 }

    @Test func anAuthorisationAndItsCaptureAreOnePayment() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let first = try await caller.take("bridgepay", Sample.named("Authorisation").record)
            let second = try await caller.take("bridgepay", Sample.named("Capture with tip").record)
            #expect(first["transaction"] == second["transaction"])
            let found = try await caller.get("/v1/transactions?gateway_id=214972201&min_position=5").json["items"]?
                .array
            #expect(found?.count == 1)
            let payment = try #require(found?.first)
            #expect(payment["status"] == "captured")
            #expect(payment["operation"] == "authorization")
            #expect(value(payment, "authorized") == 750)
            #expect(value(payment, "captured") == 950)
            #expect(value(payment, "tip") == 200)
            #expect(payment["facets"]?["gateway"]?["outcome"] == "approved")
            #expect(payment["facets"]?["reader"] == nil)
            #expect(payment["anomalies"] == [])
            try await checkReceipt(of: try #require(payment["id"]?.string), caller)
        }
    }

    private func checkReceipt(of id: String, _ caller: Caller) async throws {
        let path = "/v1/transactions/\(id)/receipt"
        let receipt = try await caller.get("\(path)?min_position=5").json
        #expect(receipt["total"] == ["value": 950, "currency": "USD"])
        #expect(receipt["tip"] == ["value": 200, "currency": "USD"])
        #expect(receipt["authorized"] == ["value": 750, "currency": "USD"])
        #expect(receipt["authorizationCode"] == "786986")
        #expect(receipt["card"]?["applicationIdentifier"] == "A0000000031010")
        #expect(receipt["card"]?["applicationLabel"] == "VISA DEBIT")
        #expect(receipt["card"]?["entryMethod"] == "Chip_Read")
        #expect(receipt["card"]?["maskedNumber"] == "************9269")
        let merchants = try await caller.get("\(path)?copy=merchant").json
        #expect(merchants["card"]?["maskedNumber"] == "4***********9269")
        #expect(receipt["verification"] == "signature")
        for copy in ["customer", "merchant"] {
            let text = try await caller.get("\(path)?copy=\(copy)&width=32", ["Accept": "text/plain"])
            #expect(text.fields["content-type"] == "text/plain; charset=utf-8")
            let number = copy == "customer" ? "************9269" : "4***********9269"
            let shown = ["A0000000031010", "VISA DEBIT", "Chip", number, "786986", "9.50", "2.00"]
            for word in shown + ["\(copy.uppercased()) COPY"] { #expect(text.body.contains(word), "\(word)") }
            #expect(text.body.split(separator: "\n").allSatisfy { $0.count <= 32 })
            // Only the merchant's copy has a signature line.
            #expect(text.body.contains("SIGNATURE") == (copy == "merchant"))
        }
    }

    @Test func aTapToPaySaleHasBaseTipTaxesAndFee() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.take("dejavoo", Sample.named("Tap-to-pay sale (V2)").record)
            let id = try #require(answer["transaction"]?.string)
            let payment = try await caller.get("/v1/transactions/\(id)?min_position=4").json
            let parts = ["total", "base", "tip", "tax", "fee"].map { payment["breakdown"]?[$0]?["value"]?.int64 }
            #expect(parts == [1340, 1000, 100, 200, 40])
            #expect(payment["captures"]?[0]?["batch"]?["number"] == "121")
            #expect(payment["captures"]?[0]?["settled"] == false)
            let open = try await caller.get("/v1/batches?number=121&status=open&min_position=4").json["items"]
            #expect(open?[0]?["net"] == [["value": 1340, "currency": "USD"]])
        }
    }

    private static let terminal: JSONValue = "794524937054"

    /// The manual's tap-to-pay sale, on the terminal whose batch is settled.
    private func tap() throws -> JSONValue {
        try Sample.named("Tap-to-pay sale (V2)").with("terminal", as: Self.terminal).record
    }

    private func settlement() throws -> JSONValue {
        // On the evening of the sale.
        try Sample.named("Batch settlement (V2)").with("body", "batch_no", as: 121)
            .with("body", "timeStamp", as: "20240222230000")
            .with("body", "transaction_id", as: "84566476174593705420241219114621").record
    }

    @Test func aSettlementClosesItsBatch() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.take("dejavoo", Sample.named("Batch settlement (V2)").record)
            let id = try #require(answer["batch"]?.string)
            let batch = try await caller.get("/v1/batches/\(id)?min_position=2").json
            #expect(batch["status"] == "closed")
            #expect(batch["number"] == "243")
            #expect(batch["account"] == Self.terminal)
            #expect(batch["settlement"] == "84566476174593705420241219114620")
            // The document has the terminal's local time; the instant is that of the report.
            #expect(batch["closedLocalTime"] == "2024-12-19T11:46:20")
            let closing = try await caller.get("/v1/events?type=BatchClosed").json["items"]?[0]
            #expect(batch["closedAt"] == closing?["occurredAt"])
            #expect(batch["requested"] == false)
        }
    }

    /// The sale is reported before or after the settlement.
    @Test(arguments: [true, false])
    func theSettlementOfABatchSettlesItsPayments(_ saleFirst: Bool) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let reported = saleFirst ? [try tap(), try settlement()] : [try settlement(), try tap()]
            var answers: [JSONValue] = []
            for record in reported { answers.append(try await caller.take("dejavoo", record)) }
            let id = try #require(answers[saleFirst ? 0 : 1]["transaction"]?.string)
            let batch = try #require(answers[saleFirst ? 1 : 0]["batch"]?.string)
            let settled = try await eventually {
                try await caller.get("/v1/transactions/\(id)?min_position=6").json
            } is: {
                $0["status"] == "settled"
            }
            #expect(value(settled, "settled") == 1340)
            #expect(settled["facets"]?["settlement"]?["outcome"] == "approved")
            #expect(settled["captures"]?[0]?["settledIn"]?["number"] == "121")
            let members = try await caller.get("/v1/batches/\(batch)/members?min_position=7").json["items"]
            #expect(members?.array?.compactMap { $0["transaction"]?.string } == [id])
            // The settlement process records it once.
            let events = try await caller.get("/v1/events?type=Settled").json["items"]?.array ?? []
            #expect(events.compactMap { $0["actor"]?.string } == ["process:settlement"])
            let isNewer = try await caller.get("/v1/transactions?status=settled&batch=121").json["items"]?.array
            #expect(isNewer?.count == 1)
        }
    }
}
