import Canonical
import Payments
import Testing
import Vendors

/// Captures, tips, voids and refunds that the app asked PayGuardian for.
@Suite("BridgePay follow-ups that were asked for")
struct BridgePayAskedTests {
    private static func request(_ type: String) -> JSONValue {
        [
            "transactionType": .string("TRANSACTION_TYPE_\(type)"), "pnRefNum": "214973401", "amount": "1.00",
            "tipAmount": "1.00",
        ]
    }

    private static func error(_ code: JSONValue, of type: String?) throws -> Observation {
        var body: JSONObject = ["domain": "com.bridgepaynetwork.PayGuardian", "code": code]
        if let type { body["BPNPaymentRequest"] = request(type) }
        return try BridgePayDocuments.read(.object(body), as: "NSError")
    }

    @Test(
        "A request for a follow-up names it, until it is answered",
        arguments: [
            ("VOID", FollowUp.void), ("REFUND", .refund), ("CREDIT", .refund), ("CAPTURE", .capture),
            ("TIP_ADJUST", .tipAdjustment),
        ]
    )
    func requests(type: String, followUp: FollowUp) throws {
        let asked = try BridgePayDocuments.read(Self.request(type), as: "BPNPaymentRequest")
        #expect(asked.types == ["CommandSent"])
        #expect(asked.details.contains(Detail(AskedFollowUps.detail, followUp.rawValue)))
    }

    @Test("A request for a payment names no follow-up")
    func payments() throws {
        let asked = try VendorFixture.named("bridgepay/msr-sale-request").observation()
        #expect(!asked.details.contains { $0.name == AskedFollowUps.detail })
    }

    @Test("An error refuses the follow-up, or leaves it in doubt, with its request or without")
    func errors() throws {
        #expect(try Self.error(6, of: "VOID").types.first == "FollowUpRefused")
        let lost = try Self.error("E1016", of: "VOID")
        #expect(lost.types.first == "OutcomeUnknown" && lost.anomalies.contains(.followUpInDoubt(.void)))
        let alone = try Self.error(6, of: nil)
        #expect(alone.types == ["Cancelled"])
        #expect(alone.ifAsked[.followUp(.void)]?.map(\.type) == ["FollowUpRefused"])
        let unknown = try Self.error("E1016", of: nil)
        #expect(unknown.ifAsked[.followUp(.refund)]?.contains(.anomalyRaised(.followUpInDoubt(.refund))) == true)
    }
}
