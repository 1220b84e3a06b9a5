import Canonical
import Foundation
import Payments
import Testing
import Vendors

@testable import Gateways

/// The meaning of BridgeComm's answers: facts/vendor_codes, 1.
@Suite("BridgeComm answers") struct BridgeCommAnswerTests {
    private static let sale = GatewayCall(
        .sale,
        reference: "R1",
        amount: Known.usd(750),
        token: Known.secret(Known.cardToken)
    )
    private static let void = GatewayCall(.void, reference: "R1", original: OriginalPayment(gatewayTransaction: "7"))
    private static let find = GatewayCall(.find, reference: "R2", original: OriginalPayment(invoice: "R1"))

    typealias Row = (message: String?, result: String?, verdict: GatewayAnswer.Verdict)

    static let inDoubt: [Row] =
        ["20002", "20003", "20004", "30022", "80001", "80007", "99999"].map { (nil, $0, .unknown) } + [
            ("E02 - Network", "30022", .unknown), ("E09 - Network Error", nil, .unknown),
            ("X02 - Pending", nil, .unknown),
            ("A10 - Request accepted", "00000", .unknown), ("C01", nil, .unknown),
            // Codes that contradict each other mean an unknown outcome.
            ("A01 - Approved", "30032", .unknown), ("D01 - Denied", "00000", .unknown), (nil, "70000", .unknown),
        ]

    static let ofSales: [Row] =
        inDoubt + [
            ("A01 - Approved", "00000", .approved), ("A01 - Approved", nil, .approved),
            ("A05 - Partially approved", "00001", .partiallyApproved), ("A60 - Offline", "00000", .approved),
            ("A61", "00000", .approved), ("A62", "00000", .approved),
            ("A03 - Void", "00000", .unknown), ("A12 - Tip", "00000", .unknown), (nil, "80006", .unknown),
            ("A04 - No update", "00000", .refused(code: "A04")),
            ("D09 - Duplicate", "30036", .ambiguous), (nil, "30036", .ambiguous),
            ("X01 - Cancelled", "30049", .declined), ("X04 - Expired", nil, .declined),
            (nil, "10001", .refused(code: "10001")), (nil, "10033", .refused(code: "10033")),
            (nil, "80008", .refused(code: "80008")), (nil, "800011", .refused(code: "800011")),
        ]
        + [
            "D01", "D03", "D04", "D05", "D08", "D10", "D11", "D16", "D17", "D25", "D28", "D30", "D31", "D32", "D35",
            "D77",
        ]
        .map { ($0 + " - no", nil, .declined) }
        + ["30026", "30028", "30032", "30033", "30034", "30041", "30043", "30048", "30072"].map { (nil, $0, .declined) }

    @Test("A sale", arguments: ofSales)
    func sale(_ row: Row) throws {
        #expect(try Known.bridgecomm.verdict(of: Answers.coded(row.message, row.result), to: Self.sale) == row.verdict)
    }

    static let ofVoids: [Row] =
        inDoubt + [
            ("A03 - Void", "00000", .approved), ("A06", "00000", .approved), ("A07", "00000", .approved),
            ("A11 - Approved, not reversed", "00000", .unknown), (nil, "10042", .approved),
            ("D24 - Chargeback", "30048", .declined), (nil, "10033", .refused(code: "10033")),
        ]

    @Test("A void", arguments: ofVoids)
    func void(_ row: Row) throws {
        #expect(try Known.bridgecomm.verdict(of: Answers.coded(row.message, row.result), to: Self.void) == row.verdict)
    }

    static let ofFinds: [Row] = [
        (nil, "800011", .notPosted), (nil, "80003", .ambiguous), (nil, "80007", .unknown),
        (nil, "80008", .refused(code: "80008")), (nil, "10001", .refused(code: "10001")),
        ("A01 - Approved", "00000", .approved), ("A02 - Credit", "00000", .approved),
        ("A05 - Partial", "00001", .partiallyApproved), ("A03 - Void", "00000", .ambiguous),
        ("A06 - Void", "00000", .ambiguous), ("A07 - Partial void", "00000", .ambiguous),
        ("A08 - Partial refund", "00000", .approved), ("A09 - Increment", "00000", .approved),
        ("D01 - Denied", "30032", .declined), ("D24 - Chargeback", "30048", .approved),
        ("D26 - Not settled", "30028", .ambiguous), ("X01 - Cancelled", "30049", .declined),
        ("X02 - Pending", nil, .pending(untilAgeSeconds: nil)), ("X04 - Expired", nil, .ambiguous),
        ("E02 - Network", "30022", .unknown), ("E09", nil, .unknown), (nil, "20002", .unknown),
        (nil, "20003", .unknown),
        (nil, "20004", .unknown), (nil, "80001", .unknown), (nil, "99999", .unknown),
    ]

    @Test("A find", arguments: ofFinds)
    func find(_ row: Row) throws {
        let body = Answers.coded(row.message, row.result, more: Answers.element("AuthorizedAmount", "750"))
        #expect(try Known.bridgecomm.verdict(of: body, to: Self.find) == row.verdict)
    }

    @Test("A sale's answer becomes the document that its adapter reads")
    func document() throws {
        let body = Answers.bridgecomm(
            """
            <Token>11110000000001111</Token><ExpirationDate>1227</ExpirationDate><CardHolderName>ANN OTHER</CardHolderName>
            <AuthorizationCode>786986</AuthorizationCode><AuthorizedAmount>750</AuthorizedAmount>
            <OriginalAmount>750</OriginalAmount><GatewayTransID>214972201</GatewayTransID>
            <GatewayMessage>A01 - Approved</GatewayMessage><GatewayResult>00000</GatewayResult>
            <CardType>Visa</CardType><MaskedPan>4***********9269</MaskedPan><AVSResult>00</AVSResult>
            <RemainingAmount>0</RemainingAmount><ServiceFeeResult><GatewayResult>30032</GatewayResult></ServiceFeeResult>
            """,
            header: "<TransactionID>R1</TransactionID><RequestType>004</RequestType><ResponseCode>00000</ResponseCode>"
        )
        let answer = try Known.bridgecomm.answer(WireResponse(status: 200, body: body), to: Self.sale, at: Known.now)
        #expect(answer.verdict == .approved && answer.approved == Known.usd(750))
        #expect(answer.references.gatewayTransaction == "214972201")
        #expect(answer.codes.map(\.value) == ["A01", "00000", "00000"])
        let document = try #require(answer.document)
        #expect(document.kind == "BridgeCommResponse" && document.context.occurredAt == Known.now)
        let response = try #require(document.body["BridgeCommResponse"]?.object)
        #expect(response["authorizedAmount"] == "7.50" && response["AVSResponse"] == "00")
        #expect(document.body["BPNPaymentRequest"]?["amount"] == "7.50")
        #expect(try document.eventTypes().prefix(3) == ["SaleRequested", "AuthorizationApproved", "Captured"])
        #expect(!document.body.text.contains("ANN OTHER") && !document.body.text.contains(Known.cardToken))
    }

    static let readings: [(GatewayCall, message: String, result: String, [String])] = [
        (find, "", "800011", ["OutcomeResolved"]),
        (find, "", "80003", ["OutcomeUnknown", "AnomalyRaised"]),
        (find, "A01 - Approved", "00000", ["OutcomeResolved"]),
        (void, "A03 - Void", "00000", ["Voided"]),
        (void, "E09 - Network", "30022", ["OutcomeUnknown", "AnomalyRaised"]),
        (
            GatewayCall(
                .capture,
                reference: "R1",
                original: OriginalPayment(gatewayTransaction: "7"),
                amount: Known.usd(700)
            ),
            "A01 - Approved", "00000", ["Captured"]
        ),
        (
            GatewayCall(
                .tipAdjustment,
                reference: "R1",
                original: OriginalPayment(gatewayTransaction: "7"),
                amount: Known.usd(700),
                tip: Known.usd(200)
            ), "A12 - Tip", "00000", ["TipAdjusted"]
        ),
        (
            GatewayCall(
                .refund,
                reference: "R1",
                original: OriginalPayment(gatewayTransaction: "7"),
                amount: Known.usd(700)
            ),
            "A02 - Credit", "00000", ["Refunded"]
        ),
        (
            GatewayCall(.authorization, reference: "R1", amount: Known.usd(700), token: Known.secret("t")),
            "A01 - Approved", "00000", ["AuthorizationRequested", "AuthorizationApproved"]
        ),
        (
            GatewayCall(.refund, reference: "R1", amount: Known.usd(750), token: Known.secret("t")),
            "A02 - Credit", "00000", ["CreditRequested", "CreditApproved"]
        ),
    ]

    @Test("Every operation's document is read as the requested operation", arguments: readings)
    func facts(_ call: GatewayCall, _ message: String, _ result: String, _ types: [String]) throws {
        let body = Answers.coded(
            message.isEmpty ? nil : message,
            result,
            more: Answers.element("AuthorizedAmount", "700")
        )
        let answer = try Known.bridgecomm.answer(WireResponse(status: 200, body: body), to: call, at: Known.now)
        #expect(try answer.document?.eventTypes() == types)
    }

    @Test("A token is returned to the caller, and only its digest is recorded")
    func token() throws {
        let call = GatewayCall(.token, reference: "R1", token: Known.secret("single-use"))
        let body = Answers.bridgecomm(
            "<Token>22220000000002222</Token><GatewayResult>00000</GatewayResult>",
            root: "Token"
        )
        let answer = try Known.bridgecomm.answer(WireResponse(status: 200, body: body), to: call, at: Known.now)
        #expect(answer.issuedToken == Secret("22220000000002222"))
        #expect(!"\(answer)".contains("22220000000002222"))
        #expect(
            try #require(answer.document).body["BridgeCommResponse"]?["token"]?.string?.hasPrefix("sha256:") == true
        )
    }

    static let others: [(GatewayCall, [UInt8])] = [
        (sale, Answers.coded("A01 - Approved", "00000", more: "<RequestType>019</RequestType>")),
        (sale, Answers.coded("A01 - Approved", "00000", more: "<TransactionID>R0</TransactionID>")),
        (
            GatewayCall(.find, reference: "R2", original: OriginalPayment(gatewayTransaction: "7")),
            Answers.coded("A01 - Approved", "00000", more: "<GatewayTransID>8</GatewayTransID>")
        ),
    ]

    @Test("An answer to another request is rejected", arguments: others)
    func another(_ call: GatewayCall, _ body: [UInt8]) {
        #expect { try Known.bridgecomm.verdict(of: body, to: call) } throws: {
            ($0 as? GatewayFailure)?.code == .otherAnswer
        }
    }
}
