import Canonical
import Redaction
import Testing

@Suite("Document scrubber")
struct ScrubberTests {
    private static let schema = RedactionSchema([
        (["password"], .drop(.credential)), (["maskedPAN"], .maskCardNumber), (["token"], .digest(.token)),
        (["response.networkMerchantID"], .identifier(.init(.digits, 1...15))),
        (["txnId"], .identifier(.init(.digitsEndingInTime, 32...32))), (["time"], .identifier(.time)),
        (["invoice"], .identifier(.init(.alphanumeric, 1...12))),
    ])

    private func scrub(_ text: String, schema: RedactionSchema = Self.schema) throws -> ScrubbedDocument {
        Scrubber(schema: schema).scrub(UnscrubbedDocument(try JSONValue(parsing: text)))
    }

    private func redaction(_ path: String, _ rule: RedactedPlace.Rule, _ action: RedactedPlace.Action) -> RedactedPlace
    {
        RedactedPlace(path: path, rule: rule, action: action)
    }

    @Test(
        "Declarations for a field also apply to a text that prints it",
        arguments: [
            ("txnId = 41111111111111110620240515191215;", nil),
            (#"["txnId": "41111111111111110620240515191215"]"#, nil),
            // Of another shape, or not declared.
            ("txnId = 4111111111111111;", "txnId = 411111******1111;"),
            ("other = 41111111111111110620240515191215;", "other = 411111******11110620240515191215;"),
            ("maskedPAN: 4111111111111112", "maskedPAN: 411111******1112"),
            // Declared only below another member, which a text does not show.
            ("networkMerchantID = 000000000000018;", "networkMerchantID = 000000*****0018;"),
        ] as [(String, String?)]
    )
    func declaredInText(text: String, expected: String?) {
        let scrubbed = Scrubber(schema: Self.schema).scrub(UnscrubbedDocument(.string(text)))
        #expect(scrubbed.value.string == expected ?? text)
        #expect(Scrubber(schema: Self.schema).scrub(UnscrubbedDocument(scrubbed.value)).value == scrubbed.value)
    }

    @Test(
        "Fields by name, whatever the vendor",
        arguments: [
            (#"{"Password":"a","user_password":"b","x":{"privateKey":[1,2]}}"#, #"{"x":{}}"#),
            (#"{"cvv":123,"CVV2":"9","card_code":{"a":1},"cvc":null}"#, #"{"cvc":null}"#),
            (#"{"CID":"40","cid":"1234"}"#, #"{"CID":"40"}"#),
            (#"{"Track-1":"x","track2":";4=1?","trackData":true,"magData":""}"#, #"{"magData":""}"#),
            (#"{"pin":1234,"pinBlock":"ABCD","pinEntered":"NO"}"#, #"{"pinEntered":"NO"}"#),
            (#"{"expirationDate":"1225","exp":1225,"expiry":"(null)"}"#, #"{"expiry":"(null)"}"#),
            (#"{"cardHolderName":"DOE/JOHN","name":"Shop"}"#, #"{"name":"Shop"}"#),
            (#"{"cardNumber":"4111 1111 1111 1112"}"#, #"{"cardNumber":"4111 11** **** 1112"}"#),
            (#"{"cardNumber":4111111111111112}"#, #"{"cardNumber":"411111******1112"}"#),
            (
                #"{"pan":["4111111111111112",{"value":411111111111111}]}"#,
                #"{"pan":["411111******1112",{"value":"411111*****1111"}]}"#
            ),
            (#"{"pan":"3767522012","accountNumber":"1234"}"#, #"{"pan":"3767522012","accountNumber":"1234"}"#),
            (
                #"{"bankAccountNumber":"12345678","routingNumber":"021000021"}"#,
                #"{"bankAccountNumber":"****5678","routingNumber":"*****0021"}"#
            ),
            (#"{"authorization":"Bearer x"}"#, #"{}"#),
            (#"{"authorization":{"code":"290144"}}"#, #"{"authorization":{"code":"290144"}}"#),
            (
                #"[{"name":"cvv","value":"123"},{"tag":"57","value":"4111111111111112D2512"}]"#,
                #"[{"name":"cvv"},{"tag":"57"}]"#
            ),
            (
                #"{"57":"4111111111111112D2512","5A":"4111111111111112","99":7,"5F24":"251231","9F26":"0011"}"#,
                #"{"5A":"411111******1112","99":7,"9F26":"0011"}"#
            ),
        ]
    )
    func generalNames(document: String, expected: String) throws {
        let scrubbed = try scrub(document, schema: .none)
        #expect(scrubbed.value.text == expected)
        #expect(Scrubber().scrub(UnscrubbedDocument(scrubbed.value)).value == scrubbed.value)
    }

    @Test(
        "Values by shape, at any place",
        arguments: [
            (#"{"a":["4111111111111111"]}"#, #"{"a":["411111******1111"]}"#),
            (#"{"a":4111111111111111}"#, #"{"a":"411111******1111"}"#),
            (#"{"a":-4111111111111111}"#, #"{"a":"-411111******1111"}"#),
            (#"{"a":4.111111111111111E15}"#, #"{"a":"411111******1111"}"#),
            (#"{"a":4.111111111111111e+15}"#, #"{"a":"411111******1111"}"#),
            (#"{"a":4111111111111111.0}"#, #"{"a":"411111******1111.0"}"#),
            (#"{"4111111111111111":1}"#, #"{"411111******1111":1}"#),
            (#"{"4111111111111111":1,"4111111112111110":2}"#, #"{"411111******1111":1,"411111******1110":2}"#),
            (#"{"a":"{\"cvv\":\"123\",\"pan\":4111111111111112}"}"#, #"{"a":"{\"pan\":\"411111******1112\"}"}"#),
            (#"{"a":"[ 1,  2 ]"}"#, #"{"a":"[ 1,  2 ]"}"#),
            (#"{"a":"password=57!sE@3Fm"}"#, #"{"a":"password=[removed]"}"#),
            (
                #"{"a":"4F:A0000000031010;57:4111111111111112D2512;5A:4111111111111112;8A:"}"#,
                #"{"a":"4F:A0000000031010;5A:411111******1112;8A:"}"#
            ),
            (
                #"{"a":"4F:A0000000031010;9F10:06010A03A00000;9B:6800;91:;8A:"}"#,
                #"{"a":"4F:A0000000031010;9F10:06010A03A00000;9B:6800;91:;8A:"}"#
            ),
            (#"{"a":"9F26:4111111111111111;95:00"}"#, #"{"a":"9F26:411111******1111;95:00"}"#),
            // The Greek question mark looks like a semicolon and is equivalent to it.
            (
                #"{"a":"4F:A0000000031010\u037e99:1A2B3C4D5E6F7081\u037e95:8080008000"}"#,
                #"{"a":"4F:A0000000031010;95:8080008000"}"#
            ),
            (
                #"{"a":"a 99:1A2B3C4D5E6F7081\u037e95:8080008000"}"#,
                #"{"a":"a 99:[removed];95:8080008000"}"#
            ),
            (
                #"{"a":"9F0206000000001000570A4111111111111112D2515A084111111111111112"}"#,
                #"{"a":"9F0206000000001000"}"#
            ),
            (#"{"a":"700C5F24032512319F2701405702AABB"}"#, #"{"a":"700C5F24032512319F2701405702AABB"}"#),
            (#"{"a":"700A5F24032512319F270140"}"#, #"{"a":"70049F270140"}"#),
            // Padding, lengths with more bytes than needed, an invalid vendor tag, deep nesting.
            (#"{"a":"00009F27014000005F2403251231FFFF"}"#, #"{"a":"9F270140"}"#),
            (#"{"a":"9F27810140578200084111111111111112"}"#, #"{"a":"9F270140"}"#),
            (#"{"a":"9F84021C925F24032512319F270140"}"#, #"{"a":"9F84021C929F270140"}"#),
            (#"{"a":"E00CE10A5F24032512319F270140"}"#, #"{"a":"E006E1049F270140"}"#),
            // Padding alone does not make a number TLV.
            (#"{"a":"000057021234"}"#, #"{"a":"000057021234"}"#),
        ]
    )
    func generalValues(document: String, expected: String) throws {
        let scrubbed = try scrub(document, schema: .none)
        #expect(scrubbed.value.text == expected)
        #expect(Scrubber().scrub(UnscrubbedDocument(scrubbed.value)).value == scrubbed.value)
    }

    @Test("A body with broken characters is searched as the document without them")
    func brokenCharacters() {
        let bytes = Array(#"{"cardholder"#.utf8) + [0xFF, 0xFE] + Array(#"":"DOE/JOHN","reference":"45678135"}"#.utf8)
        let scrubbed = Scrubber().scrub(UnscrubbedDocument(unreadable: bytes))
        #expect(scrubbed.value.string?.contains("DOE") == false)
        #expect(scrubbed.value.string?.contains("45678135") == true)
        #expect(Scrubber().scrub(UnscrubbedDocument(scrubbed.value)).value == scrubbed.value)
    }

    @Test("A secret at the end of a long list of objects is removed")
    func longLists() throws {
        let document = #"{"a":""# + String(repeating: "9F270140", count: 3_000) + #"5F2403251231"}"#
        let scrubbed = try scrub(document, schema: .none)
        #expect(scrubbed.value["a"]?.string == String(repeating: "9F270140", count: 3_000))
        #expect(scrubbed.redactions == [redaction("/a", .expiry, .dropped)])
    }

    @Test("Names that become equal by masking are both kept")
    func collidingNames() throws {
        let scrubbed = try scrub(#"{"4111111111111111":1,"4111111111291111":2,"4111111111371111":3}"#, schema: .none)
        let keys = scrubbed.value.object?.members.map(\.key)
        #expect(keys == ["411111******1111", "411111******1111#2", "411111******1111#3"])
    }

    @Test("Declared identifiers are not searched if they have their shape")
    func identifiers() throws {
        let kept =
            #"{"response":{"networkMerchantID":"518564010126944"},"txnId":"00000433772392582420240109012159","#
            + #""time":20161020140246,"invoice":"123456789015"}"#
        #expect(try scrub(kept).value.text == kept)
        #expect(try scrub(kept).redactions.isEmpty)
        // In another place or shape, the same digits are searched.
        #expect(
            try scrub(#"{"networkMerchantID":"518564010126944"}"#).value.text
                == #"{"networkMerchantID":"518564*****6944"}"#
        )
        #expect(
            try scrub(#"{"response":{"networkMerchantID":"371449635392376"}}"#).value.text
                == #"{"response":{"networkMerchantID":"371449*****2376"}}"#
        )
        #expect(try scrub(#"{"invoice":"4111111111111111"}"#).value.text == #"{"invoice":"411111******1111"}"#)
        #expect(try scrub(#"{"invoice":["4111111111111111"]}"#).value.text == #"{"invoice":["411111******1111"]}"#)
        #expect(try scrub(#"{"txnId":"4111111111111111"}"#).value.text == #"{"txnId":"411111******1111"}"#)
    }

    @Test("Payment tokens are digested once; a card number in their place is masked")
    func tokens() throws {
        let scrubbed = try scrub(#"{"token":"11110000000068530608"}"#)
        let digest = try #require(scrubbed.value["token"]?.string)
        #expect(digest == PaymentTokenDigest.text(of: "11110000000068530608"))
        #expect(digest.hasPrefix("sha256:") && digest.utf8.count == 71)
        #expect(scrubbed.redactions == [redaction("/token", .token, .digested)])
        let again = Scrubber(schema: Self.schema).scrub(UnscrubbedDocument(scrubbed.value))
        #expect(again.value == scrubbed.value)
        #expect(again.redactions.isEmpty)
        #expect(try scrub(#"{"token":"4111 1111 1111 1111"}"#).value.text == #"{"token":"4111 11** **** 1111"}"#)
        #expect(try scrub(#"{"token":null}"#).redactions.isEmpty)
    }

    @Test("The published digest of a token")
    func digestVector() {
        // FIPS 180-4 example: SHA-256 of "abc".
        #expect(
            PaymentTokenDigest.text(of: "abc")
                == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
    }

    @Test("Every place is listed with a scrubbed pointer")
    func pointers() throws {
        let scrubbed = try scrub(
            #"{"a/b":[{"cvv":"1"},"4111111111111111"],"4111111111111111~":{"password":"x"},"maskedPAN":"4111111111111112"}"#
        )
        #expect(
            scrubbed.redactions == [
                redaction("/a~1b/0/cvv", .cvv, .dropped), redaction("/a~1b/1", .pan, .masked),
                redaction("/411111******1111~0", .pan, .masked),
                redaction("/411111******1111~0/password", .credential, .dropped),
                redaction("/maskedPAN", .pan, .masked),
            ]
        )
        let first = try #require(scrubbed.redactions.first)
        #expect(first.rule.rawValue == "cvv" && first.action.rawValue == "dropped")
    }

    @Test("The list of redactions is bounded, but everything is scrubbed")
    func bounds() throws {
        let many = "[" + Array(repeating: #""4111111111111111""#, count: 1_500).joined(separator: ",") + "]"
        let scrubbed = try scrub(many, schema: .none)
        #expect(scrubbed.redactions.count == Scrubber.listedRedactions)
        #expect(scrubbed.unlistedRedactions == 500)
        #expect(!scrubbed.value.text.contains("4111111111111111"))
        // Without a limit, a long name above many places would make the list far larger than the document.
        let name = String(repeating: "n", count: 100_000)
        let deep = try scrub("{\"\(name)\":\(many)}", schema: .none)
        #expect(deep.redactions.allSatisfy { $0.path.utf8.count < 100 })
    }

    @Test("The time for nested masks and pairs is linear in their size")
    func nesting() throws {
        for opening in [#"{"pan":"#, #"{"name":"cvv2x","value":"#, #"{"tag":"5A","value":"#] {
            let text = String(repeating: opening, count: 60) + "1" + String(repeating: "}", count: 60)
            #expect(try scrub(text, schema: .none).value.text == text, "\(opening)")
        }
    }

    @Test("A body that cannot be parsed becomes one scrubbed string")
    func unreadable() {
        let body = Array(#"{"amount":"5.00","cvv":"123","pan":"4111111111111111""#.utf8)
        let scrubbed = Scrubber().scrub(UnscrubbedDocument(unreadable: body))
        #expect(scrubbed.value == #"{"amount":"5.00","cvv":"[removed]","pan":"411111******1111""#)
        #expect(scrubbed.redactions == [redaction("", .cvv, .dropped), redaction("", .pan, .masked)])
    }

    @Test("The strictest of several schemas' treatments of a field wins, in any order")
    func strictest() {
        let keeps = RedactionSchema(
            [(["a", "x.c"], .markup), (["b"], .identifier(.init(.digits, 1...9)))],
            document: .markup
        )
        let drops = RedactionSchema([(["a", "b", "c"], .drop(.credential))], document: .drop(.credential))
        for schema in [
            RedactionSchema(anyOf: [keeps, drops]), RedactionSchema(anyOf: [drops, keeps]), keeps.joined(with: drops),
        ] {
            func scrub(_ value: JSONValue) -> JSONValue {
                Scrubber(schema: schema).scrub(UnscrubbedDocument(value)).value
            }
            #expect(scrub(["a": "1", "b": "2", "x": ["c": "3"], "d": "4"]) == ["x": [:], "d": "4"])
            for bare: JSONValue in ["1", 1, ["1"], [["1"]], [["a": 1], "1"]] { #expect(scrub(bare) == .null) }
            for other: JSONValue in [.null, true, [:], [], [["d": 1]]] { #expect(scrub(other) == other) }
        }
    }

    @Test("A vendor's declarations also apply to a body that cannot be parsed")
    func declaredInUnreadable() {
        let schema = RedactionSchema([(["merchantCode"], .drop(.credential)), (["body"], .dropBare(.credential))])
        for (text, expected) in [
            (#"{"merchantCode":"8G5H1K","a":1,}"#, #"{"merchantCode":"[removed]","a":1,}"#),
            (#"{"body":"8G5H1K","a":1,}"#, #"{"body":"[removed]","a":1,}"#),
            (#"{"body":["8G5H1K"],"a":1,}"#, #"{"body":[removed],"a":1,}"#),
            (#"{"body":{"a":1},}"#, #"{"body":{"a":1},}"#),
        ] {
            let scrubbed = Scrubber(schema: schema).scrub(UnscrubbedDocument(unreadable: Array(text.utf8)))
            #expect(scrubbed.value.string == expected)
        }
    }

    @Test("A card's tags in Base64 and lists of credentials are removed for every vendor")
    func base64() throws {
        #expect(
            try scrub(#"{"57":"VxNBERERERERER0lEgEBIzRWeJA=","5A":"QREREREREREREQ==","99":"obLD1OX2Bxg="}"#).value
                == [:]
        )
        #expect(try scrub(#"{"57":"Mastercard","99":12,"5A":"x"}"#).redactions.isEmpty)
        #expect(
            try scrub(#"{"Authorization":["Bearer x"],"authorization":[{"amount":1}]}"#).value == [
                "authorization": [["amount": 1]]
            ]
        )
        #expect(try scrub(#"{"note":"Authorization: [Bearer x]"}"#).value.text.contains("Bearer") == false)
    }
}
