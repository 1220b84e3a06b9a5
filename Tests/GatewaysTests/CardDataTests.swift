import Canonical
import Foundation
import Payments
import Redaction
import Testing
import Vendors

@testable import Gateways

/// Forbidden data is planted in answers and calls, and must be absent from everything that is passed on.
@Suite("Card data of gateways") struct CardDataTests {
    private static let pan = "4111111111111111"
    private static let track = ";4111111111111111=27121010000012300000?"
    private static let planted = [
        pan, "371449635392376", track, "=2712101", "CVV-7391", Known.password, Known.apiKey, Known.authKey,
        Known.authToken,
        Known.cardToken, "ANN OTHER", "pin-4711", "new-password", "emvpgtest",
    ]

    private static let cards = """
        "PAN":"\(pan)","Note":"card \(pan) seen","Track2":"\(track)","CVV":"CVV-7391","PINBlock":"pin-4711",
        "Token":"\(Known.cardToken)","IPosToken":"\(Known.cardToken)","cardToken":"\(Known.cardToken)",
        "Authkey":"\(Known.authKey)","unMaskedPan":"371449635392376","cardHolderName":"ANN OTHER",
        "Memo":"\(track)"
        """

    static let planting: [(any WireDialect, GatewayCall, WireResponse)] = {
        let token = Known.secret(Known.cardToken)
        let sale = GatewayCall(.sale, reference: "R1", amount: Known.usd(100), token: token)
        let find = GatewayCall(.find, reference: "R2", original: OriginalPayment(reference: "a1", purchaseToken: token))
        let password = GatewayCall(.passwordChange, reference: "R1", newPassword: Known.secret("new-password"))
        let xml = Answers.coded(
            "A01 - Approved",
            "00000",
            more: """
                <AuthorizedAmount>100</AuthorizedAmount><PaymentAccountNumber>\(pan)</PaymentAccountNumber>\
                <Memo>card \(pan) seen</Memo><Track2>\(track)</Track2><SecurityCode>CVV-7391</SecurityCode>\
                <PINBlock>pin-4711</PINBlock><Token>\(Known.cardToken)</Token><CardHolderName>ANN OTHER</CardHolderName>\
                <User>x</User><Password>57!sE@3Fm&amp;&lt;&gt;</Password><InternalMessage>\(track)</InternalMessage>
                """
        )
        let spin =
            #"{"GeneralResponse":{"ResultCode":"0","StatusCode":"0000","Message":"\#(pan)"},"Amounts":{"TotalAmount":1.00},"CardData":{"Name":"ANN OTHER","Last4":"1111"},\#(cards)}"#
        let transact =
            #"{"iposTransactResponse":{"responseCode":200,"amount":"100","responseMessage":"\#(track)",\#(cards)},\#(cards)}"#
        let handpoint =
            #"{"finStatus":"AUTHORISED","type":"SALE","totalAmount":100,"currency":"USD","customerReceipt":"<p>\#(pan)</p>",\#(cards)}"#
        return [
            (Known.bridgecomm, sale, WireResponse(status: 200, body: xml)),
            (Known.bridgecomm, find, WireResponse(status: 200, body: xml)),
            (Known.bridgecomm, password, WireResponse(status: 200, body: xml)),
            (Known.spin, sale, Answers.json(spin)), (Known.spin, find, Answers.json(spin)),
            (Known.transact, sale, Answers.json(transact)), (Known.transact, find, Answers.json(transact)),
            (Known.handpoint, find, Answers.json(handpoint)),
        ]
    }()

    @Test(
        "An answer, its document, its facts and their printed forms contain none of it",
        arguments: planting.indices
    )
    func answers(_ index: Int) throws {
        let (dialect, call, response) = Self.planting[index]
        // The planted data is there to be found.
        #expect(String(decoding: response.body, as: UTF8.self).utf8.count > 100)
        let answer = try dialect.answer(response, to: call, at: Known.now)
        let document = try #require(answer.document)
        var shown = document.body.text + "\(answer)\(answer.response)\(answer.codes)\(answer.references)\(call)"
        shown += "\(try document.observation())"
        dump(answer, to: &shown)
        dump(call, to: &shown)
        let left = Self.planted.filter(shown.contains)
        #expect(left.isEmpty, "\(dialect.vendor) \(call.operation)")
        #expect(!document.scrubbed.redactions.isEmpty)
    }

    @Test("A failure contains none of it", arguments: planting.indices)
    func failures(_ index: Int) async throws {
        let (dialect, call, response) = Self.planting[index]
        for body in [Array(response.body.dropLast(5)), Array(Self.track.utf8)] {
            for status in [200, 302, 404, 500] {
                let gateway = HTTPGateway(
                    name: "main",
                    dialect: dialect,
                    transport: ScriptedTransport(.response(WireResponse(status: status, body: body))),
                    gate: GatewayGate(.init(), .init(), clock: SystemClock()),
                    clock: SystemClock()
                )
                let outcome = await gateway.call(call)
                var shown = "\(outcome)"
                dump(outcome, to: &shown)
                let left = Self.planted.filter(shown.contains)
                #expect(left.isEmpty)
            }
        }
    }

    @Test("A secret is never printed")
    func secrets() throws {
        let secret = try #require(Secret("pin-4711"))
        var shown = "\(secret) \(String(reflecting: secret)) \([secret]) \(Optional(secret) as Any)"
        dump(secret, to: &shown)
        #expect(!shown.contains("pin-4711"))
        #expect(Secret("") == nil)
    }

    @Test("An incomplete call is refused before it is sent")
    func checks() async {
        let transport = ScriptedTransport(.notSent(GatewayFailure(.notConnected, "")))
        let gateway = HTTPGateway(
            name: "main",
            dialect: Known.bridgecomm,
            transport: transport,
            gate: GatewayGate(.init(), .init(), clock: SystemClock()),
            clock: SystemClock()
        )
        let token = Known.secret("t")
        for call in [
            GatewayCall(.sale, reference: "", amount: Known.usd(1), token: token),
            GatewayCall(.sale, reference: "a b", amount: Known.usd(1), token: token),
            GatewayCall(.sale, reference: String(repeating: "a", count: 51), amount: Known.usd(1), token: token),
            GatewayCall(.sale, reference: "a", amount: Known.usd(-1), token: token),
            GatewayCall(.sale, reference: "a", amount: Known.usd(1), tip: Known.usd(2), token: token),
            GatewayCall(.sale, reference: "a", amount: Known.usd(5), tip: Money(2, .jpy), token: token),
        ] {
            guard case .notSent(let failure) = await gateway.call(call) else {
                Issue.record("\(call)")
                continue
            }
            #expect(failure.code == .incomplete)
        }
        #expect(await transport.requests.isEmpty)
    }
}
