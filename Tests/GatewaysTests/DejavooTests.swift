import Canonical
import Payments
import Testing
import Vendors

@testable import Gateways

@Suite("Dejavoo SPIn") struct SpinTests {
    private static let end =
        #""PrintReceipt":"No","GetReceipt":"No","CaptureSignature":false,"GetExtendedData":false,"#
        + #""Tpn":"Z11NATASHA98","Authkey":"zbhRAW9N6x"}"#
    private static let paid = OriginalPayment(reference: "d6c871b6a580", lastFour: "4111", amount: Known.usd(105))

    static let requests: [(GatewayCall, path: String, body: String)] = [
        (
            GatewayCall(.sale, reference: "a1", amount: Known.usd(1230), tip: Known.usd(30), invoice: "7"), "Sale",
            #"{"Amount":12.30,"TipAmount":0.30,"InvoiceNumber":"7","PaymentType":"Credit","ReferenceId":"a1","#
        ),
        (
            GatewayCall(.authorization, reference: "a1", amount: Known.usd(5), tender: "debit"), "Auth",
            #"{"Amount":0.05,"InvoiceNumber":"a1","PaymentType":"Debit","ReferenceId":"a1","#
        ),
        (
            GatewayCall(.refund, reference: "a1", original: paid, amount: Known.usd(100)), "Return",
            #"{"Amount":1.00,"InvoiceNumber":"a1","PaymentType":"Credit","ReferenceId":"a1","#
        ),
        (
            GatewayCall(.capture, reference: "a1", original: paid, amount: Known.usd(100)), "Capture",
            #"{"Amount":1.00,"PaymentType":"Credit","ReferenceId":"d6c871b6a580","#
        ),
        (
            GatewayCall(.void, reference: "a1", original: paid), "Void",
            #"{"Amount":1.05,"PaymentType":"Credit","ReferenceId":"d6c871b6a580","#
        ),
        (
            GatewayCall(.tipAdjustment, reference: "a1", original: paid, amount: Known.usd(120), tip: Known.usd(20)),
            "TipAdjust",
            #"{"Amount":1.20,"TipAmount":0.20,"CardLast4":"4111","PaymentType":"Credit","ReferenceId":"d6c871b6a580","#
        ),
        (
            GatewayCall(.find, reference: "a1", original: paid), "Status",
            #"{"PaymentType":"Credit","ReferenceId":"d6c871b6a580","#
        ),
    ]

    @Test("Every request has exactly these bytes", arguments: requests)
    func bytes(_ call: GatewayCall, _ path: String, _ body: String) throws {
        let request = try Known.spin.request(for: call, at: Known.now)
        #expect(request.method == .post && request.path == "/v2/Payment/\(path)")
        #expect(String(decoding: request.body ?? [], as: UTF8.self) == body + Self.end)
        #expect(request.headers == [.init("Content-Type", "application/json"), .init("Accept", "application/json")])
    }

    @Test("Every supported operation is covered here, the others are refused with a reason")
    func support() {
        for operation in GatewayOperation.allCases {
            let isHere = Self.requests.contains { $0.0.operation == operation }
            #expect((Known.spin.support(for: operation) == .supported) == isHere)
        }
        #expect(throws: GatewayFailure.self) { try Known.body(Known.spin, GatewayCall(.void, reference: "a1")) }
        #expect(throws: GatewayFailure.self) {
            try Known.body(Known.spin, GatewayCall(.sale, reference: "a1", amount: Money(100, .jpy)))
        }
    }

    private static func general(_ status: String, result: String = "1", host: String? = nil, text: String = "x")
        -> String
    {
        let host = host.map { #""HostResponseCode":"\#($0)","HostResponseMessage":"\#(text)","# } ?? ""
        return #""GeneralResponse":{\#(host)"ResultCode":"\#(result)","StatusCode":"\#(status)","Message":"\#(text)","#
            + #""DetailedMessage":"\#(text)"}"#
    }

    private static let paidAmounts = #","Amounts":{"TotalAmount":1.05,"Amount":1,"TipAmount":null,"FeeAmount":0.03}"#

    static let codes: [(String, sale: GatewayAnswer.Verdict, find: GatewayAnswer.Verdict)] =
        [
            (general("0000", result: "0"), .approved, .approved),
            (general("0000", result: "0", host: "00", text: "APPROVAL"), .approved, .approved),
            (general("0000", result: "0", host: "10"), .partiallyApproved, .partiallyApproved),
            (general("0001", result: "0"), .partiallyApproved, .partiallyApproved),
            // Contradictions.
            (general("0000", result: "1"), .unknown, .unknown),
            (general("0000", result: "0", host: "05"), .unknown, .unknown),
            (general("1015", host: "00"), .unknown, .unknown),
            (general("1015", host: "91", text: "HOST NO RESPONSE"), .unknown, .unknown),
            (general("1015"), .declined, .declined),
            (general("1015", host: "05", text: "DECLINE"), .declined, .declined),
            (general("1015", host: "51"), .declined, .declined), (general("1012"), .declined, .declined),
            (general("1000"), .refused(code: "1000"), .pending(untilAgeSeconds: nil)),
            (general("2008", result: "2"), .refused(code: "2008"), .pending(untilAgeSeconds: nil)),
            (general("1011", text: "Duplicate Reference Id"), .ambiguous, .ambiguous),
            (general("1001", text: "Not Found"), .refused(code: "1001"), .notPosted),
            (general("2009", result: "2", text: "Transaction not found"), .refused(code: "2009"), .notPosted),
            // A printer error, by the older table.
            (general("1001", text: "Printer error"), .unknown, .unknown), (general("1004"), .unknown, .unknown),
            (general("1004", text: "Not Allowed"), .refused(code: "1004"), .refused(code: "1004")),
        ]
        + [
            "1002", "1003", "1007", "1008", "1009", "1010", "1013", "1016", "1017", "1019", "2001", "2002", "2003",
            "2011",
        ]
        .map { (general($0), .refused(code: $0), .refused(code: $0)) }
        + ["1005", "1006", "1014", "1018", "1030", "1500", "1999", "2007", "2010", "2110", "4711", "12", "zz"]
        .map { (general($0, result: "2"), .unknown, .unknown) }

    @Test("The meaning of the codes, for a sale and for a query", arguments: codes)
    func verdicts(_ general: String, _ sale: GatewayAnswer.Verdict, _ find: GatewayAnswer.Verdict) throws {
        let body = Array("{\(general)\(Self.paidAmounts)}".utf8)
        let asked = GatewayCall(.sale, reference: "a1", amount: Known.usd(105))
        #expect(try Known.spin.verdict(of: body, to: asked) == sale)
        var original = OriginalPayment(reference: "a1", isBatchOpen: true)
        #expect(try Known.spin.verdict(of: body, to: GatewayCall(.find, reference: "b", original: original)) == find)
        // For a batch that may be closed, "not found" proves nothing.
        original.isBatchOpen = false
        let late = try Known.spin.verdict(of: body, to: GatewayCall(.find, reference: "b", original: original))
        #expect(late == (find == .notPosted ? .unknown : find))
    }

    private static func answer(_ more: String) -> WireResponse {
        Answers.json("{\(general("0000", result: "0", host: "00", text: "APPROVAL"))\(paidAmounts)\(more)}")
    }

    static let documents: [(GatewayCall, WireResponse, [String])] = [
        (
            GatewayCall(.sale, reference: "a1", amount: Known.usd(100)),
            answer(#","TransactionType":"Sale","ReferenceId":"a1","BatchNumber":"103","RRN":"413613500098""#),
            ["SaleRequested", "AuthorizationApproved", "Captured"]
        ),
        (
            GatewayCall(.authorization, reference: "a1", amount: Known.usd(100)), answer(""),
            ["AuthorizationRequested", "AuthorizationApproved"]
        ),
        (GatewayCall(.capture, reference: "a2", original: paid, amount: Known.usd(100)), answer(""), ["Captured"]),
        (GatewayCall(.void, reference: "a2", original: paid), answer(""), ["Voided"]),
        (
            GatewayCall(.refund, reference: "a2", amount: Known.usd(100)), answer(""),
            ["CreditRequested", "CreditApproved"]
        ),
        (
            GatewayCall(.tipAdjustment, reference: "a2", original: paid, amount: Known.usd(120), tip: Known.usd(20)),
            answer(""), ["TipAdjusted"]
        ),
        (
            GatewayCall(.find, reference: "a2", original: paid), answer(#","TransactionType":"Sale""#),
            ["OutcomeResolved"]
        ),
        (
            GatewayCall(.find, reference: "a2", original: paid), answer(#","TransactionType":"Sale","Voided":true"#),
            ["OutcomeResolved", "Voided"]
        ),
        (
            GatewayCall(.find, reference: "a2", original: OriginalPayment(reference: "a1", isBatchOpen: true)),
            Answers.json("{\(general("1001", text: "Not Found"))}"), ["OutcomeResolved"]
        ),
        (
            GatewayCall(.find, reference: "a2", original: OriginalPayment(reference: "a1")),
            Answers.json("{\(general("1001", text: "Not Found"))}"), ["OutcomeUnknown"]
        ),
        (
            GatewayCall(.sale, reference: "a1", amount: Known.usd(100)),
            Answers.json("{\(general("2007", result: "2"))}"),
            ["SaleRequested", "OutcomeUnknown"]
        ),
        (
            GatewayCall(.void, reference: "a2", original: paid), Answers.json("{\(general("2007", result: "2"))}"),
            ["OutcomeUnknown", "AnomalyRaised"]
        ),
    ]

    @Test("The document is read as the requested operation", arguments: documents)
    func facts(_ call: GatewayCall, _ response: WireResponse, _ types: [String]) throws {
        let answer = try Known.spin.answer(response, to: call, at: Known.now)
        #expect(try answer.document?.eventTypes() == types)
    }

    @Test("A payment that was voided since needs review, and an answer about another reference is rejected")
    func odd() throws {
        let find = GatewayCall(.find, reference: "a2", original: Self.paid)
        #expect(try Known.spin.answer(Self.answer(#","Voided":true"#), to: find, at: Known.now).verdict == .ambiguous)
        #expect { try Known.spin.answer(Self.answer(#","ReferenceId":"zz""#), to: find, at: Known.now) } throws: {
            ($0 as? GatewayFailure)?.code == .otherAnswer
        }
    }

    @Test("The name of a payment is valid for its terminal and batch")
    func names() throws {
        let response = Self.answer(#","ReferenceId":"a1","BatchNumber":"0103""#)
        let call = GatewayCall(.sale, reference: "a1", amount: Known.usd(100))
        let answer = try Known.spin.answer(response, to: call, at: Known.now)
        #expect(answer.references.gatewayTransaction == "a1" && answer.approved == Known.usd(105))
        let keys = try #require(answer.document).observation().keys.map(\.text)
        #expect(keys.contains("dejavoo:vendor-transaction:Z11NATASHA98/103/a1"))
    }
}

@Suite("Dejavoo iPOS Transact") struct TransactTests {
    private static let token = Known.secret(Known.cardToken)
    private static let original = OriginalPayment(reference: "p-1", retrievalReference: "413613500098")

    static let requests: [(GatewayCall, transaction: String)] = [
        (
            GatewayCall(.sale, reference: "a1", amount: Known.usd(1230), token: token),
            #"{"transactionType":1,"amount":"1230","cardToken":"11110000000001111","#
        ),
        (
            GatewayCall(.authorization, reference: "a1", amount: Known.usd(5), token: token),
            #"{"transactionType":5,"amount":"5","cardToken":"11110000000001111","#
        ),
        (
            GatewayCall(.void, reference: "a1", original: original),
            #"{"transactionType":2,"amount":"0","RRN":"413613500098","#
        ),
        (
            GatewayCall(.refund, reference: "a1", original: original, amount: Known.usd(100)),
            #"{"transactionType":3,"amount":"100","RRN":"413613500098","#
        ),
        (
            GatewayCall(.capture, reference: "a1", original: original, amount: Known.usd(100)),
            #"{"transactionType":6,"amount":"100","RRN":"413613500098","#
        ),
    ]

    @Test("Every request has exactly these bytes", arguments: requests)
    func bytes(_ call: GatewayCall, _ transaction: String) throws {
        let request = try Known.transact.request(for: call, at: Known.now)
        let body =
            #"{"merchantAuthentication":{"merchantId":"816012345678","transactionReferenceId":"a1"},"#
            + #""transactionRequest":"# + transaction
            + #""applySteamSettingTipFeeTax":false},"preferences":{"eReceipt":false}}"#
        #expect(request.method == .post && request.path == "/iposTransact")
        #expect(String(decoding: request.body ?? [], as: UTF8.self) == body)
        #expect(request.headers.first == .init("token", Known.authToken))
    }

    @Test("A query is sent to the status interface")
    func query() throws {
        let request = try Known.transact.request(
            for: GatewayCall(.find, reference: "a2", original: Self.original),
            at: Known.now
        )
        #expect(request.method == .post && request.path == "/iposTransactStatus" && request.isQuery)
        #expect(
            String(decoding: request.body ?? [], as: UTF8.self)
                == #"{"merchantId":"816012345678","transactionReferenceId":"p-1"}"#
        )
        #expect(request.headers.first == .init("token", Known.authToken))
        let sale = GatewayCall(.sale, reference: "a1", amount: Known.usd(100), token: Self.token)
        #expect(try !Known.transact.request(for: sale, at: Known.now).isQuery)
    }

    static let incomplete: [GatewayCall] = [
        GatewayCall(.sale, reference: "a23456789012345678901", amount: Known.usd(1), token: token),
        GatewayCall(.sale, reference: "a1", amount: Known.usd(1)),
        GatewayCall(.sale, reference: "a1", amount: Known.usd(100_000_000), token: token),
        GatewayCall(.sale, reference: "a1", amount: Money(1, .jpy), token: token),
        GatewayCall(.void, reference: "a1"),
        GatewayCall(.find, reference: "a1", original: OriginalPayment(reference: "a&tpn=2")),
    ]

    @Test("An incomplete call is not sent", arguments: incomplete)
    func missing(_ call: GatewayCall) {
        #expect(throws: GatewayFailure.self) { try Known.transact.request(for: call, at: Known.now) }
    }

    static let answers: [(String, GatewayAnswer.Verdict)] = [
        (#"{"iposTransactResponse":{"responseCode":200,"errResponseCode":"00","amount":"100"}}"#, .approved),
        (#"{"iposTransactResponse":{"responseCode":"200","amount":"100"}}"#, .approved),
        (#"{"iposTransactResponse":{"responseCode":200,"errResponseCode":"10","amount":"100"}}"#, .partiallyApproved),
        (#"{"iposTransactResponse":{"responseCode":200,"errResponseCode":"05","amount":"100"}}"#, .unknown),
        (#"{"iposTransactResponse":{"responseCode":400}}"#, .declined),
        (#"{"iposTransactResponse":{"responseCode":400,"errResponseCode":"51"}}"#, .declined),
        (#"{"iposTransactResponse":{"responseCode":400,"errResponseCode":"94"}}"#, .ambiguous),
        (
            #"{"iposTransactResponse":{"responseCode":400,"errResponseCode":"91","errResponseMessage":"HOST NO RESPONSE"}}"#,
            .unknown
        ),
        (#"{"iposTransactResponse":{"responseCode":400,"errResponseCode":"DEJ_ERR_003"}}"#, .unknown),
        (#"{"iposTransactResponse":{"responseCode":500}}"#, .unknown),
        (#"{"iposTransactResponse":{"errorCode":"AUTH_ERR_006"}}"#, .refused(code: "AUTH_ERR_006")),
        (#"{"errors":[{"field":"amount","message":"invalid"}]}"#, .refused(code: "")),
    ]

    @Test("The meaning of the codes", arguments: answers)
    func verdicts(_ text: String, _ verdict: GatewayAnswer.Verdict) throws {
        let call = GatewayCall(.sale, reference: "a1", amount: Known.usd(100), token: Self.token)
        #expect(try Known.transact.verdict(of: Array(text.utf8), to: call) == verdict)
    }

    static let documents: [(GatewayCall, String, [String])] = [
        (
            GatewayCall(.sale, reference: "a1", amount: Known.usd(100), token: token),
            #"{"iposTransactResponse":{"responseCode":200,"amount":"100","rrn":"1","transactionReferenceId":"a1"}}"#,
            ["SaleRequested", "AuthorizationApproved", "Captured"]
        ),
        (
            GatewayCall(.void, reference: "a1", original: original), #"{"iposTransactResponse":{"responseCode":200}}"#,
            ["Voided"]
        ),
        (
            GatewayCall(.refund, reference: "a1", original: original, amount: Known.usd(100)),
            #"{"iposTransactResponse":{"responseCode":200,"transactionId":"77"}}"#, ["Refunded"]
        ),
        (
            GatewayCall(.capture, reference: "a1", original: original, amount: Known.usd(100)),
            #"{"iposTransactResponse":{"responseCode":200,"amount":"1.00"}}"#, ["Captured"]
        ),
        (
            GatewayCall(.find, reference: "a1", original: original),
            #"{"status":"Success","data":{"responseCode":200,"totalAmount":"103"}}"#, ["OutcomeResolved"]
        ),
        (
            GatewayCall(.find, reference: "a1", original: original),
            #"{"iposHPResponse":{"responseCode":400,"totalAmount":1.03}}"#, ["OutcomeResolved"]
        ),
        (
            GatewayCall(.find, reference: "a1", original: original), #"{"status":"Pending","data":{}}"#,
            ["OutcomeUnknown"]
        ),
    ]

    @Test("The document is read as the requested operation", arguments: documents)
    func facts(_ call: GatewayCall, _ text: String, _ types: [String]) throws {
        let answer = try Known.transact.answer(Answers.json(text), to: call, at: Known.now)
        #expect(try answer.document?.eventTypes() == types)
    }

    @Test("A payment that is pending there is queried again")
    func pending() throws {
        let find = GatewayCall(.find, reference: "a1", original: Self.original)
        let body = Array(#"{"status":"Pending","data":{}}"#.utf8)
        #expect(try Known.transact.verdict(of: body, to: find) == .pending(untilAgeSeconds: nil))
    }
}
