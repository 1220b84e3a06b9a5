import Canonical
import Foundation
import Payments
import Testing

@testable import Gateways

/// Hostile answers. Each leaves the outcome unknown, and none crashes.
@Suite("Hostile answers") struct HostileAnswerTests {
    private static let call: GatewayCall = GatewayCall(
        .sale,
        reference: "R-1",
        amount: Known.usd(750),
        token: Known.secret(Known.cardToken)
    )
    private static let good: String =
        "<Auth><GatewayMessage>A01 - Approved</GatewayMessage><GatewayResult>00000</GatewayResult></Auth>"

    private static func inner(_ xml: String) -> [UInt8] { Answers.soap(Array(xml.utf8)) }
    private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
        text.utf16.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    private static let bomb: String =
        #"<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><Auth><GatewayMessage>&b;</GatewayMessage></Auth>"#

    static let hostile: [(String, [UInt8])] = [
        ("nothing", []),
        ("no XML", Array("HTTP 200, but no XML".utf8)),
        ("HTML", Array("<html><body>Sign in</body></html>".utf8)),
        ("an entity bomb", inner(bomb)),
        ("an entity bomb around the envelope", Array(bomb.utf8)),
        ("an external entity", inner(#"<!DOCTYPE Auth SYSTEM "file:///etc/passwd"><Auth/>"#)),
        ("an undeclared entity", inner("<Auth><GatewayMessage>&x;</GatewayMessage></Auth>")),
        ("an entity in an attribute", inner(#"<Auth a="&x;"><GatewayResult>00000</GatewayResult></Auth>"#)),
        ("a processing instruction", inner("<?php echo 1 ?><Auth/>")),
        ("nested deeply", inner(String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000))),
        ("many elements", inner("<Auth>" + String(repeating: "<a/>", count: 100_000) + "</Auth>")),
        ("another root", inner(good.replacing("Auth>", with: "Invoice>"))),
        ("another envelope", Array("<Response>\(Data(good.utf8).base64EncodedString())</Response>".utf8)),
        ("a fault", Array("<s:Envelope xmlns:s=\"x\"><s:Body><s:Fault/></s:Body></s:Envelope>".utf8)),
        ("bad base64", Answers.soap(encoded: "&#33;&#33;&#33;")),
        ("base64 cut off", Answers.soap(encoded: String(Data(good.utf8).base64EncodedString().dropLast(3)))),
        ("no base64", Answers.soap(encoded: "")),
        ("cut off inside", inner(String(good.dropLast(9)))),
        ("cut off outside", Array(inner(good).dropLast(20))),
        ("an open tag", inner("<Auth><GatewayResult")),
        ("an open quote", inner("<Auth a=\"><GatewayResult>00000</GatewayResult></Auth>")),
        ("two ways", inner("<Auth><GatewayResult>00000</GatewayResult><GatewayResult>30032</GatewayResult></Auth>")),
        ("no codes", inner("<Auth><AuthorizedAmount>750</AuthorizedAmount></Auth>")),
        (
            "a negative amount",
            inner(good.replacing("</Auth>", with: "<AuthorizedAmount>-7.50</AuthorizedAmount></Auth>"))
        ),
        ("bytes that are not text", Answers.soap([0x3C, 0x41, 0xFF, 0xFE, 0x3E])),
        ("half a character", Answers.soap(utf16(good, isBig: false).dropLast(1))),
        ("a lone surrogate", Answers.soap([0xFF, 0xFE, 0x3C, 0x00, 0x00, 0xD8, 0x3E, 0x00])),
        ("ten million bytes", Array(repeating: 0x3C, count: 10_000_000)),
        ("ten million in base64", Answers.soap(encoded: String(repeating: "PGE+", count: 250_000))),
    ]

    @Test("leaves the outcome unknown", arguments: hostile)
    func unanswered(_ name: String, _ body: [UInt8]) async {
        let outcome = await gateway(Known.bridgecomm, body).call(Self.call)
        guard case .unanswered(let failure) = outcome else {
            Issue.record("\(name): \(outcome)")
            return
        }
        #expect(failure.code == .malformed, "\(name)")
        // No part of the answer is repeated.
        #expect(!failure.detail.contains("passwd") && failure.detail.utf8.count < 200)
    }

    static let readable: [(String, [UInt8])] = [
        ("a prolog with utf-16 over utf-8", inner(#"<?xml version="1.0" encoding="utf-16"?>"# + good)),
        ("the same behind a mark and blanks", inner("\u{FEFF}\n <?xml version='1.0' encoding='UTF-16'?>\n" + good)),
        ("utf-16, little end first, with its mark", Answers.soap([0xFF, 0xFE] + utf16(good, isBig: false))),
        ("utf-16, big end first, with its mark", Answers.soap([0xFE, 0xFF] + utf16(good, isBig: true))),
        (
            "utf-16 without a mark",
            Answers.soap(utf16(#"<?xml version="1.0" encoding="utf-16"?>"# + good, isBig: false))
        ),
        ("utf-16 without a mark, big end first", Answers.soap(utf16(good, isBig: true))),
        (
            "comments and plain sections",
            inner("<Auth><!-- a --><GatewayMessage><![CDATA[A01 - Approved]]></GatewayMessage></Auth>")
        ),
        (
            "base64 on many lines",
            Answers.soap(encoded: Data(good.utf8).base64EncodedString(options: .lineLength64Characters))
        ),
        (
            "attributes",
            inner(
                #"<Auth xmlns:xsi="x"><Token xsi:nil="true"/><GatewayMessage x="1">A01 - Approved</GatewayMessage></Auth>"#
            )
        ),
        (
            "no wrapper, same thing twice",
            inner(
                "<Auth><responseMessage>\(good.dropFirst(6).dropLast(7))</responseMessage>\(good.dropFirst(6).dropLast(7))</Auth>"
            )
        ),
        ("entities", inner(good.replacing("A01 - Approved", with: "A01 - Approved &amp; &#65;&lt;"))),
    ]

    @Test("is read", arguments: readable)
    func answered(_ name: String, _ body: [UInt8]) async {
        let outcome = await gateway(Known.bridgecomm, body).call(Self.call)
        guard case .answered(let answer) = outcome else {
            Issue.record("\(name): \(outcome)")
            return
        }
        #expect(answer.verdict == .approved, "\(name)")
    }

    static let texts: [String] = [
        "", "no JSON", "[]", "null", "\"x\"", "{", "{}", "{\"GeneralResponse\":[]}", "{\"GeneralResponse\":{}}",
        "{\"iposTransactResponse\":{}}", "{\"finStatus\":{}}", "{\"a\":1,\"a\":2}",
        String(repeating: "[", count: 100_000), "{\"a\":\"" + String(repeating: "x", count: 2_000_000) + "\"}",
        "{\"GeneralResponse\":{\"StatusCode\":\"0000\",\"ResultCode\":\"0\"},\"Amounts\":{\"TotalAmount\":-1}, \"responseCode\":[]}",
    ]

    @Test("An invalid JSON answer leaves the outcome unknown too", arguments: texts)
    func json(_ text: String) async {
        let sale = GatewayCall(.sale, reference: "R1", amount: Known.usd(100), token: Known.secret("t"))
        let find = GatewayCall(.find, reference: "R2", original: OriginalPayment(reference: "a-1"))
        let body = Array(text.utf8)
        for (dialect, call) in [
            (Known.spin as any WireDialect, sale), (Known.transact, sale), (Known.handpoint, find), (Known.spin, find),
            (Known.transact, find),
        ] {
            let outcome = await gateway(dialect, body).call(call)
            guard case .unanswered(let failure) = outcome else {
                Issue.record("\(text.prefix(60)): \(outcome)")
                continue
            }
            #expect(failure.code == .malformed)
        }
    }

    private func gateway(_ dialect: any WireDialect, _ body: [UInt8]) -> HTTPGateway {
        HTTPGateway(
            name: "main",
            dialect: dialect,
            transport: ScriptedTransport(.response(WireResponse(status: 200, body: body))),
            gate: GatewayGate(.init(), .init(), clock: SystemClock()),
            clock: SystemClock()
        )
    }
}
