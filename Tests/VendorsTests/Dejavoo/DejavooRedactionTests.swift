import Canonical
import Redaction
import Testing
import Vendors

@Suite("Dejavoo redaction")
struct DejavooRedactionTests {
    private func scrub(_ kind: String, _ body: JSONValue) -> ScrubbedDocument {
        Scrubber(schema: DejavooAdapter().redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
    }

    @Test("The merchant code is always removed: as a member, in JSON inside a string, or printed")
    func merchantCode() {
        for body: JSONValue in [
            ["tpn": "794525543578", "merchantCode": "MC-7391"],
            ["param": ["tpn": "794525543578", "merchant_code": "MC-7391"]],
            #"{"tpn": "794525543578", "merchantCode": "MC-7391"}"#,
            #"RegisterData(tpn: "794525543578", merchantCode: "MC-7391")"#,
            "{ tpn = 794525543578; merchantCode = MC-7391; }", "[\"tpn\": \"1\", \"merchantCode\": \"MC-7391\"]",
        ] {
            let document = scrub("downloadParameter", body)
            #expect(!document.value.text.contains("7391"), "\(body)")
            #expect(document.redactions.map(\.rule) == [.credential], "\(body)")
        }
    }

    @Test("Credentials, tokens and signatures of SPIn")
    func spin() {
        let document = scrub(
            "SettleResponseContract",
            [
                "Authkey": "a7391", "SPInToken": "b7391", "Signature": "Qk02NzM5MQ==", "iPOSToken": "CE268D7793",
                "Tpn": "1",
            ]
        )
        #expect(document.value["Tpn"] == "1" && document.value.object?.count == 2)
        #expect(document.value["iPOSToken"]?.string?.hasPrefix("sha256:") == true)
        #expect(Set(document.redactions.map(\.rule)) == [.credential, .cardholder, .token])
    }

    @Test("Ids made of a reference, a terminal and a time stay complete, in JSON and in print")
    func identifiers() throws {
        // The id contains a run of digits that passes the check of a card number.
        let id = "41111111111111110620240515191215"
        for body: JSONValue in [
            ["Response": ["DTxId": .string(id), "HTxId": "000000000000018"]],
            .string("{ \"Response\": { DTxId = \(id); HTxId = 000000000000018; } }"),
            .string("[\"DTxId\": \"\(id)\", \"HTxId\": \"000000000000018\"]"),
        ] {
            let document = scrub("didReceiveResponse", body)
            #expect(document.value == body && document.redactions.isEmpty, "\(document.value.text)")
        }
        // With another shape or name they are searched like any text.
        for body: JSONValue in [
            .string("{ DTxId = 4111111111111111; }"), .string("{ HTxId = 371449635392376; }"),
            .string("{ Other = \(id); }"), .string("{ DTxId = \(id)1; }"),
        ] {
            let document = scrub("didReceiveResponse", body)
            #expect(!document.redactions.isEmpty, "\(document.value.text)")
            #expect(scrub("didReceiveResponse", document.value).value == document.value)
        }
    }

    @Test("A card number, track or verification value in the printed form is removed completely")
    func planted() throws {
        let printed = try VendorFixture.named("dejavoo/v1-sale-printed").body.string ?? ""
        for place in ["3767522012", "AXS802", "413613500098", "\"100\"", "034307173484", "AMEX", "03.09.2023"] {
            for secret in ["4111111111111111", "371449635392376", ";4111111111111112=25121011234567890?"] {
                let text = printed.replacing(place, with: secret)
                let document = scrub("didReceiveResponse", .string(text))
                #expect(!document.value.text.contains(secret), "\(place)")
                #expect(!document.redactions.isEmpty)
            }
        }
        let named = scrub(
            "didReceiveResponse",
            .string(printed.replacing("TraceNo = 1;", with: "CVV = 739; PIN = 7391;"))
        )
        #expect(!named.value.text.contains("739"))
    }
}
