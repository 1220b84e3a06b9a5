import Canonical
import Payments
import Redaction
import Testing
import Vendors

@Suite("Paydiant checkouts")
struct PaydiantCheckoutTests {
    private static let digest = PaymentTokenDigest.text(of: Paydiant.token)

    private func checkout(_ observation: Observation) -> (digest: String, names: [String])? {
        guard case .checkout(let reference, let events, _) = observation.subject else { return nil }
        return (reference.digest, events.map(\.type))
    }

    @Test(
        "Events of a token are events of its checkout",
        arguments: [
            ("checkout-token-issued", "CheckoutTokenIssued"), ("checkout-token-released", "CheckoutTokenReleased"),
            ("checkout-token-not-released", "CheckoutFailed"), ("metadata-token-blocked", "CheckoutTokenBlocked"),
            ("metadata-token-in-use", "CheckoutTokenInUse"), ("metadata-tip", "CheckoutDescribed"),
            ("update-tip", "CheckoutUpdated"), ("update-offer-refused", "CheckoutFailed"),
            ("not-cancelled", "CheckoutFailed"),
        ]
    )
    func tokenLife(name: String, event: String) throws {
        let reported = try #require(checkout(VendorFixture.named("paydiant/" + name).observation()))
        #expect(reported.digest == Self.digest && reported.names == [event])
    }

    @Test("The amount due starts the payment, and the scan is recorded with it")
    func discovery() throws {
        let observation = try VendorFixture.named("paydiant/metadata-discovery").observation()
        let state = Paydiant.fold(observation)
        #expect(state.status == .requested && state.authorization.requested == 2_000 && state.operation == .sale)
        guard case .checkout(let described)? = observation.events.last else {
            Issue.record("not described")
            return
        }
        #expect(described.report.amounts?.total == Money(2_000, .usd))
        let details = described.report.details ?? []
        #expect(details.contains { $0.name == "supportedTender" && $0.value == "GIFT" })
        #expect(details.contains { $0.name == "eligibleOffer" && $0.value == "offer-5-off" })
        #expect(details.contains { $0.name == "flowRule" && $0.value == "DISCOVERY" })
    }

    @Test("Later stages do not change the requested amount, and stages without a published name are accepted")
    func stages() throws {
        for rule in ["TIP", "LOYALTY", "SOMETHING_NEW"] {
            let observation = try Paydiant.read(
                "RetriveTransactionMetaDataCompletionBlock",
                [
                    "request": ["checkoutToken": .string(Paydiant.token), "flowRule": .string(rule)],
                    "response": ["amountDue": "23.00", "tipAmount": "3.00"],
                ]
            )
            let reported = try #require(checkout(observation))
            #expect(reported.names == ["CheckoutDescribed"])
            #expect(observation.anomalies.isEmpty)
        }
    }

    @Test("Cancelled before any money moved; after a tender this is a contradiction, and the money stays")
    func cancelled() throws {
        let cancel = try VendorFixture.named("paydiant/cancelled").observation()
        #expect(Paydiant.fold(try Paydiant.due("20.00"), cancel).status == .cancelled)
        let state = Paydiant.fold(try Paydiant.due("20.00"), try Paydiant.payment("12.00", balance: "8.00"), cancel)
        #expect(state.captured == 1_200 && state.anomalies.map(\.kind) == [.conflictingOutcome])
        let unknown = try Paydiant.failure("CancelTransactionFailureBlock", 500)
        #expect(Paydiant.fold(try Paydiant.due("20.00"), unknown).isInDoubt)
    }

    @Test("A call without an answer is recorded as a command, one that takes money as sent to the host")
    func calls() throws {
        for (call, event) in [
            ("obtainCheckoutTokenFor", "CommandSent"), ("releaseCheckoutToken", "CommandSent"),
            ("retrieveTransactionMetaData", "CommandSent"), ("updateTransaction", "CommandSent"),
            ("retrieveTransactionInformation", "CommandSent"), ("paymentWith", "AuthorizationSent"),
            ("submitATMCashAccessAmount", "AuthorizationSent"), ("cancelTransactionUsingToken", "CancelRequested"),
        ] {
            let request: JSONValue = [
                "checkoutToken": .string(Paydiant.token), "aTransactionType": "kPDTransactionTypePurchase",
                "amount": "20.00",
            ]
            let observation = try Paydiant.read(call, ["request": request])
            #expect(observation.types == [event], "\(call)")
            let isAboutPayment = ["updateTransaction", "paymentWith", "submitATMCashAccessAmount"].contains(call)
            #expect(observation.keys.count == (isAboutPayment || event == "CancelRequested" ? 1 : 0))
            let failed = try Paydiant.read(call, ["request": request, "error": ["statusCode": 403]])
            #expect(failed.types != [event] && !failed.types.isEmpty, "\(call)")
        }
    }

    @Test(
        "Times as the SDK prints them; an unreadable one is flagged",
        arguments: [
            ("2014-03-05 17:20:00 +0000", "2014-03-05T17:20:00.000000Z"),
            ("2014-03-05 12:20:00 -0500", "2014-03-05T17:20:00.000000Z"),
            ("2014-03-05T17:20:00Z", "2014-03-05T17:20:00.000000Z"), ("yesterday", nil),
        ] as [(String, String?)]
    )
    func times(text: String, time: String?) throws {
        let observation = try Paydiant.payment("20.00", more: [("transactionDate", .string(text))])
        #expect(observation.occurredAt?.description == time)
        #expect(observation.anomalies.map(\.kind) == (time == nil ? [.malformedField] : []))
    }

    // MARK: Secrets

    @Test("Access codes are removed completely, in any form")
    func accessCodes() {
        let code = "739142"
        for body: JSONValue in [
            ["length": 6, "accessCode": .string(code)], ["request": ["length": 6], "returnValue": .string(code)],
            ["request": ["length": 6], "result": 739_142], .string(code), 739_142, [.string(code)], [[739_142]],
            ["length": 6, "string": .string(code)], ["length": 6, "output": [.string(code)]],
            ["length": 6, "response": ["data": [["x": .string(code)]]]], ["length": .string(code)],
            ["request": .string(code)], ["request": [.string(code)]], ["request": ["739142": 6]], ["739142": 6],
        ] {
            let document = Paydiant.scrubbed("generateAccessCode", body)
            #expect(!document.value.text.contains(code) && document.redactions.map(\.action) == [.dropped], "\(body)")
            for kind in ["GenerateAccessCode", "generate_access_code", "generateAccessCodeWithLength:"] {
                #expect(Paydiant.scrubbed(kind, body).value == document.value, "\(kind) \(body)")
            }
            // Scrubbing again changes nothing.
            #expect(Paydiant.scrubbed("generateAccessCode", document.value).value == document.value)
        }
        let unreadable = Scrubber(schema: Paydiant.adapter.redactionSchema(for: "generateAccessCode"))
            .scrub(UnscrubbedDocument(unreadable: Array("0739142".utf8)))
        #expect(!unreadable.value.text.contains(code))
        let update = Paydiant.scrubbed("updateTransaction", ["request": ["accessCode": .string(code)]])
        #expect(!update.value.text.contains(code))
        let failed: JSONValue = ["request": ["length": 6], "transactionError": ["statusCode": 500]]
        #expect(Paydiant.scrubbed("generateAccessCode", failed).value == failed)
    }

    @Test("A token returned alone is kept as a digest only", arguments: Paydiant.adapter.kinds)
    func bareTokens(kind: String) {
        for body: JSONValue in [
            .string(Paydiant.token), [.string(Paydiant.token)], ["checkoutToken": .string(Paydiant.token)],
        ] {
            #expect(!Paydiant.scrubbed(kind, body).value.text.contains(Paydiant.token), "\(kind)")
        }
        guard kind.lowercased().contains("checkouttoken") else { return }
        let document = Paydiant.scrubbed(kind, ["returnValue": .string(Paydiant.token)])
        #expect(document.redactions.map(\.action) == [.digested])
    }

    @Test("A token is kept as its digest, and one that looks like a card number is not a key")
    func tokens() throws {
        let observation = try Paydiant.due("20.00")
        #expect(try !observation.text().contains(Paydiant.token))
        #expect(observation.keys.first?.value == Self.digest)
        let card = try Paydiant.read(
            "ObtainCheckoutTokenCompletionBlock",
            ["checkoutToken": "4111111111111111", "type": "kPDTransactionTypePurchase"]
        )
        #expect(card.keys.isEmpty && card.types == ["CommandAnswered"])
        #expect(card.anomalies.map(\.kind) == [.malformedField])
        #expect(throws: Refusal.self) {
            try Paydiant.read("CancelTransactionCompletionBlock", ["request": ["reason": "none"]])
        }
    }
}
