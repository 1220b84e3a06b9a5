import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import Testing

/// `daybook resolve` as users run it, beside a server that queries a gateway.
struct ResolveCommandTests {
    private static let reference = "3e665342-a95b-49c1-b6fe-b3f102305a76"
    private static let records = """
        {"kind":"TransactionStatus","transaction":"\(reference)","device":"1640013848","body":{"finStatus":"UNDEFINED","asked":{"ageSeconds":1}}}
        """
    private static let unknown = """
        {"stream":"transaction/0198c1c2-6a00-7000-8000-000000000011","events":[
        {"schema":1,"occurredAt":"2026-01-02T08:00:00Z","type":"SaleRequested","data":{"amounts":{"total":{"value":1250,"currency":"USD"}},"references":{}}},
        {"schema":1,"occurredAt":"2026-01-02T08:00:00Z","type":"OutcomeUnknown","data":{"evidence":"reader","response":{"code":"E02"},"references":{}}}]}
        """

    @Test func operatorsQueryAndResolve() async throws {
        try await Daybook.withDatabase { plain, _ in
            let gateway = try await plain.start(["simulate", "gateway", "--json", "--handpoint", "0"])
            let line = try await gateway.line(startingWith: "{\"listening\"")
            let url = try #require(try JSONValue(parsing: Array(line.utf8))["listening"]?["handpoint"]?.string)
            var daybook = plain
            daybook.environment["DAYBOOK_GATEWAYS"] = "hp"
            daybook.environment["DAYBOOK_GATEWAY_HP_KIND"] = "handpoint"
            daybook.environment["DAYBOOK_GATEWAY_HP_URL"] = url
            daybook.environment["DAYBOOK_GATEWAY_HP_API_KEY"] = "key-1"
            daybook.environment["DAYBOOK_GATEWAY_HP_TENANT"] = "acme"
            daybook.environment["DAYBOOK_GATEWAY_HP_ACCOUNTS"] = "1640013848"
            let key = try await daybook.key(scopes: "documents,events,evidence,read,reconcile")
            let server = try await daybook.serve()
            let client = server.client(key)
            for (target, record) in [("/v1/intake/handpoint", Self.records), ("/v1/events", Self.unknown)] {
                let answer = try await client.send(
                    HTTPRequest(
                        method: "POST",
                        target: target,
                        fields: [("Content-Type", "application/json")],
                        body: Array(record.utf8)
                    )
                )
                #expect(answer.status == 201, "\(answer.text)")
            }

            let list = try await daybook.json("resolve", "list")
            #expect(list["items"]?.array?.count == 2 && list["more"] == false)
            let asked = try #require(
                list["items"]?.array?.first { $0["vendor"] == "handpoint" }?["transaction"]?.string
            )
            let text = try await daybook.run(
                "resolve",
                "list",
                "--needs-person",
                "--older-than",
                "1d",
                "--sort",
                "value"
            )
            #expect(text.succeeded && text.standardOutput.contains("12.50 USD"), "\(text)")
            #expect(text.standardOutput.contains("lookup") && !text.standardOutput.contains(asked))

            let base = "http://127.0.0.1:\(server.port)"
            let ask = try await daybook.run("resolve", "query", "--all", "--url", base, "--key", key)
            #expect(ask.succeeded, "\(ask)")
            #expect(ask.standardOutput.contains("1/2") && ask.standardOutput.contains("1 no-gateway"), "\(ask)")
            let shown = try await daybook.json("resolve", "show", asked)
            #expect(shown["calls"]?[0]?["gateway"] == "hp" && shown["gateways"] == ["hp"])
            let one = try await daybook.run("resolve", "show", asked)
            #expect(one.standardOutput.contains("gateways") && one.standardOutput.contains("find"), "\(one)")

            let ended = "0198c1c2-6a00-7000-8000-000000000011"
            let words = ["--evidence", "the portal: declined, 51", "--reason", "terminal is lost"]
            let wrong = try await daybook.run(["resolve", "end", ended, "--as", "lost"] + words)
            #expect(wrong.exitCode == 64 && wrong.standardError.contains("--as"), "\(wrong)")
            // The account root can set every variable.
            daybook.environment["SUDO_USER"] = "ann"
            let end = try await daybook.run(["resolve", "end", ended, "--as", "declined"] + words)
            #expect(end.succeeded && end.standardOutput.contains("another operator must approve it"), "\(end)")
            let proposals = try await daybook.json("proposals", "list")
            let proposal = try #require(proposals["proposals"]?[0]?["id"]?.string, "\(proposals)")
            let approve = ["proposals", "approve", proposal, "--reason", "seen"]
            daybook.environment["SUDO_USER"] = "bob"
            let refused = try await daybook.run(approve)
            #expect(refused.exitCode == 1 && refused.standardError.contains("Another operator"), "\(refused)")
            let operators = try await [
                daybook.key(scopes: "reconcile", holder: "Ann"), daybook.key(scopes: "reconcile", holder: "bob"),
            ]
            let ending: JSONObject = [
                "as": "declined", "evidence": "the portal: declined, 51", "reason": "terminal is lost",
            ]
            let proposed = try await post("/v1/doubts/\(ended)/end", ending, server.client(operators[0]))
            let newest = try #require(proposed["id"]?.string, "\(proposed)")
            let ofAccount = try await daybook.run("proposals", "approve", newest, "--reason", "seen")
            if geteuid() == 0 {
                #expect(ofAccount.exitCode == 1 && ofAccount.standardError.contains("holders"), "\(ofAccount)")
                let approved = try await post(
                    "/v1/proposals/\(newest)/approve",
                    ["reason": "seen"],
                    server.client(operators[1])
                )
                #expect(approved["position"] != nil, "\(approved)")
            } else {
                #expect(ofAccount.succeeded, "\(ofAccount)")
            }
            let again = try await daybook.run(["resolve", "end", ended, "--as", "declined"] + words)
            #expect(again.exitCode == 1 && again.standardError.contains("in doubt"), "\(again)")
            let left = try await daybook.json("resolve")
            #expect(left["items"]?.array?.count == 1)
            #expect(try await server.stop() == 0)
            gateway.send(15)
            _ = try await gateway.waitForExit()
        }
    }

    private func post(_ target: String, _ body: JSONObject, _ client: APIClient) async throws -> JSONValue {
        let answer = try await client.send(
            HTTPRequest(
                method: "POST",
                target: target,
                fields: [("Content-Type", "application/json")],
                body: Array(JSONValue.object(body).text.utf8)
            )
        )
        return try JSONValue(parsing: Array(answer.text.utf8))
    }

    @Test func helpHasExamples() async throws {
        try await Daybook.with { daybook in
            for command in [[], ["list"], ["show"], ["query"], ["end"]] {
                let help = try await daybook.run(["resolve"] + command + ["--help"])
                #expect(help.standardOutput.contains("EXAMPLES") && help.standardOutput.contains("daybook resolve"))
            }
            let none = try await daybook.run("resolve", "query")
            #expect(none.exitCode == 64)
        }
    }
}
