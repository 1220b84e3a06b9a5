import Canonical
import DaybookTestKit
import Testing

/// `daybook replay` as users run it.
struct ReplayCommandTests {
    /// A declined sale, to be recorded in a ledger.
    private static let record = """
        {"kind":"BPNPayment","transaction":"declined-1","body":{"BPNPaymentRequest":{"invoiceNumber":"8888","amount":"5.50",\
        "tenderType":"TENDER_TYPE_CREDIT","transactionType":"TRANSACTION_TYPE_SALE"},"BridgeCommResponse":{\
        "transactionID":"8888","requestType":"004","responseCode":"30034","responseDescription":"Hold Card",\
        "gatewayTransactionID":"214973401","gatewayMessage":"D04 - Hold Card","gatewayResult":"30034",\
        "ISOCurrencyCode":"USD","originalAmount":"$5.50"}}}
        """

    @Test func aPlanIsMadeShownAndRejected() async throws {
        try await Daybook.withDatabase { daybook, _ in
            _ = try await daybook.key()
            let file = try daybook.write(Self.record.replacing("\n", with: "") + "\n", to: "records.ndjson")
            let taken = try await daybook.run("intake", file, "--vendor", "bridgepay")
            #expect(taken.succeeded, "\(taken)")
            let plan = try await daybook.json("replay", "plan", "vendor=bridgepay", "--reason", "the issuer was down")
            let id = try #require(plan["id"]?.string)
            #expect(plan["status"] == "planned" && plan["items"] == 1 && plan["filter"] == "vendor=bridgepay")
            #expect(plan["totals"]?[0]?["disposition"] == "never", "\(plan.text)")

            let listed = try await daybook.json("replay", "status")
            #expect(listed["items"]?[0]?["id"]?.string == id)
            let status = try await daybook.json("replay", "status", id, "--items")
            let item = try #require(status["itemsShown"]?[0])
            let payment = try #require(item["transaction"]?.string)
            #expect(item["disposition"] == "never" && item["payment"]?["status"] == "declined")
            let text = try await daybook.run("replay", "status", id, "--items")
            #expect(text.standardOutput.contains("never") && text.standardOutput.contains(payment))
            let list = try await daybook.run("list", "replay-items", "replay=\(id)", "--csv")
            #expect(list.standardOutput.contains(payment), "\(list)")

            let approved = try await daybook.run("replay", "approve", id, "--reason", "agreed")
            #expect(approved.exitCode == 1 && approved.standardError.contains("replay-nothing-to-do"), "\(approved)")
            let started = try await daybook.run("replay", "start", id, "--reason", "now")
            #expect(started.standardError.contains("replay-not-approved"))
            #expect(try await daybook.json("replay", "reject", id, "--reason", "no")["status"] == "rejected")
            let followed = try await daybook.run("replay", "status", id, "--follow")
            #expect(followed.succeeded && followed.standardOutput.contains("rejected"))

            let history = try await daybook.json("replay", "show", payment, "--what-if", "bridgepay.result.30043=never")
            let last = try #require(history["steps"]?.array?.last)
            #expect(last["state"]?["status"] == "declined" && last["ruling"]?["disposition"] == "never")
            #expect(last["whatIf"]?["disposition"] == "never")
            #expect(try await daybook.json("replay", "show", payment, "--until", "1")["steps"]?.array?.count == 1)
            let shown = try await daybook.run("replay", "show", payment)
            #expect(shown.standardOutput.contains("SaleRequested") && shown.standardOutput.contains("never"))
        }
    }

    @Test(
        arguments: [
            (["plan", "--reason", "x"], "--transaction", 64),
            (["plan", "nonsense=1", "--reason", "x"], "Known here", 64),
            (["plan", "status=voided", "--reason", "x"], "Nothing matches", 1),
            (["approve", "x", "--reason", "y"], "no such plan", 1), (["status", "x"], "no such plan", 1),
            (["show", "x"], "no such payment", 1), (["status", "--follow"], "of one plan", 64),
        ] as [([String], String, Int32)]
    )
    func refusalsArePrinted(arguments: [String], says: String, exitCode: Int32) async throws {
        try await Daybook.withDatabase { daybook, _ in
            _ = try await daybook.key()
            let result = try await daybook.run(["replay"] + arguments)
            #expect(result.exitCode == exitCode, "\(result)")
            #expect(result.standardError.contains(says), "\(result)")
        }
    }

    @Test func settingsAreChecked() async throws {
        try await Daybook.withDatabase { daybook, url in
            _ = try await daybook.key()
            for (name, value) in [
                ("DAYBOOK_VAULT_KEY", "short"), ("DAYBOOK_REPLAY_RULES", "nonsense=1"),
                ("DAYBOOK_REPLAY_RULES", "wait.unposted=3"), ("DAYBOOK_REPLAY_RULES", "window.duplicate=0"),
                ("DAYBOOK_REPLAY_POLICY_LIMITS", "USD"), ("DAYBOOK_REPLAY_POLICY_DAILY", "USD:1,USD:2"),
                ("DAYBOOK_REPLAY_LEASE_SECONDS", "0"),
            ] {
                let other = Daybook(directory: daybook.directory, environment: ["DATABASE_URL": url, name: value])
                let result = try await other.run("replay", "status")
                #expect(result.exitCode == 1, "\(name): \(result)")
                #expect(!result.standardError.contains("short"))
            }
            // For stand-ins on this machine it may be shorter, and only for those.
            var environment = [
                "DATABASE_URL": url, "DAYBOOK_REPLAY_RULES": "wait.unposted=3", "DAYBOOK_GATEWAYS": "hp",
                "DAYBOOK_GATEWAY_HP_KIND": "handpoint", "DAYBOOK_GATEWAY_HP_URL": "http://127.0.0.1:9",
                "DAYBOOK_GATEWAY_HP_TENANT": "acme", "DAYBOOK_GATEWAY_HP_ACCOUNTS": "1640013848",
                "DAYBOOK_GATEWAY_HP_API_KEY": "k-1", "DAYBOOK_GATEWAY_HP_MODE": "test",
            ]
            let tried = Daybook(directory: daybook.directory, environment: environment)
            let listed = try await tried.run("replay", "status")
            #expect(listed.succeeded, "\(listed)")
            environment["DAYBOOK_GATEWAY_HP_MODE"] = nil
            let live = Daybook(directory: daybook.directory, environment: environment)
            let refused = try await live.run("replay", "status")
            #expect(refused.exitCode == 1 && refused.standardError.contains("rule-too-loose"), "\(refused)")
        }
    }
}
