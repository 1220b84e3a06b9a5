import Access
import Canonical
import Composition
import DaybookTestKit
import Testing

/// API keys and their scopes.
@Suite struct KeyTests {
    @Test func withoutAValidKeyNothingIsAnswered() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let key = try #require(caller.key)
            var random = SystemRandomNumberGenerator()
            let cases: [(field: String?, code: String)] = [
                (nil, "unauthenticated"),
                ("", "unauthenticated"),
                ("Bearer", "unauthenticated"),
                ("Basic \(key)", "unauthenticated"),
                (key, "unauthenticated"),
                ("Bearer \(key.dropLast())", "invalid-key"),
                ("Bearer \(key)x", "invalid-key"),
                ("Bearer \(key.dropLast())\(key.last == "0" ? "1" : "0")", "invalid-key"),
                ("Bearer \(APIKey(mode: .live, random: &random).secret)", "invalid-key"),
                ("Bearer ' OR 1=1 --", "invalid-key"),
            ]
            for (field, code) in cases {
                let fields = field.map { ["Authorization": $0] } ?? [:]
                for operation in api.contract.operations where !operation.alternatives.isEmpty {
                    let path = operation.examplePath(api.contract)
                    let answer = try await api.stranger.send(operation.method, path, fields)
                    #expect(answer.status == 401 && answer.code == code, "\(field ?? "no key") \(path)")
                }
            }
            #expect(try await caller.get("/v1/transactions", ["Authorization": "bEaReR \(key)"]).status == 200)
            #expect(try await api.events().isEmpty)
            #expect(!api.log.lines.contains { $0.contains(key) })
        }
    }

    /// Every operation with every scope, as the OpenAPI document states.
    @Test func aScopePermitsOnlyItsOperations() async throws {
        try await TestAPI.serve { api in
            for scope in Scope.allCases {
                let caller = try await api.caller([scope])
                for operation in api.contract.operations where !operation.alternatives.isEmpty {
                    // A live stream ends at once if its last position is in the past.
                    let query = operation.template.hasSuffix("/stream") ? "?up_to=0" : ""
                    let path = operation.examplePath(api.contract) + query
                    let body = operation.method == "POST" ? "{}" : nil
                    let fields = body == nil ? [:] : ["Content-Type": "application/json"]
                    let answer = try await caller.send(operation.method, path, fields, body: body)
                    let isOpen = operation.alternatives.contains { $0 == [scope.rawValue] }
                    #expect((answer.status != 403) == isOpen, "\(scope) \(operation.method) \(path): \(answer.status)")
                    #expect(isOpen || answer.code == "insufficient-scope")
                    #expect(answer.status != 401)
                }
            }
        }
    }

    @Test func openOperationsNeedNoKey() async throws {
        try await TestAPI.serve { api in
            let open = api.contract.operations.filter { $0.alternatives.isEmpty }
            #expect(open.count == 4)
            for operation in open {
                let answer = try await api.stranger.get(operation.template)
                #expect(answer.status == 200)
                let withKey = try await api.stranger.get(operation.template, ["Authorization": "Bearer no"])
                #expect(withKey.status == 200)
            }
        }
    }

    @Test func aKeyExpires() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller(expiresAt: clock.now().adding(microseconds: 1_000_000))
            #expect(try await caller.get("/v1/transactions").status == 200)
            clock.advance(microseconds: 999_999)
            #expect(try await caller.get("/v1/transactions").status == 200)
            clock.advance(microseconds: 1)
            #expect(try await caller.get("/v1/transactions").code == "invalid-key")
        }
    }

    /// A key that another process revokes stops within a second, too.
    @Test func aRevokedKeyStopsWithinASecond() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller()
            #expect(try await caller.get("/v1/transactions").status == 200)
            let elsewhere = APIKeyStore(pool: api.ledger.pool, clock: clock)
            let id = try #require(try await elsewhere.list(tenant: "acme").first?.id)
            #expect(try await elsewhere.revoke(id))
            clock.advance(seconds: 1)
            #expect(try await caller.get("/v1/transactions").code == "invalid-key")
            // Revoked in this process, it stops at once.
            let other = try await api.caller(tenant: "other")
            #expect(try await other.get("/v1/transactions").status == 200)
            let its = try #require(try await elsewhere.list(tenant: "other").first?.id)
            #expect(try await api.ledger.keys.revoke(its))
            #expect(try await other.get("/v1/transactions").code == "invalid-key")
        }
    }
}
