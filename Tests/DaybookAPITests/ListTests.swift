import Canonical
import Testing

/// Lists: pages and filters while others append.
@Suite struct ListTests {
    /// Reads every item of a list, page by page.
    private func all(_ caller: Caller, _ list: String, limit: Int = 3) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        var cursor = ""
        while true {
            let separator = list.contains("?") ? "&" : "?"
            let page = try await caller.get("\(list)\(separator)limit=\(limit)\(cursor)").json
            let found = try #require(page["items"]?.array)
            #expect(found.count <= limit)
            items += found
            guard let next = page["next"]?.string else { return items }
            #expect(found.count == limit)
            cursor = "&cursor=\(next)"
        }
    }

    private func sale(_ number: Int) throws -> JSONValue {
        try Sample.named("MSR sale").with(
            "body",
            "BridgeCommResponse",
            "gatewayTransactionID",
            as: .string("9\(number)")
        )
        .with("body", "BridgeCommResponse", "originalReferenceNumber", as: "")
        .with("body", "BridgeCommResponse", "networkReferenceNumber", as: "").record
    }

    @Test func pagesAreStableWhileOthersAppend() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            for number in 0..<20 { _ = try await caller.take("bridgepay", sale(number)) }
            let position = try await api.events().count
            let wait = "min_position=\(position)"
            let before = try await all(caller, "/v1/transactions?\(wait)", limit: 1000).compactMap { $0["id"]?.string }
            #expect(before.count == 20)
            let (payments, events, members) = try await withThrowingTaskGroup { group in
                group.addTask { for number in 20..<40 { _ = try await caller.take("bridgepay", sale(number)) } }
                let batch = try #require(try await caller.get("/v1/batches").json["items"]?[0]?["id"]?.string)
                let payments = try await all(caller, "/v1/transactions?\(wait)")
                let events = try await all(caller, "/v1/events", limit: 7)
                let members = try await all(caller, "/v1/batches/\(batch)/members")
                try await group.waitForAll()
                return (payments, events, members)
            }
            // Newest first: payments recorded after the first page are on no later page.
            let ids = payments.compactMap { $0["id"]?.string }
            #expect(Set(ids).count == ids.count)
            #expect(ids.suffix(20) == before[...])
            // Oldest first: the pages continue into new payments and leave none out.
            let positions = events.compactMap { $0["position"]?.int64 }
            #expect(positions == Array(1...Int64(positions.count)))
            #expect(positions.count >= position)
            let lines = members.compactMap { $0["transaction"]?.string }
            #expect(Set(lines).count == lines.count)
            #expect(Set(lines).isSuperset(of: before))
        }
    }

    private static let filters: [(query: String, holds: @Sendable (JSONValue) -> Bool)] = [
        ("status=cancelled", { $0["status"] == "cancelled" }),
        ("type=authorization", { $0["operation"] == "authorization" }),
        ("vendor=dejavoo", { $0["vendor"] == "dejavoo" }),
        // The account and the processor's id, which the documents name together, are one merchant.
        ("merchant=320001", { ["320001", "518564010126944"].contains($0["merchant"]?.string) }),
        ("terminal=544424127175", { $0["terminal"] == "544424127175" }),
        ("reference=order-1001", { $0["reference"] == "order-1001" }),
        ("batch=121", { $0["captures"]?[0]?["batch"]?["number"] == "121" }),
        ("card_brand=vISa", { $0["card"]?["brand"] == "Visa" }),
        ("last4=9269", { $0["card"]?["lastFour"] == "9269" }),
        ("auth_code=786986", { $0["references"]?["authorizationCode"] == "786986" }),
        ("rrn=413613500098", { $0["references"]?["retrievalReference"] == "413613500098" }),
        ("invoice=33333", { $0["references"]?["invoice"] == "33333" }),
        ("text=214972201", { $0["references"]?["gatewayTransaction"] == "214972201" }),
        ("text=VISA%20%209269", { $0["card"]?["lastFour"] == "9269" && $0["card"]?["brand"] == "Visa" }),
        ("gateway_id=214972201", { $0["references"]?["gatewayTransaction"] == "214972201" }),
        ("health_care=true", { $0["circumstances"]?["healthCare"] != nil }),
        ("commercial=false", { $0["card"]?["isCommercial"] == false }),
        ("amount_from=700", { headline($0) >= 700 }),
        ("amount_to=700", { headline($0) <= 700 }),
        ("amount_from=600&amount_to=950", { (600...950).contains(headline($0)) }),
        ("from=2024-01-01T00:00:00Z", { ($0["occurredAt"]?.string ?? "") >= "2024-01-01T00:00:00.000000Z" }),
        ("to=2024-01-01T00:00:00%2B00:00", { ($0["occurredAt"]?.string ?? "") < "2024-01-01T00:00:00.000000Z" }),
        ("anomalous=true", { $0["anomalies"] != [] }),
        ("anomalous=false", { $0["anomalies"] == [] }),
        ("anomalous=true&vendor=dejavoo", { $0["anomalies"] != [] && $0["vendor"] == "dejavoo" }),
    ]

    /// The amount that filters use: captured, else requested.
    private static func headline(_ payment: JSONValue) -> Int64 {
        let captured = payment["amounts"]?["captured"]?["value"]?.int64 ?? 0
        return captured > 0 ? captured : payment["amounts"]?["requested"]?["value"]?.int64 ?? 0
    }

    @Test func everyFilterSelectsItsPayments() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            for (number, sample) in try Sample.all().enumerated() {
                // Not in the order of recording.
                var sample = sample.with("occurredAt", as: .string("202\(3 + number % 3)-03-01T12:00:00Z"))
                if sample.title == "Cancelled sale" { sample = sample.with("transaction", as: "order-1001") }
                _ = try await caller.take(sample.vendor, sample.record)
            }
            let wait = "min_position=\(try await api.events().count)"
            let items = try await all(caller, "/v1/transactions?\(wait)")
            for (query, holds) in Self.filters {
                let expected = items.filter(holds)
                #expect(!expected.isEmpty && expected.count < items.count, "\(query) tells nothing apart")
                #expect(try await all(caller, "/v1/transactions?\(query)") == expected, "\(query)")
            }
            for (query, count) in [
                ("currency=USD", 10), ("currency=EUR", 0), ("in_doubt=true", 0), ("in_doubt=false", 10),
            ] {
                #expect(try await all(caller, "/v1/transactions?\(query)").count == count, "\(query)")
            }
            let times = items.map { $0["occurredAt"]?.string ?? "" }
            let byTime = items.indices.sorted { times[$0] == times[$1] ? $0 < $1 : times[$0] > times[$1] }
            #expect(byTime != Array(items.indices))
            #expect(try await all(caller, "/v1/transactions?sort=time") == byTime.map { items[$0] })
            #expect(try await all(caller, "/v1/transactions?sort=position") == items)
            let cursor = try await caller.get("/v1/transactions?limit=1").json["next"]?.string ?? ""
            let misused = try await caller.get("/v1/transactions?sort=time&cursor=\(cursor)")
            #expect(misused.status == 400)
            #expect(try misused.json["code"] == "invalid-cursor")
            let batches = try await all(caller, "/v1/batches")
            for (query, holds) in [
                ("status=closed", { $0["status"] == "closed" }), ("vendor=bridgepay", { $0["vendor"] == "bridgepay" }),
                ("number=63", { $0["number"] == "63" }),
            ] as [(String, (JSONValue) -> Bool)] {
                let expected = batches.filter(holds)
                #expect(!expected.isEmpty && expected.count < batches.count)
                #expect(try await all(caller, "/v1/batches?\(query)") == expected, "\(query)")
            }
        }
    }
}
