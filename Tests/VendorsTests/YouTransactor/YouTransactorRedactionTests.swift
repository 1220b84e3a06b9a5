import Canonical
import EMV
import Payments
import Redaction
import Testing
import Vendors

/// The redactions in uCube documents, beside a payment's own members.
@Suite("YouTransactor redaction")
struct YouTransactorRedactionTests {
    private func scrubbed(_ kind: String, _ body: JSONValue) -> ScrubbedDocument {
        let schema = YouTransactorAdapter().redactionSchema(for: kind)
        return Scrubber(schema: schema).scrub(UnscrubbedDocument(body))
    }

    @Test("A PIN block returned by the terminal is dropped", arguments: ["response", "responseData", "data"])
    func pinBlock(name: String) {
        let values: [JSONValue] = [
            "A1B2C3D4E5F60718", "obLD1OX2Bxg=", ["pin": "A1B2C3D4E5F60718"], ["A1B2C3D4E5F60718"],
        ]
        for value in values {
            var body: JSONObject = ["event": "success", "status": 0]
            body[name] = value
            let document = scrubbed("SimplifiedOnlinePINCommand", .object(body))
            #expect(document.value == ["event": "success", "status": 0])
            #expect(document.redactions == [RedactedPlace(path: "/\(name)", rule: .pin, action: .dropped)])
        }
    }

    @Test(
        "Encrypted tags are kept as a digest only, for every kind of request",
        arguments: ["GetSecuredTagCommand", "sendData.didProgress", "sendData.didFinish", "ConnectionManager.send"]
    )
    func ciphertext(kind: String) {
        for name in ["response", "responseData", "data"] {
            for text in ["8F1D77A0C2E45B96D3A8174E5F60B2C9", "jx13oMLkW5bTqBdOX2Cyyc=="] {
                var body: JSONObject = ["event": "success", "success": true]
                body[name] = .string(text)
                let document = scrubbed(kind, .object(body))
                #expect(document.value[name]?.string?.hasPrefix("sha256:") == true, "\(kind) \(name)")
                #expect(document.redactions == [RedactedPlace(path: "/\(name)", rule: .emv, action: .digested)])
            }
            var body: JSONObject = [:]
            body[name] = ["tags": "8F1D77A0C2E45B96D3A8174E5F60B2C9"]
            #expect(scrubbed(kind, .object(body)).value[name] == nil)
        }
    }

    @Test(
        "A PIN block is removed under any name and at any place",
        arguments: [
            "SimplifiedOnlinePINCommand", "SimplifiedOnlinePinCommand", "simplified_online_pin", "getOnlinePIN",
        ]
    )
    func hiddenPINBlock(kind: String) {
        for block: JSONValue in ["A1B2C3D4E5F60718", "obLD1OX2Bxg=", [161, 178, 195, 212, 229, 246, 7, 24]] {
            for body: JSONValue in [
                ["event": "success", "parameters": [block]], ["event": "success", "result": block],
                ["event": "success", "x": ["y": [["z": block]]]], ["event": "success", "ksn": block],
            ] {
                #expect(scrubbed(kind, body).value == ["event": "success"], "\(body)")
            }
            #expect(scrubbed(kind, block).value == .null)
            #expect(scrubbed(kind, ["event": block]).value == [:])
        }
        let named: JSONValue = ["event": "success", "status": 0, "pinKsn": "FFFF9876543211E00001"]
        #expect(scrubbed(kind, named).value == named)
    }

    @Test(
        "Possible ciphertext is kept as a digest under every name, also for callbacks of later versions",
        arguments: ["GetSecuredTagCommand", "getSecuredTag", "sendData.didFinish", "UCubeAPI", "sendApdu.didFinish"]
    )
    func hiddenCiphertext(kind: String) {
        for text in ["8F1D77A0C2E45B96D3A8174E5F60B2C9", "jx13oMLkW5bTqBdOX2Cyyc==", "<8f1d77a0 c2e45b96>"] {
            let body: JSONValue = [
                "event": "success", "success": true, "commandID": 20481, "message": "no answer in time",
                "result": "0.5.30", "parameters": [.string(text)], "x": ["y": .string(text)],
            ]
            let document = scrubbed(kind, body)
            #expect(!document.value.text.contains(text), "\(kind)")
            #expect(document.redactions.map(\.path) == ["/parameters/0", "/x/y"])
            #expect(document.redactions.allSatisfy { $0.action == .digested })
            for name in ["event", "success", "commandID", "message", "result"] {
                #expect(document.value[name] == body[name])
            }
            #expect(scrubbed(kind, document.value).value == document.value)
            #expect(scrubbed(kind, .string(text)).value == .null)
            #expect(scrubbed(kind, [.string(text)]).value == .null)
        }
        let bytes: JSONValue = ["parameters": [161, 178, 195, 212, 229, 246, 7, 24]]
        #expect(scrubbed(kind, bytes).value == [:])
        // A digest could be reversed by trying all card numbers.
        #expect(scrubbed(kind, ["response": "WghBEREREREREQ=="]).redactions.map(\.action) == [.dropped])
    }

    @Test("Plain tags are kept if they can be searched")
    func plainTags() {
        let kind = "GetPlainTagCommand"
        let tags: JSONValue = ["event": "success", "response": "9F02060000000012509F2701805F2A020978"]
        #expect(scrubbed(kind, tags).value == tags)
        for value: JSONValue in [
            "VxNBERERERERER0lEgEBIzRWeJA=", ["VxNBERERERERER0lEgEBIzRWeJA="], [87, 19, 65, 17, 17],
        ] {
            for name in ["response", "result", "parameters", "x"] {
                var body: JSONObject = ["event": "success"]
                body[name] = value
                #expect(scrubbed(kind, .object(body)).value == ["event": "success"], "\(name)")
            }
        }
        let track = scrubbed(kind, ["response": "57124111111111111111D25121011234567890F09F270180"])
        #expect(!track.value.text.contains("4111111111111111"))
    }

    @Test(
        "Tags in Base64 are removed among a card's tags, and so are members that name no tag",
        arguments: ["authorizationPlainTagsValues", "finalizationPlainTagsValues"]
    )
    func base64(place: String) {
        for name in ["90", "5A", "0x5A", "TAG_5A_APPLICATION_PAN", "87", "57", "112", "note"] {
            for value: JSONValue in ["R2FzkAEBABA=", "VxNBERERERERER0lEgEBIzRWeJA=", [71, 97, 115, 144, 1, 1, 0, 16]] {
                let body: JSONValue = [place: .object([name: value, "9F27": "80"])]
                #expect(scrubbed("PaymentContext", body).value[place] == ["9F27": "80"], "\(name)")
            }
        }
        for value: JSONValue in ["VxNBERERERERER0lEgEBIzRWeJA=", [87, 19, 65], ["VxNBERERERERER0l"]] {
            let body: JSONValue = ["paymentContext": .object([place: value, "amount": 1])]
            #expect(scrubbed("pay.didFinish", body).value["paymentContext"] == ["amount": 1])
        }
        // Generally secret names also apply inside.
        #expect(scrubbed("PaymentContext", [place: ["cvv": "123"]]).value == [place: [:]])
    }

    @Test("Other commands' answers are kept, and general names drop nothing in other documents")
    func answersThatStay() {
        let answer: JSONValue = ["event": "success", "responseData": "C40100C50157"]
        #expect(scrubbed("GetInfoCommand", answer).value == answer)
        let adapter = YouTransactorAdapter()
        let schema = RedactionSchema(anyOf: adapter.kinds.map(adapter.redactionSchema))
        let other: JSONValue = ["response": "all is well", "data": ["a": 1]]
        #expect(Scrubber(schema: schema).scrub(UnscrubbedDocument(other)).value == other)
        let locales: JSONValue = ["success": true, "parameters": ["en_US", "fr_FR"]]
        #expect(scrubbed("getSupportedLocaleList.didFinish", locales).value == locales)
    }

    @Test("The result of `sendData` is not a list of locales")
    func locales() throws {
        for (kind, isLocales) in [("getSupportedLocaleList.didFinish", true), ("sendData.didFinish", false)] {
            let document = scrubbed(kind, ["success": true, "parameters": ["en_US", "A1B2C3D4E5F60718"]])
            let observation = try YouTransactorAdapter().interpret(document, kind: kind, context: DocumentContext())
            #expect(observation.details.contains { $0.name == "locales" } == isLocales)
        }
    }

    @Test(
        "Forbidden tags are removed in every spelling of their names",
        arguments: ["authorizationPlainTagsValues", "finalizationPlainTagsValues"]
    )
    func spellings(place: String) {
        let track = "4111111111111111D25121010000"
        let secrets: [(name: String, value: String)] = [
            ("087", track), ("00087", track), ("057", track), ("0057", track), ("0x0057", track), ("0X57", track),
            ("TAG_57_TRACK_2_EQUIVALENT_DATA", track), ("tag57", track), ("Tag 87", track), ("57 track 2", track),
            ("TAG_0x57", track), ("TAG_9F6B_TRACK_2_DATA", track), ("TAG_56_TRACK_1_DATA", "1F2E3D4C5B6A"),
            ("TAG_5F20_CARDHOLDER_NAME", "444F452F4A4F"), ("024352", "444F452F4A4F"), ("05F20", "444F452F4A4F"),
            ("TAG_5F24_APPLICATION_EXPIRATION_DATE", "251231"), ("024356", "251231"), ("0x5F24", "251231"),
            ("TAG_5F30_SERVICE_CODE", "0201"), ("TAG_99_TRANSACTION_PIN_DATA", "1F2E3D4C5B6A7988"),
            ("0153", "1F2E3D4C5B6A7988"),
        ]
        for (name, value) in secrets {
            var tags: JSONObject = ["9F27": "80"]
            tags[name] = .string(value)
            let body: JSONValue = ["paymentContext": .object([place: .object(tags)])]
            #expect(scrubbed("pay.didFinish", body).value["paymentContext"]?[place] == ["9F27": "80"], "\(name)")
        }
        for name in ["090", "05A", "TAG_5A_APPLICATION_PAN"] {
            let body: JSONValue = [place: .object([name: "4111111111111111"])]
            #expect(scrubbed("PaymentContext", body).value[place]?[name] == "411111******1111", "\(name)")
        }
    }

    @Test(
        "The kernel's input and output are not kept",
        arguments: ["transactionInitData", "transactionProcessData", "transactionFinalisationData"]
    )
    func kernelData(name: String) {
        for text in ["5A0841111111111111115F24032512315F2004444F4520", "WghBERERERERERE=", "no bytes"] {
            let body: JSONValue = ["paymentContext": .object([name: .string(text), "amount": 1250])]
            let document = scrubbed("pay.didFinish", body)
            #expect(document.value == ["paymentContext": ["amount": 1250]])
            #expect(
                document.redactions == [RedactedPlace(path: "/paymentContext/\(name)", rule: .emv, action: .dropped)]
            )
        }
    }

    @Test("Every tag of the dictionary is treated by its sensitivity, in decimal and in hexadecimal")
    func dictionary() {
        for entry in TagDictionary.entries {
            let isForbidden =
                switch entry.sensitivity {
                case .track, .verificationValue, .pin, .cardholder, .expiry, .trackDerived: true
                case .cardNumber: false
                case .none, .low, .pseudonymous: entry.use == .drop
                }
            guard isForbidden else { continue }
            let hex = entry.tag.hex
            for name in [hex, hex.lowercased(), "0x\(hex)", "TAG_\(hex)_NAME", String(entry.tag.number)] {
                // In decimal this is the card number, which is masked; in hexadecimal it is a public certificate.
                if name == "90" { continue }
                let body: JSONValue = ["authorizationPlainTagsValues": .object([name: "1F2E"])]
                #expect(scrubbed("PaymentContext", body).value["authorizationPlainTagsValues"]?[name] == nil, "\(name)")
            }
        }
    }

    @Test("Harmless tags are kept in all spellings, although their values look like card numbers")
    func harmless() {
        let tags: JSONValue = [
            "9F10": "0110A00003220000000000000000000000FF", "0x9F10": "0110A00003220000000000000000000000FF",
            "40720": "0110A00003220000000000000000000000FF", "57090": "01", "0x86": "9F1804AABBCCDD",
            "TAG_9F02_AMOUNT_AUTHORISED": "000000001250", "50": "4D617374657263617264",
        ]
        let body: JSONValue = ["authorizationPlainTagsValues": tags]
        #expect(scrubbed("PaymentContext", body).value == body)
    }
}
