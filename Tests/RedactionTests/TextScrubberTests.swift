import Redaction
import Testing

@Suite("Text scrubber")
struct TextScrubberTests {
    private func scrub(_ text: String) -> String { TextScrubber().scrub(text).text }

    @Test(
        "Private keys, complete and truncated",
        arguments: [
            ("-----BEGIN PRIVATE KEY-----\nMIIE1+/=\n-----END PRIVATE KEY-----\nrest", "[removed]\nrest"),
            ("key -----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----.", "key [removed]."),
            ("a=1 -----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk", "a=1 [removed]"),
            ("-----BEGIN EC PRIVATE KEY-----\nMHc1\n-----END", "[removed]"),
            ("-----BEGIN CERTIFICATE-----\nMIIC123\n-----END CERTIFICATE-----", nil),
            ("-----BEGIN 123 with no end", nil),
        ] as [(String, String?)]
    )
    func privateKeys(text: String, expected: String?) {
        #expect(scrub(text) == expected ?? text)
    }

    @Test(
        "Card numbers in every form",
        arguments: [
            ("4111111111111111", "411111******1111"),
            ("card 4111 1111 1111 1111 ok", "card 4111 11** **** 1111 ok"),
            ("4111-1111-1111-1111", "4111-11**-****-1111"),
            ("4111.1111.1111.1111", "4111.11**.****.1111"),
            ("4111\u{A0}1111\u{A0}1111\u{A0}1111", "4111\u{A0}11**\u{A0}****\u{A0}1111"),
            ("4111%201111%201111%201111", "4111%2011**%20****%201111"),
            ("4111%C2%A01111%C2%A01111%C2%A01111", "4111%C2%A011**%C2%A0****%C2%A01111"),
            ("pan%3D4111111111111111%26x", "pan%3D411111******1111%26x"),
            ("x=%204111111111111111", "x=%20411111******1111"),
            ("%34%31%31%31111111111111", "%34%31%31%3111******1111"),
            ("４１１１１１１１１１１１１１１１", "４１１１１１******１１１１"),
            ("٤١١١١١١١١١١١١١١١", "٤١١١١١******١١١١"),
            ("\\u0034111111111111111", "\\u003411111******1111"),
            ("371449635392376", "371449*****2376"),
            ("3714 496353 92376", "3714 49**** *2376"),
            ("4,111,111,111,111,111", "4,111,11*,***,**1,111"),
            ("id4111111111111111x", "id411111******1111x"),
            // The number with its CVV, and with its expiry and CVV.
            ("4111111111111111123", "411111******1111123"),
            ("41111111111111112512123", "411111******11112512123"),
            // Any 13 to 19 digits that pass the check, whatever their prefix.
            ("9999999999999995", "999999******9995"),
            ("9999 9999 9999 9995", "9999 99** **** 9995"),
        ]
    )
    func cardNumbers(text: String, expected: String) {
        #expect(scrub(text) == expected)
        #expect(scrub(expected) == expected)
    }

    @Test(
        "Tracks, with or without a valid check digit",
        arguments: [
            ("%B4111111111111111^DOE/JOHN^25121011234567890?", "[removed]"),
            ("swipe: %B4111111111111112^DOE/JOHN^25121011234567890? end", "swipe: [removed] end"),
            (";4111111111111112=25121011234567890?", "[removed]"),
            ("4111111111111112=25121011234567890", "[removed]"),
            ("4111111111111112D25121011234567890F", "[removed]"),
            ("%25B4111111111111112%5EDOE%2FJOHN%5E2512101%3F", "[removed]"),
            ("%3B4111111111111112%3D2512101%3F&a=b", "[removed]&a=b"),
            ("57 13 41 11 11 11 11 11 11 12 D2 51 21 01 12 34 56 78 90 0F", "[removed]"),
        ]
    )
    func tracks(text: String, expected: String) {
        #expect(scrub(text) == expected)
        #expect(TextScrubber().scrub(text).redactions == [RedactedPlace(path: "", rule: .track, action: .dropped)])
    }

    @Test(
        "Values after a sensitive name",
        arguments: [
            ("password: @\"57!sE@3Fm\"", "password: @\"[removed]\""),
            ("password = 57!sE@3Fm;\n", "password = [removed];\n"),
            ("<Password>57!sE@3Fm</Password>", "<Password>[removed]</Password>"),
            ("<ns:password type=\"x\">secret</ns:password>", "<ns:password type=\"x\">[removed]</ns:password>"),
            ("<Password><![CDATA[a<b]]></Password>", "<Password><![CDATA[[removed]]]></Password>"),
            ("a=1&password=abc%26d&b=2", "a=1&password=[removed]&b=2"),
            ("{\"cvv\" : \"123\", \"x\":1", "{\"cvv\" : \"[removed]\", \"x\":1"),
            ("{\\\"cvv\\\":\\\"123\\\",", "{\\\"cvv\\\":\\\"[removed]\\\","),
            ("{\"cvv\":123,\"amount\":5", "{\"cvv\":[removed],\"amount\":5"),
            ("Authorization: Bearer abc.def.ghi\nHost: x", "Authorization: [removed]\nHost: x"),
            ("card[cvc]=123", "card[cvc]=[removed]"),
            ("CVV 123, done", "CVV [removed], done"),
            ("Security code: 1234", "Security code: [removed]"),
            ("exp. date 12/25; expiry=12/25", "exp. date 12/25; expiry=[removed]"),
            ("pan=4111111111111112", "pan=411111******1112"),
            ("card number: 4111 1111 1111 1112", "card number: 4111 11** **** 1112"),
            ("routing number: 021000021", "routing number: *****0021"),
            ("gatewayPassword=x y", "gatewayPassword=[removed] y"),
            ("key dbk_live_0123456789abcdefghijABCDEFGHIJ made", "key [removed] made"),
        ]
    )
    func namedValues(text: String, expected: String) {
        #expect(scrub(text) == expected)
        #expect(scrub(expected) == expected)
    }

    @Test(
        "Texts without a secret stay unchanged",
        arguments: [
            "2016-10-20 14:02:46.153", "20161020140246", "20240515191215400", "RRN 400907500270", "TPN 794524937054",
            "550e8400-e29b-41d4-a716-446655440000", "12345678-1234-4123-8123-123456789012", "$13.40", "A0000000031010",
            "5***********0608", "3767522012", "411111******1111", "password: null", "pin: required", "INVALID PIN",
            "Approved: 290144 (approval code)", "A01 - Approved", "+1 800 555 0199", "4F:A0000000031010;95:8080008000",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "tip 2.00 of 9.50", "",
        ]
    )
    func harmless(text: String) {
        #expect(scrub(text) == text)
    }

    @Test("Bytes are decoded first, UTF-16 included")
    func bytes() {
        let text = "<pan>4111111111111111</pan>"
        let littleEndian: [UInt8] = text.utf8.flatMap { [$0, 0] }
        let bigEndian: [UInt8] = [0xFE, 0xFF] + text.utf8.flatMap { [0, $0] }
        for bytes in [Array(text.utf8), littleEndian, bigEndian] {
            #expect(TextScrubber().scrub(bytes: bytes).text == "<pan>411111******1111</pan>")
        }
        let broken = Array("cvv=123".utf8) + [0xFF, 0x00] + Array(" 4111111111111111".utf8)
        #expect(TextScrubber().scrub(bytes: broken).text == "cvv=[removed] 411111******1111")
    }

    @Test("Text is cut after scrubbing and between characters")
    func truncation() {
        let scrubbed = TextScrubber().scrub("é 4111111111111111")
        #expect(scrubbed.truncated(toBytes: 1).text == "")
        #expect(scrubbed.truncated(toBytes: 2).text == "é")
        #expect(scrubbed.truncated(toBytes: 14).text == "é 411111*****")
        #expect(scrubbed.truncated(toBytes: 1_000) == scrubbed)
        #expect(scrubbed.truncated(toBytes: 14).redactions == scrubbed.redactions)
        #expect(TextScrubber().scrub("👩‍👩‍👧‍👦x").truncated(toBytes: 10).text == "")
    }

    @Test(
        "Hostile text takes linear time",
        arguments: [
            "4111 ", "4", "password:", "pin:", "cid:{", "cid:\"", "<pan>", "<pan ", "%25", "0000000000000^",
            "1111111111111D", "pan=",
            "cvv[", "\\", "a b ", "550e8400-",
        ]
    )
    func hostile(part: String) {
        // With quadratic time each of these would take minutes.
        let text = String(repeating: part, count: 40_000 / part.utf8.count)
        let scrubbed = TextScrubber().scrub(text)
        #expect(TextScrubber().scrub(scrubbed.text).text == scrubbed.text)
    }
}
