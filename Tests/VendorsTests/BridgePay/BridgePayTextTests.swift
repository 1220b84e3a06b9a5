import Canonical
import DaybookTestKit
import Payments
import Redaction
import Testing
import Vendors

@Suite("BridgePay text")
struct BridgePayTextTests {
    @Test(
        "PayGuardian's printed text has the same facts as its objects",
        arguments: ["msr-sale", "sale-auth", "capture-with-tip", "tip-adjust", "token-sale", "health-care-sale"]
    )
    func sameAsObjects(name: String) throws {
        let object = try VendorFixture.named("bridgepay/\(name)").observation()
        let text = try VendorFixture.named("bridgepay/\(name)-text").observation()
        #expect(text.types == object.types)
        #expect(text.keys == object.keys)
        #expect(text.amounts?.total == object.amounts?.total)
        #expect(text.occurredAt == object.occurredAt)
        for (left, right) in zip(text.events, object.events) {
            if case .authorizationApproved(let reported) = left, case .authorizationApproved(let sent) = right {
                #expect(reported.card == sent.card)
                #expect(reported.response == sent.response)
            }
        }
    }

    @Test("A printed token is kept as its digest, a printed merchant number stays")
    func scrubbedLines() throws {
        let text = try VendorFixture.named("bridgepay/emv-sale-text").scrubbed().value.string ?? ""
        #expect(text.contains("\ntoken: \(PaymentTokenDigest.text(of: "11110000000077149269"))\n"))
        #expect(text.contains("\nnetworkMerchantID: 518564010126944\n"))
        #expect(text.contains("\nexpirationDate: [removed]\n"))
        #expect(text.contains("\ncardHolderName: [removed]\n"))
        #expect(
            text.contains("\nreceiptTagData: 4F:A0000000031010;95:8080008000;9F10:06010A03A00000;9B:6800;91:;8A:\n")
        )
    }

    @Test("Any line ending is accepted")
    func lineEnds() throws {
        let fixture = try VendorFixture.named("bridgepay/emv-sale-text")
        let text = (fixture.body.string ?? "").replacing("\n", with: "\r\n")
        let scrubbed = try fixture.scrubbed(.string(text)).value.string ?? ""
        #expect(scrubbed.contains("\r\ntoken: \(PaymentTokenDigest.text(of: "11110000000077149269"))\r\n"))
        #expect(scrubbed.contains("\r\nnetworkMerchantID: 518564010126944\r\n"))
        #expect(try fixture.observation(of: .string(text)).types == fixture.observation().types)
    }

    @Test("A secret on any printed line is removed completely")
    func plantedLines() throws {
        let fixture = try VendorFixture.named("bridgepay/emv-sale-text")
        let lines = (fixture.body.string ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        let secrets = [
            "4111111111111111", "371449635392376", "5500 0000 0000 0004", ";4111111111111112=25121011234567890?",
            "%B4111111111111112^DOE/JOHN^2512101123?",
        ]
        for index in lines.indices {
            for secret in secrets {
                let name = lines[index].prefix { $0 != ":" }
                for planted in ["\(lines[index])\(secret)", "\(name): \(secret)", secret, "\(secret):", "\(secret): x"]
                {
                    var changed = lines
                    changed[index] = planted[...]
                    let scrubbed = try fixture.scrubbed(.string(changed.joined(separator: "\n")))
                    let left = scrubbed.value.text.filter { $0.isNumber || $0 == "*" }
                    #expect(!left.contains(secret.filter(\.isNumber)), "\(planted)")
                    #expect(!scrubbed.redactions.isEmpty, "\(planted)")
                }
            }
            for member in ["cvv: 7391", "password: hunter-7391", "expirationDate: 7391", "cardHolderName: 7391/DOE"] {
                var changed = lines
                changed.insert(member[...], at: index)
                let scrubbed = try fixture.scrubbed(.string(changed.joined(separator: "\n")))
                #expect(!scrubbed.value.text.contains("7391"), "\(member)")
            }
        }
    }

    @Test("Lines that are not properties are flagged, and the rest is read")
    func strangeLines() throws {
        let fixture = try VendorFixture.named("bridgepay/msr-sale-text")
        let text = (fixture.body.string ?? "") + "?? what is this\nseq: 9999\n"
        let observation = try fixture.observation(of: .string(text))
        #expect(
            observation.types == [
                "SaleRequested", "AuthorizationApproved", "Captured", "AnomalyRaised", "AnomalyRaised",
            ]
        )
        #expect(observation.anomalies.allSatisfy { $0.kind == .malformedField })
        #expect(!observation.anomalies.contains { $0.explanation.contains("what is this") })
    }

    @Test("The corrupt amount is an anomaly in printed text too")
    func corruptAmount() throws {
        let observation = try VendorFixture.named("bridgepay/token-sale-text").observation()
        #expect(observation.anomalies.map(\.kind) == [.amountUnreadable])
        #expect(observation.amounts?.total == Money(800, .usd))
    }

    @Test("An error on one line reads like one on three")
    func errorOnOneLine() throws {
        let text =
            #"Error Domain=com.bridgepaynetwork.PayGuardian Code=E1019 "x" UserInfo={NSLocalizedDescription=Timed out, a=b}"#
        let observation = try BridgePayDocuments.read(.string(text), as: "NSError")
        #expect(observation.types == ["Cancelled"])
        #expect(observation.verdict?.response == Response(code: "E1019", message: "Timed out"))
    }

    @Test("Texts that are too long or have no property are refused")
    func refusals() throws {
        for text in [
            "no property at all", "\n\n\n", String(repeating: "a: b\n", count: 500),
            "gatewayMessage: " + String(repeating: "x", count: 5_000) + "\n",
        ] {
            #expect(throws: Refusal.self) { try BridgePayDocuments.read(.string(text), as: "BridgeCommResponse") }
        }
    }

    @Test("Broken text is refused or read, never a crash")
    func brokenText() throws {
        let fixture = try VendorFixture.named("bridgepay/sale-auth-text")
        let text = Array(fixture.body.string ?? "")
        var generator = SeededGenerator.forTest("bridgepay text")
        let pieces: [[Character]] = [
            [":"], ["\n"], ["\r\n"], Array("(null)"), Array("$"), ["\u{0}"], ["\u{202E}"],
            Array("BPNPayment.BPNReceipt:"),
            Array("Domain= x Code="), Array("=;:\"{"), Array("٤"), [],
        ]
        for _ in 0..<600 {
            var broken = text
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let from = Int.random(in: 0..<broken.count, using: &generator)
                let end = min(broken.count, from + Int.random(in: 0...60, using: &generator))
                broken.replaceSubrange(from..<end, with: pieces.randomElement(using: &generator) ?? [])
                if broken.isEmpty { broken = text }
            }
            do {
                let observation = try fixture.observation(of: .string(String(broken)))
                _ = Lifecycle.decide(observation.events, after: [], policy: observation.policy)
                #expect(try fixture.scrubbed(.string(String(broken))).value.string != nil)
            } catch is Refusal {
                continue
            }
        }
    }
}
