import Canonical
import Testing

/// Every sample document, posted in order, as the demonstration does.
@Suite struct SampleTests {
    struct Expected {
        var events: [String]
        var redactions: [String]
        var anomalies: [String] = []
    }

    private static let sale = ["DocumentReceived", "SaleRequested", "AuthorizationApproved", "Captured"]
    private static let password = "/body/BPNPaymentRequest/password credential dropped"
    private static let token = "/body/BridgeCommResponse/token token digested"
    private static let expiry = "/body/BridgeCommResponse/expirationDate expiry dropped"
    private static let name = "/body/BPNReceipt/cardHolderName cardholder dropped"

    static let expected: [String: Expected] = [
        "MSR sale": Expected(events: sale, redactions: [password, token, expiry]),
        "EMV sale": Expected(events: sale, redactions: [password, token, expiry, name]),
        "Authorisation": Expected(
            events: ["DocumentReceived", "AuthorizationRequested", "AuthorizationApproved"],
            redactions: [password, token, expiry, name]
        ),
        "Capture with tip": Expected(events: ["DocumentReceived", "Captured"], redactions: [password]),
        "Tip adjustment": Expected(
            events: ["DocumentReceived", "TipAdjusted", "AnomalyRaised"],
            redactions: [password],
            anomalies: ["original-not-recorded"]
        ),
        "Sale by token": Expected(
            events: sale + ["AnomalyRaised"],
            redactions: [
                password, "/body/BPNPaymentRequest/token token digested",
                "/body/BPNPaymentRequest/expirationDate expiry dropped", token, expiry,
            ],
            anomalies: ["amount-unreadable"]
        ),
        "Health-care sale": Expected(
            events: sale + ["AuthorizationAnswered"],
            redactions: [password, token, expiry, name]
        ),
        "Invalid tender type": Expected(
            events: ["DocumentReceived", "SaleRequested", "Failed", "AnomalyRaised"],
            redactions: [password],
            anomalies: ["unknown-value"]
        ),
        "Cancelled sale": Expected(
            events: ["DocumentReceived", "SaleRequested", "Cancelled"],
            redactions: [password]
        ),
        "Tap-to-pay sale (V2)": Expected(
            events: sale + ["CommandAnswered"],
            redactions: ["/body/Spin_Response/iPOSToken token digested"]
        ),
        "Batch settlement (V2)": Expected(events: ["DocumentReceived", "BatchClosed"], redactions: []),
        "Tap-to-pay sale (V1)": Expected(
            events: sale + ["CommandAnswered", "AnomalyRaised", "AnomalyRaised"],
            redactions: [],
            anomalies: ["amount-scale-assumed", "operation-assumed"]
        ),
    ]

    @Test func samplesAreRecordedAndReadBack() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            var position: Int64 = 0
            let samples = try Sample.all()
            #expect(Set(samples.map(\.title)) == Set(Self.expected.keys))
            for sample in samples {
                let expected = try #require(Self.expected[sample.title])
                let answer = try await caller.post(sample.vendor, sample.record)
                #expect(answer.status == 201)
                let json = try answer.json
                #expect(json["events"]?.strings == expected.events, "\(sample.title)")
                let end = position + Int64(expected.events.count)
                #expect(json["positions"]?.array?.compactMap(\.int64) == Array((position + 1)...end))
                #expect(answer.fields["daybook-position"] == String(end))
                #expect(answer.fields["idempotency-replayed"] == nil)
                position = end
                let redactions = (json["redactions"]?.array ?? []).map { note in
                    ["path", "rule", "action"].map { note[$0]?.string ?? "" }.joined(separator: " ")
                }
                #expect(redactions == expected.redactions, "\(sample.title)")
                let anomalies = (json["anomalies"]?.array ?? []).compactMap { $0["kind"]?.string }
                #expect(anomalies == expected.anomalies, "\(sample.title)")
                #expect((json["batch"] != nil) == (sample.title == "Batch settlement (V2)"))
            }
            try await readEverything(caller, upTo: position)
        }
    }

    /// Reads everything that was recorded, in every form; each answer is checked against the OpenAPI document.
    private func readEverything(_ caller: Caller, upTo position: Int64) async throws {
        let payments = try await caller.get("/v1/transactions?min_position=\(position)").json["items"]?.array ?? []
        #expect(payments.count == 10)
        for payment in payments {
            let id = try #require(payment["id"]?.string)
            #expect(try await caller.get("/v1/transactions/\(id)?min_position=\(position)").json == payment)
            // The read model and the events folded on demand give the same.
            #expect(try await caller.get("/v1/transactions/\(id)?as_of_position=\(position)").json == payment)
            let receipt = "/v1/transactions/\(id)/receipt?min_position=\(position)"
            #expect(try await caller.get(receipt).json["transaction"]?.string == id)
            #expect(try await caller.get(receipt, ["Accept": "text/plain"]).body.contains("CUSTOMER COPY"))
            let timeline = try await caller.get("/v1/transactions/\(id)/events").json["items"]?.array ?? []
            #expect(Int64(timeline.count) == payment["version"]?.int64)
        }
        let batches = try await caller.get("/v1/batches?min_position=\(position)").json["items"]?.array ?? []
        #expect(batches.count == 4)
        for batch in batches {
            let id = try #require(batch["id"]?.string)
            #expect(try await caller.get("/v1/batches/\(id)").json == batch)
            let members = try await caller.get("/v1/batches/\(id)/members").json["items"]?.array ?? []
            let amounts = members.compactMap { $0["amount"]?["value"]?.int64 }
            let totals = (batch["totals"]?.array ?? []).compactMap { $0["amount"]?["value"]?.int64 }
            #expect(amounts.reduce(0, +) == totals.reduce(0, +))
        }
        let feed = try await caller.get("/v1/events?limit=1000").json["items"]?.array ?? []
        #expect(feed.compactMap { $0["position"]?.int64 } == Array(1...position))
        for event in feed {
            let place = try #require(event["position"]?.int64)
            #expect(try await caller.get("/v1/events/\(place)").json == event)
        }
    }
}
