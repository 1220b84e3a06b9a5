import Canonical
import Payments
import Testing
import Vendors

@Suite("BridgePay requests")
struct BridgePayRequestTests {
    private func limits(_ members: [String: JSONValue]) throws -> [String] {
        try BridgePayDocuments.request("msr-sale-request", members).anomalies
            .filter { $0.kind == .limitExceeded }.map(\.explanation)
    }

    private static func text(_ count: Int, _ letter: Character = "a") -> JSONValue {
        .string(String(repeating: letter, count: count))
    }

    @Test("Every documented limit: valid and invalid values")
    func everyLimit() throws {
        let text = Self.text
        let rows: [(path: [String], kept: [JSONValue], broken: [JSONValue])] = [
            (["amount"], ["5.50", "0.00", "999999999.99", "5"], ["9999999999.99"]),
            (["tipAmount"], ["2.00", "999999999.99"], ["1000000000.00"]),
            (["invoiceNumber"], ["1", text(12, "x")], [text(13, "x"), "12-45", "a b"]),
            (["username"], [text(5, "u"), text(25, "u")], [text(4, "u"), text(26, "u")]),
            (["merchantCode"], ["320000"], ["32000A"]),
            (["merchantAccountCode"], ["320001"], ["32-0001"]),
            (["pnRefNum"], ["1", text(15, "1")], [text(16, "1")]),
            (["cashBackAmount"], ["2000"], ["0000000000002000"]),
            (["paymentAccountNumber"], ["4111111111111111", "4000000000006"], ["411111111111", "62123456789012651"]),
            (["bankAccountNumber"], ["12345678901234567"], ["123456789012345678"]),
            (["routingNumber"], ["123456789"], ["12345678", "1234567890"]),
            (["partialApproval"], ["YES", "no", true, false], ["maybe"]),
            (["enableTpi"], ["NO"], ["perhaps"]),
            (["testMode"], ["YES", true], ["2"]),
            (["disableAmountConfirmation"], [true], ["off"]),
            (["enforceCardType"], [true], ["off"]),
            (["cardPresent"], ["TRUE", "FALSE"], ["present"]),
            (["forceOnDuplicate"], ["FALSE"], ["compel"]),
            (["taxRate"], ["550"], ["0000000000000550"]),
            (["taxAmount"], ["125"], ["0000000000000126"]),
            (["taxIndicator"], ["P"], ["PP"]),
            (["voiceAuthCode"], [text(15, "v")], [text(16, "v")]),
            (["clerkId"], [text(15, "c")], [text(16, "c")]),
            (["tipRecipientCode"], [text(15, "t")], [text(16, "t")]),
            (["wallet"], ["new"], ["newer"]),
            (["settlementDelay"], ["3"], ["30"]),
            (["customFields"], [text(20, "f"), text(500, "f")], [text(19, "f"), text(501, "f")]),
            (["shippingAddress", "Name"], [text(100, "n")], [text(101, "n")]),
            (["shippingAddress", "Street"], [text(128, "n")], [text(129, "n")]),
            (["shippingAddress", "City"], [text(50, "n")], [text(51, "n")]),
            (["shippingAddress", "State"], ["FL"], ["FLA"]),
            (["shippingAddress", "Zip"], ["33701-1234"], [text(16, "9")]),
            (["shippingAddress", "CountryCode"], ["US"], ["USA"]),
            (["healthCareData", "healthCareAmt"], ["3.00"], [text(60, "1")]),
            (["healthCareData", "transitAmt"], ["0.50"], [text(60, "1")]),
            (["healthCareData", "transmitAmt"], ["0.50"], [text(60, "1")]),
            (["healthCareData", "prescriptionAmt"], ["0.50"], [text(60, "1")]),
            (["healthCareData", "visionAmt"], ["0.50"], [text(60, "1")]),
            (["healthCareData", "dentalAmt"], ["0.50"], [text(60, "1")]),
            (["healthCareData", "clinicAmt"], ["0.50"], [text(60, "1")]),
            (["healthCareData", "isQualifiedIIAS"], ["true", "false"], ["yes"]),
            (["terminalCommConfig", "port"], ["12000"], ["0", "65536", "abc"]),
            (["terminalCommConfig", "disableEmv"], [false], ["x"]),
            (["terminalCommConfig", "useQuickChip"], [true], ["x"]),
            (["terminalCommConfig", "useBluefinManualEntry"], [true], ["x"]),
            (["terminalCommConfig", "enableBluefinCashback"], [true], ["x"]),
            (["terminalCommConfig", "enableBluefinTip"], [true], ["x"]),
            (["terminalCommConfig", "enableContactless"], [true], ["x"]),
            (["terminalCommConfig", "promptZipForFees"], [true], ["x"]),
            (["terminalCommConfig", "promptCvvForFees"], [true], ["x"]),
            (["terminalCommConfig", "terminalTimeout"], ["45"], ["0", "soon"]),
        ]
        for row in rows {
            func members(_ value: JSONValue) -> [String: JSONValue] {
                row.path.count == 1 ? [row.path[0]: value] : [row.path[0]: [row.path[1]: value]]
            }
            for value in row.kept { #expect(try limits(members(value)).isEmpty, "\(row.path): \(value)") }
            for value in row.broken {
                let found = try limits(members(value))
                #expect(found.count == 1, "\(row.path): \(value): \(found)")
                #expect(found.allSatisfy { $0.lowercased().contains(row.path.last?.lowercased() ?? "") })
                #expect(found.allSatisfy { !$0.contains(value.string ?? "?") || (value.string ?? "").count < 4 })
            }
        }
    }

    @Test("A request's limits are also checked beside its answer and beside an error")
    func limitsBesideAnswers() throws {
        let answered = try BridgePayDocuments.payment("msr-sale", request: ["clerkId": "0123456789abcdef"])
        #expect(answered.types.last == "AnomalyRaised")
        #expect(answered.anomalies.map(\.kind) == [.limitExceeded])
    }

    @Test(
        "A document without an identified payment is a report of the reader, not a payment",
        arguments: [
            "msr-sale-request", "sale-auth-request", "card-verification-request", "token-sale-by-id-request",
            "cancelled-sale", "cancelled-sale-text", "cancelled-sale-callback", "invalid-tender",
        ]
    )
    func nameless(name: String) throws {
        let fixture = try VendorFixture.named("bridgepay/\(name)")
        let observation = try BridgePayDocuments.read(fixture.body, as: fixture.kind, namesPayment: false)
        guard case .device(_, let events, let anomalies) = observation.subject else {
            Issue.record("\(observation.types)")
            return
        }
        #expect(events.map(\.name) == [name.hasSuffix("request") ? .commandSent : .readerErrorReported])
        // All anomalies are kept.
        #expect(anomalies == (try fixture.observation().anomalies))
    }

    @Test("Cash back and tax have implied decimals, amounts a decimal point")
    func impliedDecimals() throws {
        let observation = try BridgePayDocuments.request(
            "msr-sale-request",
            ["amount": "30.00", "tipAmount": "2.00", "cashBackAmount": "2000", "taxAmount": "125", "taxRate": "550"]
        )
        guard case .saleRequested(let request)? = observation.events.first, let amounts = request.amounts else {
            Issue.record("no sale")
            return
        }
        #expect(amounts.total == Money(3000, .usd))
        #expect(amounts.cashback == Money(2000, .usd))
        #expect(amounts.tax == Money(125, .usd))
        #expect(amounts.tip == Money(200, .usd))
        #expect(amounts.base == Money(675, .usd))
        #expect(try amounts.discrepancy() == 0)
        #expect(
            amounts.figures == [
                Figure(field: "BPNPaymentRequest.amount", raw: "30.00", exponent: 2),
                Figure(field: "BPNPaymentRequest.tipAmount", raw: "2.00", exponent: 2),
                Figure(field: "BPNPaymentRequest.cashBackAmount", raw: "2000", exponent: 2),
                Figure(field: "BPNPaymentRequest.taxAmount", raw: "125", exponent: 2),
                Figure(field: "BPNPaymentRequest.taxRate", raw: "550", exponent: 2),
            ]
        )
    }

    @Test("Health care amounts are kept as figures and are consistent")
    func healthCare() throws {
        let plain = try VendorFixture.named("bridgepay/health-care-sale-request").observation()
        guard case .saleRequested(let request)? = plain.events.first else {
            Issue.record("no sale")
            return
        }
        #expect(
            request.amounts?.figures?.suffix(2) == [
                Figure(field: "BPNHealthCare.healthCareAmt", raw: "3.00", exponent: 2),
                Figure(field: "BPNHealthCare.visionAmt", raw: "2.00", exponent: 2),
            ]
        )
        let rows: [(JSONValue, [Anomaly.Kind])] = [
            (["healthCareAmt": "3.00", "visionAmt": "2.00", "dentalAmt": "1.00"], []),
            (["healthCareAmt": "3.00", "visionAmt": "2.00", "dentalAmt": "1.01"], [.amountsDoNotAddUp]),
            (["healthCareAmt": "5.51"], [.amountsDoNotAddUp]),
            (["visionAmt": "2.00"], [.malformedField]),
            (["healthCareAmt": "three"], [.malformedField]),
            (["healthCareAmt": "1.00", "isQualifiedIIAS": "sure"], [.unknownValue]),
        ]
        for (data, kinds) in rows {
            let observation = try BridgePayDocuments.request("msr-sale-request", ["healthCareData": data])
            #expect(observation.anomalies.map(\.kind) == kinds, "\(data)")
            #expect(observation.types.first == "SaleRequested")
        }
    }

    @Test("Tenders without a card: wallet, check, gift and EBT")
    func tenders() throws {
        let rows: [([String: JSONValue], String)] = [
            (["tenderType": .null, "walletPaymentMethodId": "0d9e2b1c"], "wallet"),
            (["tenderType": .null, "bankAccountNumber": "000123456", "routingNumber": "123456789"], "check"),
            (["tenderType": "TENDER_TYPE_BANK_ACCOUNT_CHECKING"], "bank-account-checking"),
            (["tenderType": "TENDER_TYPE_GIFT"], "gift"), (["tenderType": "TENDER_TYPE_EBT_FOOD"], "ebt-food"),
        ]
        for (members, tender) in rows {
            let observation = try BridgePayDocuments.request("msr-sale-request", members)
            guard case .saleRequested(let request)? = observation.events.first else {
                Issue.record("no sale")
                continue
            }
            #expect(request.tender == tender)
            #expect(!(try observation.text()).contains("000123456"))
        }
    }

    @Test("An IP terminal needs its address")
    func addressOfTerminal() throws {
        let config: JSONValue = ["terminalType": "TERMINAL_TYPE_INGENICO_IP"]
        let observation = try BridgePayDocuments.request("msr-sale-request", ["terminalCommConfig": config])
        #expect(observation.anomalies.map(\.kind) == [.malformedField])
    }

    @Test("A request with an undocumented transaction type is not placed, and is flagged")
    func unknownType() throws {
        let observation = try BridgePayDocuments.request(
            "msr-sale-request",
            ["transactionType": "TRANSACTION_TYPE_BARTER"]
        )
        #expect(observation.subject == .unplaced(observation.anomalies))
        #expect(
            observation.anomalies.map(\.explanation)
                == ["BPNPaymentRequest.transactionType is not documented: TRANSACTION_TYPE_BARTER"]
        )
    }

    @Test("A request and its answer make one payment, recorded once")
    func requestThenAnswer() throws {
        let request = try VendorFixture.named("bridgepay/msr-sale-request").observation()
        let answer = try VendorFixture.named("bridgepay/msr-sale").observation()
        var history = Lifecycle.decide(request.events, after: [], policy: request.policy)
        #expect(TransactionState(folding: history).status == .requested)
        #expect(TransactionState(folding: history).authorization.requested == 550)
        history += Lifecycle.decide(answer.events, after: history, policy: answer.policy)
        let state = TransactionState(folding: history)
        #expect(state.status == .captured)
        #expect(state.anomalies.isEmpty)
    }
}
