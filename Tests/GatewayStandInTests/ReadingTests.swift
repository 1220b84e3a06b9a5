import Canonical
import Foundation
import Payments
import Redaction
import Simulator
import Testing
import Vendors

@testable import GatewayStandIn

/// The stand-ins' answers, passed to the vendors' adapters as documents.
@Suite("Answers read by the adapters")
struct ReadingTests {
    /// The facts about the payment, without device reports and anomalies.
    private static func facts(_ adapter: any VendorAdapter, _ kind: String, _ body: JSONValue) throws -> Facts {
        let scrubbed = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        let context = DocumentContext(terminal: "Z11NATASHA98", namesPayment: true)
        let observation = try adapter.interpret(scrubbed, kind: kind, context: context)
        return Facts(observation: observation)
    }

    struct Facts {
        let observation: Observation

        var events: [TransactionEvent] {
            guard case .transaction(let events) = observation.subject else { return [] }
            return events
        }
        var types: [String] {
            events.map(\.type).filter { !["AnomalyRaised", "AuthorizationAnswered", "CommandAnswered"].contains($0) }
        }
        var anomalies: [Anomaly.Kind] {
            events.compactMap { if case .anomalyRaised(let anomaly) = $0 { anomaly.kind } else { nil } }
        }
        var keys: [String] { observation.keys.map(\.value) }
        var captured: Money? {
            events.compactMap { if case .captured(let capture) = $0 { capture.amounts.total } else { nil } }.first
        }
        var given: Money? {
            events.compactMap { event -> Money? in
                switch event {
                case .voided(let given), .refunded(let given): given.amount
                default: nil
                }
            }.first
        }
    }

    // MARK: BridgeComm

    /// The answer as `BPNPayment`: the same elements under PayGuardian's names, amounts with a decimal point.
    private static func payment(_ fields: [String: String], asked: JSONObject) throws -> JSONValue {
        let names = ["GatewayTransID": "gatewayTransactionID"]
        var response = JSONObject()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) where name != "root" {
            let isAmount = ["AuthorizedAmount", "OriginalAmount", "RemainingAmount"].contains(name)
            let cents = isAmount ? try #require(Int64(value)) : 0
            response[names[name] ?? name] = .string(isAmount ? "$" + Money(cents, .usd).decimalText : value)
        }
        return ["BPNPaymentRequest": .object(asked), "BridgeCommResponse": .object(response)]
    }

    private static func request(_ type: String, _ amount: String?, original: String? = nil) -> JSONObject {
        var request: JSONObject = [
            "invoiceNumber": "INV1", "tenderType": "TENDER_TYPE_CREDIT",
            "transactionType": .string("TRANSACTION_TYPE_\(type)"), "merchantCode": "320000",
            "merchantAccountCode": "320001", "industryType": "TRANSACTION_INDUSTRY_TYPE_RETAIL",
        ]
        if let amount { request["amount"] = .string(amount) }
        if let original { request["pnRefNum"] = .string(original) }
        return request
    }

    @Test(
        "Payments",
        arguments: [
            (1_250, ["SaleRequested", "AuthorizationApproved", "Captured"]),
            (15_500, ["SaleRequested", "PartiallyApproved", "Captured"]), (7_500, ["SaleRequested", "Declined"]),
            (8_500, ["SaleRequested", "Declined"]), (9_500, ["SaleRequested", "Declined"]),
            (10_500, ["SaleRequested", "Declined"]), (11_500, ["SaleRequested", "Declined"]),
            (12_500, ["SaleRequested", "Declined"]), (13_500, ["SaleRequested", "OutcomeUnknown"]),
            (14_500, ["SaleRequested", "OutcomeUnknown"]), (499, ["SaleRequested", "OutcomeUnknown"]),
        ]
    )
    func sales(cents: Int, types: [String]) async throws {
        let fields = try await withStandIn { try Wire.fields(try await $0.ask(.bridgepay, Wire.sale("t1", cents))) }
        let amount = Money(Int64(cents), .usd).decimalText
        let facts = try Self.facts(
            BridgePayAdapter(),
            "BPNPayment",
            try Self.payment(fields, asked: Self.request("SALE", amount))
        )
        #expect(facts.types == types)
        #expect(facts.anomalies == [], "\(facts.anomalies)")
        if types.contains("Captured") {
            #expect(facts.captured?.value == Int64(cents == 15_500 ? 14_500 : cents))
            #expect(facts.keys == [try #require(fields["GatewayTransID"])])
        }
    }

    @Test("A duplicate is a decline with a suspected duplicate")
    func duplicate() async throws {
        let fields = try await withStandIn { standIn in
            _ = try await standIn.ask(.bridgepay, Wire.sale())
            return try Wire.fields(try await standIn.ask(.bridgepay, Wire.sale("t2")))
        }
        let asked = Self.request("SALE", "12.50")
        let facts = try Self.facts(BridgePayAdapter(), "BPNPayment", try Self.payment(fields, asked: asked))
        #expect(facts.types == ["SaleRequested", "Declined"])
        #expect(facts.anomalies == [.duplicateSuspected])
    }

    @Test("Follow-ups of a payment")
    func followUps() async throws {
        try await withStandIn { standIn in
            func ask(_ type: String, _ id: String, _ message: KeyValuePairs<String, String>) async throws -> [String:
                String]
            {
                try Wire.fields(try await standIn.ask(.bridgepay, Wire.bridgeComm(type, id, message)))
            }
            func read(_ fields: [String: String], _ type: String, _ amount: String?, of original: String?) throws
                -> Facts
            {
                let asked = Self.request(type, amount, original: original)
                return try Self.facts(BridgePayAdapter(), "BPNPayment", try Self.payment(fields, asked: asked))
            }
            let card = "5499740000000057"
            let hold = try await ask(
                "004",
                "h",
                ["TransactionType": "sale-auth", "Amount": "4000", "PaymentAccountNumber": card]
            )
            let id = try #require(hold["GatewayTransID"])
            #expect(
                try read(hold, "SALE_AUTH", "40.00", of: nil).types == [
                    "AuthorizationRequested", "AuthorizationApproved",
                ]
            )
            let capture = try await ask(
                "019",
                "c",
                ["TransactionType": "capture", "ReferenceNumber": id, "Amount": "3800"]
            )
            let captured = try read(capture, "CAPTURE", "38.00", of: id)
            #expect(captured.types == ["Captured"])
            #expect(captured.captured == Money(3_800, .usd))
            #expect(captured.keys == [id])
            let tip = try await ask(
                "004",
                "a",
                ["TransactionType": "adjustment", "ReferenceNumber": id, "TipAmount": "500"]
            )
            #expect(try read(tip, "TIP_ADJUST", nil, of: id).types == ["TipAdjusted"])
            // A refund requested while the batch is open is a void; afterwards it is a refund.
            let sale = try Wire.fields(try await standIn.ask(.bridgepay, Wire.sale("s")))
            let other = try #require(sale["GatewayTransID"])
            let void = try await ask("012", "v", ["TransactionType": "refund", "ReferenceNumber": other])
            #expect(try read(void, "REFUND", "12.50", of: other).types == ["Voided"])
            let close = try await ask("020", "b", ["TransactionType": "settle"])
            let closing = try Self.facts(
                BridgePayAdapter(),
                "BridgeCommResponse",
                try #require(try Self.payment(close, asked: [:])["BridgeCommResponse"])
            )
            guard case .batch(_, let events) = closing.observation.subject else { throw Unexpected() }
            #expect(events.map(\.type) == ["BatchCloseRequested"])
            let refund = try await ask(
                "012",
                "r",
                ["TransactionType": "refund", "ReferenceNumber": id, "Amount": "1000"]
            )
            let refunded = try read(refund, "REFUND", "10.00", of: id)
            #expect(refunded.types == ["Refunded"])
            #expect(refunded.given == Money(1_000, .usd))
        }
    }

    struct Unexpected: Error {}

    @Test(
        "Finds",
        arguments: [
            ("INV1", "OutcomeResolved", Resolution.Outcome.approved), ("NONE", "OutcomeResolved", .notPosted),
            ("NO", "OutcomeResolved", .declined), ("TWO", "OutcomeUnknown", nil),
        ] as [(String, String, Resolution.Outcome?)]
    )
    func finds(invoice: String, type: String, outcome: Resolution.Outcome?) async throws {
        let fields = try await withStandIn { standIn in
            _ = try await standIn.ask(.bridgepay, Wire.sale("1"))
            _ = try await standIn.ask(.bridgepay, Wire.sale("2", 9_500, invoice: "NO"))
            _ = try await standIn.ask(.bridgepay, Wire.sale("3", 600, invoice: "TWO"))
            _ = try await standIn.ask(.bridgepay, Wire.sale("4", 700, invoice: "TWO"))
            return try Wire.fields(
                try await standIn.ask(.bridgepay, Wire.bridgeComm("023", "f", ["InvoiceNum": invoice]))
            )
        }
        let find: JSONObject = [
            "invoiceNumber": .string(invoice), "merchantCode": "320000", "merchantAccountCode": "320001",
        ]
        let response = try #require(try Self.payment(fields, asked: [:])["BridgeCommResponse"])
        let facts = try Self.facts(
            BridgePayAdapter(),
            "BPNPayment",
            ["BPNFindRequest": .object(find), "BridgeCommResponse": response]
        )
        #expect(facts.types == [type])
        if case .outcomeResolved(let resolution)? = facts.events.first { #expect(resolution.outcome == outcome) }
    }

    // MARK: Handpoint

    @Test(
        "Handpoint's status",
        arguments: [
            (1_500, ["SaleRequested", "AuthorizationApproved", "Captured"]), (1_000, ["SaleRequested", "Declined"]),
            (2_000, ["SaleRequested", "Cancelled"]), (3_757, ["SaleRequested", "PartiallyApproved", "Captured"]),
            (8_050, ["SaleRequested", "OutcomeUnknown"]),
        ]
    )
    func handpoint(amount: Int, types: [String]) async throws {
        let body = try await withStandIn { standIn in
            _ = try await standIn.ask(.handpoint, Wire.terminalSale(amount))
            return try Wire.json(try await standIn.ask(.handpoint, Wire.status))
        }
        let facts = try Self.facts(HandpointAdapter(), "FinanceResponseInfo", body)
        #expect(facts.types == types)
        #expect(facts.anomalies == [], "\(facts.anomalies)")
        #expect(facts.keys == [try #require(body["efttransactionID"]?.string)])
        if amount == 1_500 { #expect(facts.captured == Money(1_500, .eur)) }
    }

    // MARK: Dejavoo

    /// SPIn's answer as `Spin_Response`: the same facts under deep linking's names.
    private static func spin(_ answer: JSONValue) throws -> JSONValue {
        let general = try #require(answer["GeneralResponse"])
        let labels = ["Sale": "Sale", "Auth": "PreAuth", "Return": "Refund", "Capture": "Ticket", "Void": "Void"]
        var response = JSONObject()
        response["RefId"] = answer["ReferenceId"]
        response["AuthCode"] = answer["AuthCode"]
        response["PNRef"] = answer["PNReferenceId"]
        for name in ["ResultCode", "Message", "HostResponseCode", "HostResponseMessage"] {
            response[name] = general[name]
        }
        var details = JSONObject()
        details["TotalAmt"] = answer["Amounts"]?["TotalAmount"]
        details["Tip"] = answer["Amounts"]?["TipAmount"]
        details["BatchNum"] = answer["BatchNumber"]
        details["AcntLast4"] = answer["CardData"]?["Last4"]
        details["RRN"] = answer["RRN"]
        details["txnLabel"] = (answer["TransactionType"]?.string).flatMap { labels[$0] }.map { .string($0) }
        response["ExtData"] = .object(details)
        return ["Spin_Response": .object(response)]
    }

    @Test(
        "SPIn's payments",
        arguments: [
            ("Sale", "12.5", ["SaleRequested", "AuthorizationApproved", "Captured"]),
            ("Auth", "12.5", ["AuthorizationRequested", "AuthorizationApproved"]),
            ("Return", "12.5", ["CreditRequested", "CreditApproved"]),
            ("Sale", "10.51", ["SaleRequested", "Declined"]),
            ("Sale", "10.91", ["SaleRequested", "OutcomeUnknown"]),
            ("Sale", "10.28", ["SaleRequested", "OutcomeUnknown"]),
        ]
    )
    func spinPayments(method: String, amount: String, types: [String]) async throws {
        let answer = try await withStandIn {
            let call = Wire.spin(method, #""ReferenceId":"r1","Amount":\#(amount)"#)
            return try Wire.json(try await $0.ask(.dejavoo, call))
        }
        let facts = try Self.facts(DejavooAdapter(), "Spin_Response", try Self.spin(answer))
        #expect(facts.types == types)
        if types.contains("Captured") { #expect(facts.captured == Money(1_250, .usd)) }
    }

    @Test("SPIn's settlement closes the batch")
    func spinSettlement() async throws {
        let answer = try await withStandIn { standIn in
            _ = try await standIn.ask(.dejavoo, Wire.spin("Sale", #""ReferenceId":"r1","Amount":12.5"#))
            return try Wire.json(try await standIn.ask(.dejavoo, Wire.spin("Settle", "")))
        }
        let facts = try Self.facts(DejavooAdapter(), "SettleResponseContract", answer)
        guard case .batch(let batch, let events) = facts.observation.subject else { throw Unexpected() }
        #expect(batch.text == "dejavoo:Z11NATASHA98:1")
        #expect(events.map(\.type) == ["BatchClosed"])
    }

    @Test(
        "iPOS Transact",
        arguments: [
            (1_250, ["SaleRequested", "AuthorizationApproved", "Captured"]), (1_005, ["SaleRequested", "Declined"]),
            (1_028, ["SaleRequested", "OutcomeUnknown"]),
        ]
    )
    func transact(cents: Int, types: [String]) async throws {
        let answer = try await withStandIn { standIn in
            let token = #""amount":"\#(cents)","cardToken":"CE268D77935FDBF3F9C72E8894A1F410""#
            return try Wire.json(try await standIn.ask(.ipos, Wire.transact(1, "a1", token)))
        }
        let reported = try #require(answer["iposTransactResponse"])
        var details: JSONObject = ["txnLabel": "Sale"]
        if let total = reported["totalAmount"]?.string.flatMap({ Int64($0) }) {
            details["TotalAmt"] = .string(Money(total, .usd).decimalText)
        }
        details["RRN"] = reported["rrn"]
        var response: JSONObject = ["ExtData": .object(details)]
        response["ResultCode"] = reported["responseCode"]?.int64 == 200 ? "0" : "1"
        response["HostResponseCode"] = reported["errResponseCode"]
        response["HostResponseMessage"] = reported["errResponseMessage"]
        let facts = try Self.facts(DejavooAdapter(), "Spin_Response", ["Spin_Response": .object(response)])
        #expect(facts.types == types)
        if types.contains("Captured") { #expect(facts.captured == Money(1_250, .usd)) }
    }
}
