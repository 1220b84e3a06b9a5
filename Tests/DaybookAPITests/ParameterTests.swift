import Access
import Canonical
import Testing

/// Every query parameter of the OpenAPI document is read and checked at every operation; others are refused.
@Suite struct ParameterTests {
    private struct Case {
        let method: String
        let path: String
        let parameters: [JSONValue]
    }

    private func cases(_ contract: Contract) -> [Case] {
        contract.operations.filter { !$0.alternatives.isEmpty }.map { operation in
            let parameters = operation.parameters(contract).filter { $0["in"] == "query" }
            return Case(method: operation.method, path: operation.examplePath(contract), parameters: parameters)
        }
    }

    private func escaped(_ text: String) -> String { text.replacing(" ", with: "%20").replacing("+", with: "%2B") }

    /// Ends a live stream at once.
    private func end(_ path: String, _ name: String) -> String {
        path.hasSuffix("/stream") && name != "up_to" ? "&up_to=0" : ""
    }

    @Test func everyParameterAcceptsItsExample() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([
                .documents, .events, .evidence, .read, .audit, .reconcile, .replayPlan, .replayApprove,
            ])
            for one in cases(api.contract) {
                for parameter in one.parameters where parameter["name"] != "cursor" {
                    let name = try #require(parameter["name"]?.string)
                    let example = try #require(parameter["example"]?.plainText, "\(name) has no example")
                    // A live stream with a distant last position would not end.
                    let value = one.path.hasSuffix("/stream") && name == "up_to" ? "0" : example
                    let target = "\(one.path)?\(name)=\(escaped(value))\(end(one.path, name))"
                    let answer = try await caller.send(one.method, target)
                    // Parameters are checked before a missing body is refused.
                    let isRead =
                        one.method == "GET"
                        ? answer.status == 200 || answer.status == 404
                        : answer.status == 201 || answer.code == "unsupported-media-type"
                    #expect(isRead, "\(target): \(answer.body)")
                }
            }
        }
    }

    @Test func invalidValuesAreRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([
                .documents, .events, .evidence, .read, .audit, .reconcile, .replayPlan, .replayApprove,
            ])
            for one in cases(api.contract) {
                for parameter in one.parameters {
                    let name = try #require(parameter["name"]?.string)
                    let schema = try #require(api.contract.deref(parameter["schema"]))
                    let isFree = schema["type"] == "string" && schema["enum"] == nil && schema["format"] == nil
                    let nonsense = isFree ? String(repeating: "x", count: 2049) : "no sense"
                    let answer = try await caller.send(one.method, "\(one.path)?\(name)=\(escaped(nonsense))")
                    #expect(answer.status == 400, "\(one.path) \(name): \(answer.body)")
                    let code = name == "limit" ? "invalid-limit" : "invalid-parameter"
                    #expect(answer.code == code)
                    #expect(try code == "invalid-limit" || answer.json["parameter"]?.string == name)
                    let twice = try await caller.send(one.method, "\(one.path)?\(name)=1&\(name)=1")
                    #expect(twice.code == "repeated-parameter", "\(one.path) \(name)")
                }
            }
        }
    }

    @Test func unknownParametersAreRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([
                .documents, .events, .evidence, .read, .audit, .reconcile, .replayPlan, .replayApprove,
            ])
            for one in cases(api.contract) {
                for query in ["nonsense=1", "Limit=1", "tenant=other", "=", "x"] {
                    let body = one.method == "POST" ? "{}" : nil
                    let fields = body == nil ? [:] : ["Content-Type": "application/json"]
                    let answer = try await caller.send(one.method, "\(one.path)?\(query)", fields, body: body)
                    #expect(answer.code == "unknown-parameter", "\(one.method) \(one.path)?\(query)")
                }
            }
            #expect(try await api.events().isEmpty)
        }
    }

    @Test func limitsHaveBounds() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            _ = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            for list in ["/v1/transactions", "/v1/batches", "/v1/events"] {
                for limit in ["0", "1001", "-1", "+1", "", "1.0", "0x10", "99999999999999999999"] {
                    #expect(try await caller.get("\(list)?limit=\(limit)").code == "invalid-limit", "\(limit)")
                }
                for limit in ["1", "1000"] {
                    #expect(try await caller.get("\(list)?limit=\(limit)").status == 200)
                }
            }
        }
    }

    @Test func anUnknownCursorIsRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([
                .documents, .events, .evidence, .read, .audit, .reconcile, .replayPlan, .replayApprove,
            ])
            _ = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let batch = try await eventually {
                try await caller.get("/v1/batches").json["items"]?[0]?["id"]?.string
            } is: {
                $0 != nil
            }
            let members = "/v1/batches/\(try #require(batch))/members"
            for list in ["/v1/transactions", "/v1/batches", "/v1/events", members] {
                for cursor in ["", "x", "c", "c!", "~", "czzzzzzzzzzzzzzzzzzzz"] {
                    #expect(try await caller.get("\(list)?cursor=\(cursor)").code == "invalid-cursor", "\(cursor)")
                }
            }
        }
    }
}
