import Canonical
import Payments
import Redaction
import Testing
import Vendors

/// Test mode, gift cards, figures with implied decimals, checks of the card, health care, receipts.
@Suite("BridgePay details")
struct BridgePayDetailTests {
    private typealias Documents = BridgePayDocuments

    private static func request(_ observation: Observation) throws -> PaymentRequest {
        for event in observation.events {
            if case .saleRequested(let request) = event { return request }
        }
        throw Refusal(.missingField, "no sale was requested")
    }

    private static func card(_ observation: Observation) -> CardPresentation? {
        observation.events.lazy.compactMap { event -> CardPresentation? in
            switch event {
            case .authorizationApproved(let approval), .accountVerified(let approval): approval.card
            case .declined(let verdict): verdict.card
            default: nil
            }
        }.first
    }

    @Test("testMode is the mark of the document")
    func testMode() throws {
        #expect(try Documents.payment("msr-sale", request: ["testMode": "YES"]).isTest == true)
        #expect(try Documents.payment("msr-sale", request: ["testMode": false]).isTest == false)
        #expect(try Documents.answer("msr-sale").isTest == nil)
        #expect(try Documents.request("msr-sale-request", ["testMode": "NO"]).isTest == false)
        #expect(try Documents.error("com.bridgepay", 1).isTest == true)
    }

    @Test("A URL overrides testMode, and a contradiction is flagged")
    func bridgeCommURL() throws {
        let path = "/paymentservice/requesthandler.svc"
        let rows: [(url: JSONValue, mode: JSONValue, isTest: Bool?, [Anomaly.Kind])] = [
            (.string("https://www.bridgepaynetsecuretest.com" + path), .null, true, []),
            (.string("https://www.bridgepaynetsecuretest.com" + path), "YES", true, []),
            (.string("HTTPS://WWW.BridgePayNetSecureTest.com:443" + path), "NO", true, [.conflictingOutcome]),
            (.string("https://gateway.example" + path), .null, nil, []),
            (.string("https://gateway.example" + path), "NO", false, []),
            (.string("https://gateway.example" + path), "YES", nil, [.conflictingOutcome]),
            ("https://gateway.example/www.bridgepaynetsecuretest.com", "NO", false, []),
            ("https://bridgepaynetsecuretest.com.example", "NO", false, []),
            ("https://www.bridgepaynetsecuretest.com@gateway.example", "NO", false, []),
            ("not a url", "YES", true, [.malformedField]), (["url"], "NO", false, [.malformedField]),
        ]
        for (url, mode, isTest, kinds) in rows {
            let members = ["bridgeCommURL": url, "testMode": mode]
            let alone = try Documents.request("msr-sale-request", members)
            let answered = try Documents.payment("msr-sale", request: members)
            for observation in [alone, answered] {
                #expect(observation.isTest == isTest, "\(url) \(mode)")
                #expect(observation.anomalies.map(\.kind) == kinds, "\(url) \(mode): \(observation.anomalies)")
            }
        }
    }

    private static func gift(
        _ type: String,
        _ response: [String: JSONValue] = [:],
        request: [String: JSONValue] = [:]
    ) throws -> Observation {
        let request = ["transactionType": .string(type), "tenderType": "TENDER_TYPE_GIFT"]
            .merging(request) { $1 }
        return try Documents.payment("msr-sale", response: response, request: request)
    }

    @Test("Gift cards are completed with their amounts, or declined, and never sales")
    func giftCards() throws {
        let load = try Self.gift(
            "TRANSACTION_TYPE_REACTIVATE",
            ["requestType": "014", "authorizedAmount": "$25.00", "remainingAmount": "$75.00"]
        )
        var state = TransactionState(folding: load.events)
        #expect(state.status == .completed && state.valueOperation == .giftCardLoaded)
        #expect(state.cardValue?.amount == Money(2500, .usd) && state.cardValue?.balance == Money(7500, .usd))
        let refused = try Self.gift(
            "TRANSACTION_TYPE_ACTIVATE",
            ["gatewayMessage": "D03 - Denied", "gatewayResult": "30032"]
        )
        state = TransactionState(folding: refused.events)
        #expect(state.status == .declined && state.valueOperation == .giftCardActivated)
        state = TransactionState(folding: try Self.gift("TRANSACTION_TYPE_DEACTIVATE").events)
        #expect(state.status == .completed && state.valueOperation == .giftCardDeactivated)
    }

    @Test("Implied decimals, decimal points, and neither")
    func impliedDecimals() throws {
        let rows: [(JSONValue, JSONValue, Money?, Money?, [Anomaly.Kind])] = [
            ("2000", 125, Money(2000, .usd), Money(125, .usd), []),
            ("20.00", "1.25", Money(2000, .usd), Money(125, .usd), [.amountScaleAssumed, .amountScaleAssumed]),
            (20, 125, Money(20, .usd), Money(125, .usd), [.amountScaleAssumed]),
            ("twenty", "125", nil, Money(125, .usd), [.amountUnreadable]),
        ]
        for (cashBack, tax, cashBackMoney, taxMoney, kinds) in rows {
            let observation = try Documents.payment(
                "msr-sale",
                response: ["authorizedAmount": "$43.98", "originalAmount": "$43.98"],
                request: [
                    "amount": "43.98", "cashBackAmount": cashBack, "taxAmount": tax, "taxRate": 550,
                    "taxIndicator": "P",
                ]
            )
            let request = try Self.request(observation)
            #expect(request.amounts?.cashback == cashBackMoney && request.amounts?.tax == taxMoney, "\(cashBack)")
            #expect(request.circumstances?.taxRateBasisPoints == 550)
            #expect(request.circumstances?.taxIndicator == "provided")
            let found = observation.anomalies.map(\.kind).filter { $0 != .conflictingAmount }
            #expect(found == kinds, "\(cashBack): \(observation.anomalies)")
            #expect(observation.amounts?.total == Money(4398, .usd))
        }
    }

    @Test("A whole figure that also makes sense in major units is ambiguous, unless it is a text of cents")
    func ambiguousScale() throws {
        let rows: [(String, JSONValue, amount: JSONValue, isAmbiguous: Bool)] = [
            // 20.00 or 2,000.00.
            ("cashBackAmount", 2000, "5000.00", true), ("cashBackAmount", "2000", "5000.00", false),
            ("cashBackAmount", 2000, "43.98", false), ("cashBackAmount", 0, "43.98", false),
            // 0.20 or 20.00.
            ("cashBackAmount", "20", "43.98", true), ("cashBackAmount", "20", "19.99", false),
            ("taxAmount", 5, "43.98", true), ("taxAmount", 125, "43.98", false), ("taxAmount", 125, "200.00", true),
            ("taxAmount", "125", "200.00", false),
            // 0.05 % or 5 %; 5.5 % or 550 %.
            ("taxRate", 5, "43.98", true), ("taxRate", "5", "43.98", true), ("taxRate", 550, "43.98", false),
        ]
        for (field, value, amount, isAmbiguous) in rows {
            let observation = try Documents.request("msr-sale-request", ["amount": amount, field: value])
            let found = observation.anomalies.filter { $0.kind == .amountScaleAssumed }
            #expect(found.count == (isAmbiguous ? 1 : 0), "\(field) \(value) of \(amount): \(observation.anomalies)")
            #expect(found.allSatisfy { $0.explanation.contains(field) })
        }
    }

    @Test("Parts that are more than the amount are flagged, beside an answer as well")
    func partsAboveTheAmount() throws {
        let rows: [([String: JSONValue], isAbove: Bool)] = [
            (["cashBackAmount": "9900"], true), (["taxAmount": "4399"], true), (["cashBackAmount": "4398"], false),
            (["cashBackAmount": "4000", "taxAmount": "398"], false),
            (["cashBackAmount": "4000", "taxAmount": "399"], true),
            (["tipAmount": "10.00", "cashBackAmount": "3398"], false),
            (["tipAmount": "10.00", "cashBackAmount": "3399"], true),
            (["healthCareData": ["healthCareAmt": "40.00", "transitAmt": "3.98"]], false),
            (["healthCareData": ["healthCareAmt": "40.00", "transitAmt": "3.99"]], true),
            (["healthCareData": ["healthCareAmt": "40.00", "transmitAmt": "3.99"]], true),
            (["healthCareData": ["healthCareAmt": "1.00", "transitAmt": "43.99"]], true),
        ]
        for (members, isAbove) in rows {
            let request = members.merging(["amount": "43.98"]) { $1 }
            let alone = try Documents.request("msr-sale-request", request)
            let answered = try Documents.payment(
                "msr-sale",
                response: ["authorizedAmount": "$43.98", "originalAmount": "$43.98"],
                request: request
            )
            for observation in [alone, answered] {
                let found = observation.anomalies.filter { $0.kind == .amountsDoNotAddUp }
                #expect(found.count == (isAbove ? 1 : 0), "\(members): \(observation.anomalies)")
            }
            #expect(answered.types.contains("Captured"))
        }
        // The approved amount shows that the tip is on top.
        let onTop = try Documents.payment(
            "msr-sale",
            response: ["authorizedAmount": "$53.98", "originalAmount": "$53.98"],
            request: ["amount": "43.98", "tipAmount": "10.00", "cashBackAmount": "4000"]
        )
        #expect(!onTop.anomalies.contains { $0.kind == .amountsDoNotAddUp })
    }

    @Test("The checks of the card reach it, and an approval in spite of them is flagged")
    func checks() throws {
        let observation = try Documents.payment("msr-sale", response: ["AVSResponse": "4D", "CVResult": "N"])
        let card = Self.card(observation)
        #expect(card?.addressCheck == CardCheck(code: "4D", result: "street matches, postal code differs"))
        #expect(card?.codeCheck == CardCheck(code: "N", result: "differs") && card?.isCommercial == false)
        #expect(observation.anomalies.map(\.kind) == [.riskReported])
        let declined = try Documents.payment(
            "msr-sale",
            response: ["CVResult": "N", "gatewayMessage": "D03 - Denied", "gatewayResult": "30032"]
        )
        #expect(declined.anomalies.isEmpty && Self.card(declined)?.codeCheck?.code == "N")
        for (code, result) in [
            ("00", "not checked, may be retried"), ("4A", "street or postal code differs"),
            ("80", "not supported by the issuer"), ("40", "address not available"),
            ("4F", "street matches, postal code matches"),
        ] {
            let check = Self.card(try Documents.payment("msr-sale", response: ["AVSResponse": .string(code)]))
            #expect(check?.addressCheck?.result == result)
        }
        let unknown = Self.card(try Documents.payment("msr-sale", response: ["AVSResponse": "ZZ"]))
        #expect(unknown?.addressCheck == CardCheck(code: "ZZ"))
    }

    @Test("Health care and the other conditions of the request")
    func circumstances() throws {
        let observation = try Documents.payment(
            "health-care-sale",
            request: ["cardPresent": "FALSE", "voiceAuthCode": "V77", "settlementDelay": "3", "forceOnDuplicate": true]
        )
        let stated = try Self.request(observation).circumstances
        #expect(stated?.isCardPresent == false && stated?.isForced == true)
        #expect(stated?.voiceAuthorization == "V77" && stated?.settlementDelay == "3")
        #expect(stated?.healthCare?.amount != nil)
    }

    @Test("A receipt alone fills the card")
    func receiptAlone() throws {
        let observation = try Documents.read(
            [
                "invoice": "12345", "authorizationCode": "471130", "entryMethod": "Chip_Read", "totalAmount": 6,
                "appLabel": "VISA DEBIT", "chipCardAID": "A0000000031010", "cardType": "Visa",
                "maskedCardNumber": "4***********9269:", "requiresSignature": "YES", "pinEntered": "NO",
            ],
            as: "BPNReceipt"
        )
        let receipt = try #require(observation.deviceReports.first?.report.receipt)
        #expect(receipt.total == Money(600, .usd) && receipt.authorizationCode == "471130")
        #expect(receipt.card?.entryMethod == "Chip_Read" && receipt.card?.applicationLabel == "VISA DEBIT")
        #expect(receipt.card?.requiresSignature == true && receipt.card?.pinEntered == false)
        #expect(receipt.card?.lastFour == "9269" && observation.anomalies.isEmpty)
    }

    @Test("A receipt beside the answer is compared with it")
    func receiptBeside() throws {
        func kinds(_ member: String, _ value: JSONValue) throws -> [Anomaly.Kind] {
            let fixture = try VendorFixture.named("bridgepay/msr-sale")
            let body = DocumentPlaces(path: ["BPNReceipt", member]).replacing(in: fixture.body, with: value)
            return try Documents.read(body, as: fixture.kind).anomalies.map(\.kind)
        }
        #expect(try kinds("totalAmount", "5.50") == [])
        #expect(try kinds("totalAmount", "7.50") == [.conflictingAmount])
        #expect(try kinds("authorizationCode", "290145") == [.conflictingOutcome])
        #expect(try kinds("cardFirstFour", "54131") == [.limitExceeded])
    }

    @Test("Further fields of an answer, and its maxima")
    func furtherFields() throws {
        let observation = try Documents.payment(
            "msr-sale",
            response: [
                "transactionCode": "T1", "ISOCountryCode": "USA", "secondsRemaining": "12", "merchantName": "Shop",
                "merchantCategoryCode": "5411", "originalReferenceNumber": "MCC1", "isCommercialCard": "True",
            ]
        )
        let details = Dictionary(observation.details.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(details["transactionCode"] == "T1" && details["ISOCountryCode"] == "USA")
        #expect(details["secondsRemaining"] == "12" && details["merchantName"] == "Shop")
        #expect(details["networkCategoryCode"] == "5411" && details["originalReferenceNumber"] == "MCC1")
        #expect(Self.card(observation)?.isCommercial == true && observation.anomalies.isEmpty)
        let long = try Documents.payment("msr-sale", response: ["ISOCountryCode": "USAX"])
        #expect(long.anomalies.map(\.kind) == [.limitExceeded])
    }

    @Test("Wallet answers are recorded, with their ids only as digests")
    func wallet() throws {
        let observation = try Documents.payment(
            "health-care-sale",
            response: ["WalletID": "0f6d1c2e", "WalletResponseCode": "00", "WalledREsponseMessage": "created"]
        )
        #expect(
            observation.details == [
                Detail("WalletId", PaymentTokenDigest.text(of: "0f6d1c2e")), Detail("WalletResponseCode", "00"),
                Detail("WalletResponseMessage", "created"), Detail("transactionCode", "8888"),
                Detail("ISOCountryCode", "840"),
            ]
        )
    }

    @Test("A find that finds nothing begins no payment unless the sender names one")
    func findsNothing() throws {
        let body: JSONValue = [
            "BridgeCommResponse": [
                "requestType": "023", "gatewayResult": "800011", "gatewayMessage": "No transaction found",
                "responseCode": "800011",
            ],
            "BPNFindRequest": ["invoiceNumber": "8888", "merchantCode": "320000", "merchantAccountCode": "320001"],
        ]
        let alone = try Documents.read(body, as: "BPNPayment", namesPayment: false)
        #expect(alone.types == ["CommandAnswered"] && alone.keys.isEmpty)
        #expect(try Documents.read(body, as: "BPNPayment", namesPayment: true).types.first == "OutcomeResolved")
    }

    @Test("An answer to a void or refund without its request says what was assumed; a refusal is known")
    func voidOrRefund() throws {
        let answer = try Documents.answer(
            "msr-sale",
            ["requestType": "012", "responseTypeDescription": .null, "authorizedAmount": "$0.00"]
        )
        #expect(answer.types.first == "Voided" && answer.anomalies.map(\.kind).contains(.operationAssumed))
        let refused = try Documents.payment(
            "msr-sale",
            response: [
                "requestType": "012", "responseCode": 2, "responseDescription": "Declined", "gatewayResult": .null,
                "gatewayMessage": "Transaction already settled",
            ],
            request: ["transactionType": "TRANSACTION_TYPE_VOID", "pnRefNum": "214973401"]
        )
        #expect(refused.types.first == "FollowUpRefused")
    }

    @Test("A refund of which nothing states the amount is flagged", arguments: [String?.none, "1.00"])
    func refundWithoutAmount(amount: String?) throws {
        let sale = try VendorFixture.named("bridgepay/msr-sale").observation()
        let refund = try Documents.payment(
            "msr-sale",
            response: [
                "gatewayMessage": "A02 - Credit Posted", "requestType": "012", "gatewayTransactionID": "300",
                "authorizedAmount": .null,
            ],
            request: [
                "transactionType": "TRANSACTION_TYPE_REFUND", "pnRefNum": "214973401",
                "amount": amount.map { JSONValue.string($0) } ?? .null,
            ]
        )
        var history = PaymentHistory()
        for observation in [sale, refund] {
            _ = Lifecycle.decide(observation.events, after: &history, policy: observation.policy)
        }
        let state = history.state
        #expect(state.captured == 550 && state.refunded == (amount == nil ? 550 : 100))
        #expect(state.anomalies.map(\.kind) == (amount == nil ? [.amountUnreadable] : []))
    }
}
