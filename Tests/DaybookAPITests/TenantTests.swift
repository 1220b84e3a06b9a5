import Access
import Canonical
import Testing

/// Nothing of another tenant is visible, not even that it exists.
@Suite struct TenantTests {
    @Test func subjectsOfAnotherTenantAreNotFound() async throws {
        try await TestAPI.serve { api in
            let ours = try await api.caller([.documents, .events, .evidence, .read, .audit])
            let theirs = try await api.caller([.documents, .events, .evidence, .read, .audit], tenant: "other")
            let payment = try await ours.take("bridgepay", Sample.named("MSR sale").record)
            let settlement = try await ours.take("dejavoo", Sample.named("Batch settlement (V2)").record)
            let id = try #require(payment["transaction"]?.string)
            let batch = try #require(settlement["batch"]?.string)
            _ = try await ours.get("/v1/batches?min_position=6")
            let paths = [
                "/v1/transactions/\(id)", "/v1/transactions/\(id)/events", "/v1/transactions/\(id)/receipt",
                "/v1/transactions/\(id)?as_of_position=4", "/v1/batches/\(batch)", "/v1/batches/\(batch)/members",
                "/v1/events/1",
            ]
            let nothing = "00000000-0000-7000-8000-000000000000"
            for path in paths {
                #expect(try await ours.get(path).status == 200, "\(path)")
                let answer = try await theirs.get(path, ["X-Request-Id": "same"])
                #expect(answer.status == 404, "\(path)")
                let missing = path.replacing(id, with: nothing).replacing(batch, with: nothing)
                    .replacing("/v1/events/1", with: "/v1/events/999")
                #expect(try await ours.get(missing, ["X-Request-Id": "same"]).body == answer.body)
            }
            for list in [
                "/v1/transactions", "/v1/batches", "/v1/events", "/v1/transactions?gateway_id=214973401",
                "/v1/events?stream=transaction/\(id)", "/v1/events?after=0&up_to=6",
            ] {
                #expect(try await theirs.get(list).json["items"] == [], "\(list)")
            }
            #expect(try await theirs.get("/v1/events/stream?after=0&up_to=6").events.isEmpty)
        }
    }

    /// References lead to payments of the same tenant only.
    @Test func tenantsDoNotShareReferences() async throws {
        try await TestAPI.serve { api in
            let ours = try await api.caller()
            let theirs = try await api.caller(tenant: "other")
            let sale = try Sample.named("Authorisation").with("transaction", as: "order-1")
            let first = try await ours.take("bridgepay", sale.record)
            let id = try #require(first["transaction"])
            // The same gateway id and the same reference.
            let second = try await theirs.take("bridgepay", sale.record)
            #expect(second["transaction"] != id)
            // The payment's id does not help.
            let follow = try Sample.named("Capture with tip").with("transaction", as: id)
            let third = try await theirs.take("bridgepay", follow.record)
            #expect(third["transaction"] == second["transaction"])
            let alone = try Sample.named("Cancelled sale").with("transaction", as: id)
            #expect(try await theirs.take("bridgepay", alone.record)["transaction"] != id)
            let path = "/v1/transactions/\(try #require(id.string))?min_position=9"
            #expect(try await ours.get(path).json["version"] == 3)
        }
    }

    @Test func malformedIDsAreNotFound() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let number = "0198C1C2-6A00-7000-8000-00000000000G"
            for id in ["x", "0198c1c2", number, "..%2f", "1%20OR%201=1", "%C3%A9", "%00", "%GG"] {
                for path in ["/v1/transactions/\(id)", "/v1/batches/\(id)", "/v1/events/\(id)"] {
                    let answer = try await caller.get(path)
                    // Control characters and invalid escapes are refused.
                    let isMalformed = id == "%00" || id == "%GG"
                    #expect(answer.code == (isMalformed ? "malformed-target" : "not-found"), "\(path)")
                }
            }
        }
    }
}
