import Canonical
import Payments
import Redaction
import Testing
import Vendors

@Suite("YouTransactor")
struct YouTransactorTests {
    private func changed(_ name: String, _ members: [String: JSONValue]) throws -> Observation {
        let fixture = try VendorFixture.named("youtransactor/\(name)")
        var body = fixture.body
        for (key, value) in members {
            body = DocumentPlaces(path: ["paymentContext", key]).replacing(in: body, with: value)
        }
        return try fixture.observation(of: body)
    }

    private func fold(_ names: String...) throws -> TransactionState {
        var history: [TransactionEvent] = []
        for name in names {
            let observation = try VendorFixture.named("youtransactor/\(name)").observation()
            let events: [TransactionEvent] =
                switch observation.subject {
                case .transaction(let events): events
                case .device(_, let events, let anomalies):
                    events.map { .device($0) } + anomalies.map { .anomalyRaised($0) }
                default: []
                }
            history += Lifecycle.decide(events, after: history, policy: observation.policy)
        }
        return TransactionState(folding: history)
    }

    @Test("An approved purchase: amount, card, codes and keys")
    func purchase() throws {
        let observation = try VendorFixture.named("youtransactor/purchase-approved").observation()
        let card = try #require(observation.approvedCard)
        #expect(card.brand == "Mastercard" && card.entryMethod == "ICC" && card.applicationLabel == "Mastercard")
        #expect(card.applicationIdentifier == "A0000000041010")
        #expect(card.terminalVerificationResults == "0000008000" && card.transactionStatusInformation == "E800")
        #expect(card.issuerApplicationData == "0110A00003220000000000000000000000FF")
        #expect(card.pinEntered == true && card.requiresSignature == false)
        #expect(card.chipAmounts == ChipAmounts(authorized: 1_250, other: 0, currencyNumeric: 978))
        #expect(observation.amounts?.figures == [Figure(field: "amount", raw: "1250", exponent: 2)])
        let devices = observation.devices
        #expect(devices["ReaderIdentified"]?.reader == ReaderReference(vendor: .youtransactor, serial: "31420077"))
        #expect(devices["ReaderIdentified"]?.identity?.model == "YT-TOUCH")
        #expect(devices["ReaderBatteryReported"]?.battery == 87)
        #expect(devices["AuthorizationAnswered"]?.response.code == "00")
        let presented = devices["CardPresented"]?.details ?? []
        #expect(presented.contains(Detail("sredKsn", "FFFF9876543210E00008")))
        #expect(presented.contains(Detail("pinKsn", "FFFF9876543211E00001")))
        #expect(presented.count { $0.value.hasPrefix("sha256:") } == 2)
        #expect(observation.identity?.account == "31420077")
        // This key distinguishes a second payment with the app's same reference from the first.
        let key = "26030200219A8B7C6D"
        #expect(TransactionState(folding: observation.events).references.vendorTransaction == key)
    }

    @Test("One payment has one key, with or without the reader in its documents")
    func nameWithoutReader() throws {
        let tags: JSONObject = ["9A": "260302", "9F36": "0021", "9F37": "9A8B7C6D"]
        var named = tags
        named["9F1E"] = "3331343230303737"
        for tags in [tags, named] {
            for info: JSONValue in ["C3083331343230303737", .null] {
                let observation = try changed(
                    "purchase-approved",
                    ["authorizationPlainTagsValues": .object(tags), "uCubeInfo": info]
                )
                #expect(observation.keys.map(\.value) == ["26030200219A8B7C6D"])
            }
        }
    }

    @Test("A request without a named payment is recorded as a command, not as a payment")
    func namelessRequest() throws {
        let fixture = try VendorFixture.named("youtransactor/payment-request")
        let observation = try YouTransactorAdapter().interpret(
            fixture.scrubbed(),
            kind: fixture.kind,
            context: DocumentContext()
        )
        #expect(observation.events.isEmpty && observation.keys.isEmpty)
        #expect(observation.deviceReports.map(\.name) == [.commandSent])
        let details = observation.details
        #expect(details.contains { $0.value == "1250" } && details.contains { $0.value == "purchase" })
    }

    @Test("Payments fold to their documents' results")
    func folds() throws {
        #expect(try fold("purchase-approved").status == .captured)
        #expect(try fold("purchase-approved").anomalies.isEmpty)
        #expect(try fold("declined-by-host").status == .declined)
        #expect(try fold("cancelled").status == .cancelled)
        #expect(try fold("card-wait-failed").status == .failed)
        #expect(try fold("refund").status == .credited)
        #expect(try fold("inquiry").status == .verified)
        #expect(try fold("contactless-offline").status == .captured)
        #expect(try fold("disconnected-before-answer").status == .inDoubt)
        #expect(try fold("unable-to-go-online").status == .inDoubt)
        #expect(try fold("payment-request").status == .requested)
        let cash = try fold("manual-cash-amount-on-terminal")
        #expect(cash.captured == 7_500 && cash.identity.tender == "manualCash" && cash.anomalies.isEmpty)
        let dinar = try fold("purchase-cashback-dinar")
        #expect(
            dinar.captured == 12_500 && dinar.authorization.breakdown?.cashback?.value == 5_000
                && dinar.authorization.breakdown?.base?.value == 7_500
        )
        let yen = try fold("withdrawal-yen")
        #expect(yen.captured == 20_000 && yen.currency == .jpy && yen.identity.tender == "withdrawal")
        #expect(dinar.anomalies.isEmpty && yen.anomalies.isEmpty)
    }

    @Test("A payment reported step by step is one payment without anomalies")
    func wholeLife() throws {
        let state = try fold(
            "payment-request",
            "progress",
            "risk-management",
            "authorization-approved-in-context",
            "purchase-approved"
        )
        #expect(state.status == .captured && state.captured == 1_250 && state.anomalies.isEmpty)
    }

    @Test(
        "The host approved, the terminal did not: both are recorded, and the reversal is due",
        arguments: ["host-approved-terminal-declined", "host-approved-disconnected"]
    )
    func reversalDue(name: String) throws {
        for state in [try fold(name), try fold("payment-request", "authorization-approved-in-context", name)] {
            #expect(state.status == .authorized && state.captured == 0 && state.authorized == 1_250)
            #expect(state.verdicts.gateway?.outcome == .approved && state.verdicts.gateway?.response.code == "00")
            #expect(state.verdicts.reader?.outcome == (name.hasSuffix("declined") ? .declined : .failed))
            #expect(state.anomalies.contains { $0.kind == .reversalDue })
        }
    }

    @Test("A completed reversal is no longer due, in either order")
    func reversalDone() throws {
        let observation = try VendorFixture.named("youtransactor/host-approved-disconnected").observation()
        let reversal = TransactionEvent.reversed(
            Return(id: "reversal", evidence: .gateway, response: .init(), references: .init())
        )
        for steps in [[observation.events, [reversal]], [[reversal], observation.events]] {
            var history: [TransactionEvent] = []
            for step in steps { history += Lifecycle.decide(step, after: history, policy: observation.policy) }
            let state = TransactionState(folding: history)
            #expect(state.status == .reversed && state.authorized == 0)
            #expect(!state.anomalies.contains { $0.kind == .reversalDue })
        }
    }

    @Test("The host approves and the terminal refuses in separate documents, in any order", arguments: [true, false])
    func reversalDueApart(hostFirst: Bool) throws {
        let task = try VendorFixture.named("youtransactor/authorization-approved-named").observation()
        #expect(task.types == ["AuthorizationAnswered", "OutcomeUnknown"])
        for status in ["declined", "cancelled", "errorDisconnect"] {
            let end = try changed(
                "host-approved-terminal-declined",
                ["authorizationResponse": .null, "paymentStatus": .string(status)]
            )
            var history: [TransactionEvent] = []
            for reported in hostFirst ? [task, end] : [end, task] {
                history += Lifecycle.decide(reported.events, after: history, policy: reported.policy)
            }
            let state = TransactionState(folding: history)
            #expect(state.status == .inDoubt && state.captured == 0, "\(status)")
            #expect(state.anomalies.map(\.kind) == [.reversalDue], "\(status)")
        }
    }

    @Test("A final AAC is a decline, whatever the status")
    func finalCryptogram() throws {
        let observation = try changed("purchase-approved", ["finalizationPlainTagsValues": ["9F27": "00"]])
        #expect(observation.types.suffix(4) == ["AuthorizationApproved", "Declined", "AnomalyRaised", "AnomalyRaised"])
        #expect(observation.anomalies.map(\.kind) == [.conflictingOutcome, .reversalDue])
        // The first cryptogram requests the host and decides nothing.
        let first = try changed("purchase-approved", ["finalizationPlainTagsValues": .null])
        #expect(first.types.suffix(2) == ["AuthorizationApproved", "Captured"])
    }

    @Test("Currencies with any exponent")
    func currencies() throws {
        func read(_ amount: JSONValue, _ currency: JSONValue) throws -> Observation {
            try changed(
                "purchase-approved",
                ["amount": amount, "currency": currency, "authorizationPlainTagsValues": .null]
            )
        }
        let cases: [(Int64, String, Int, Int, Int64)] = [
            (1_250, "EUR", 978, 2, 1_250), (1_250, "JPY", 392, 0, 1_250), (1_250, "JOD", 400, 3, 1_250),
            (1_250, "CLF", 990, 4, 1_250), (12, "EUR", 978, 0, 1_200), (12_500, "EUR", 978, 3, 1_250),
            (1_200, "JPY", 392, 2, 12),
        ]
        for (amount, label, code, exponent, minor) in cases {
            let currency: JSONValue = [
                "label": .string(label), "code": .number(JSONNumber(Int64(code))),
                "exponent": .number(JSONNumber(Int64(exponent))),
            ]
            let total = try read(.number(JSONNumber(amount)), currency).amounts?.total
            #expect(total?.value == minor && total?.currency.alpha == label, "\(label) \(exponent)")
        }
        let assumed = try read(1_250, ["code": 978])
        #expect(assumed.amounts?.total == Money(1_250, .eur))
        #expect(assumed.anomalies.map(\.kind) == [.amountScaleAssumed])
        let mislabelled = try read(1_250, ["label": "USD", "code": 978, "exponent": 2])
        #expect(mislabelled.amounts?.total.currency == .eur)
        #expect(mislabelled.anomalies.map(\.kind) == [.currencyMismatch])
    }

    @Test("Money that is missing or unreadable is refused")
    func money() {
        func code(_ members: [String: JSONValue]) -> Refusal.Code? {
            do {
                _ = try changed("purchase-approved", members)
                return nil
            } catch { return (error as? Refusal)?.code }
        }
        #expect(code(["amount": "12.50"]) == .malformedMoney)
        #expect(code(["amount": -2]) == .negativeAmount)
        #expect(code(["amount": "18446744073709551615"]) == .amountTooLarge)
        #expect(code(["amount": 1_255, "currency": ["code": 978, "exponent": 3]]) == .malformedMoney)
        #expect(code(["currency": ["code": 12_345, "exponent": 2]]) == .unknownCurrency)
        #expect(code(["currency": ["code": 978, "exponent": 12]]) == .malformedMoney)
        #expect(code(["amount": .null, "authorizationPlainTagsValues": .null]) == .missingMoney)
        #expect(code(["currency": .null, "authorizationPlainTagsValues": .null]) == .unknownCurrency)
        #expect(code(["amount": .null]) == nil)
    }

    @Test("The chip's data is compared with the payment")
    func chipAmounts() throws {
        let tags: (String) -> [String: JSONValue] = { amount in
            ["authorizationPlainTagsValues": ["9F02": .string(amount), "5F36": "02", "81": "000004E2"]]
        }
        #expect(try changed("purchase-approved", tags("000000001250")).anomalies.isEmpty)
        let declined = tags("000000001251").merging(["paymentStatus": "declined", "authorizationResponse": .null]) {
            $1
        }
        #expect(try changed("purchase-approved", declined).anomalies.map(\.kind) == [.chipAmountMismatch])
        // For an approved payment the lifecycle reports it.
        let observation = try changed("purchase-approved", tags("000000001251"))
        #expect(observation.anomalies.isEmpty)
        let decided = Lifecycle.decide(observation.events, after: [], policy: observation.policy)
        #expect(TransactionState(folding: decided).anomalies.map(\.kind) == [.chipAmountMismatch])
    }

    @Test("Tags are known by decimal and hexadecimal names, or as TLV")
    func tagNames() throws {
        let forms: [JSONValue] = [
            ["79": "A0000000031010", "40706": "000000001250", "40743": "80"],
            ["4F": "A0000000031010", "9F02": "000000001250", "9F27": "80"],
            ["0x4F": "A0000000031010", "0x9f02": "0x000000001250", "0x9F27": "80"],
            "4F07A00000000310109F02060000000012509F270180",
        ]
        for form in forms {
            let observation = try changed("purchase-approved", ["authorizationPlainTagsValues": form])
            #expect(observation.approvedCard?.brand == "Visa")
            #expect(observation.approvedCard?.chipAmounts?.authorized == 1_250)
        }
    }

    @Test("Card data among the plain tags, by any name, and ciphertext")
    func cardData() throws {
        let fixture = try VendorFixture.named("youtransactor/purchase-approved")
        let secrets: [(String, JSONValue)] = [
            ("90", "4111111111111111"), ("5A", "4111111111111111"), ("0x5A", "4111111111111111"),
            ("87", "4111111111111111D25121010000"), ("57", "4111111111111111D25121010000"),
            ("86", "42343131313131313131313131313131315E"), ("24352", "444F452F4A4F484E"), ("5F20", "444F452F4A4F484E"),
            ("24356", "251231"), ("24368", "0201"), ("153", "041234FFFFFFFFFF"), ("57178", "31323334"),
            ("40735", "3132333435"), ("40811", "4111111111111111D25121010000"),
        ]
        for place in ["authorizationPlainTagsValues", "finalizationPlainTagsValues"] {
            for (name, value) in secrets {
                var tags: JSONObject = ["40743": "40"]
                tags[name] = value
                let body = DocumentPlaces(path: ["paymentContext", place]).replacing(
                    in: fixture.body,
                    with: .object(tags)
                )
                let scrubbed = try fixture.scrubbed(body)
                #expect(!scrubbed.value.text.contains(value.string ?? ""), "\(place) \(name)")
                #expect(scrubbed.redactions.contains { $0.path.hasSuffix(name) }, "\(place) \(name)")
            }
        }
        let text = try fixture.scrubbed().value.text
        #expect(!text.contains("8F1D77A0C2E45B96D3A8174E5F60B2C9") && !text.contains("A1B2C3D4E5F60718"))
        #expect(text.contains("FFFF9876543210E00008"))
        // Plain text in the place of ciphertext is not even digested.
        let plain = DocumentPlaces(path: ["paymentContext", "authorizationSecuredTagsValues"])
            .replacing(in: fixture.body, with: "57114111111111111111D25121010000000000")
        let scrubbed = try fixture.scrubbed(plain)
        #expect(scrubbed.value["paymentContext"]?["authorizationSecuredTagsValues"] == nil)
    }

    @Test("Bytes in any form but hexadecimal are refused, because they cannot be searched")
    func spellings() throws {
        for name in ["uCubeInfo", "authorizationResponse", "nfcOutcome"] {
            #expect(throws: Refusal.self, "\(name)") { try changed("purchase-approved", [name: "QUJDRA=="]) }
        }
        #expect(throws: Refusal.self) {
            try changed("purchase-approved", ["authorizationPlainTagsValues": ["9F02": "AAAAABI="]])
        }
        // A complete block of tags is removed before it is read.
        let fixture = try VendorFixture.named("youtransactor/purchase-approved")
        let place = DocumentPlaces(path: ["paymentContext", "authorizationPlainTagsValues"])
        let scrubbed = try fixture.scrubbed(place.replacing(in: fixture.body, with: "QUJDRA=="))
        #expect(!scrubbed.value.text.contains("QUJDRA"))
    }

    @Test("Risk management: every bit is named, reserved bits are flagged")
    func riskManagement() throws {
        let fixture = try VendorFixture.named("youtransactor/risk-management-forced-online")
        guard case .device(_, let events, let anomalies) = try fixture.observation().subject else { return }
        #expect(anomalies.isEmpty)
        #expect(
            events.first?.report.details == [
                Detail("tvr", "1000000800"), Detail("tvr", "card on the exception file"),
                Detail("tvr", "merchant forced the transaction online"),
            ]
        )
        let reserved = try fixture.observation(of: ["tvr": "0000000001"])
        #expect(reserved.anomalies.map(\.kind) == [.unknownValue])
        #expect(try fixture.observation(of: ["tvr": "0000"]).anomalies.map(\.kind) == [.malformedField])
    }

    @Test("Updates due and done")
    func updates() throws {
        let due = try VendorFixture.named("youtransactor/mdm-check-update").observation().details
        #expect(
            due == [
                Detail("update", "svppFirmware"), Detail("label", "SVPP Firmware"), Detail("version", "5.0.0.47"),
                Detail("mandatory", "true"),
            ]
        )
        // Each update is separate, and has one name for its type, its label or both.
        func updates(_ kind: String, _ configs: JSONValue...) throws -> [(type: String, name: String?)] {
            let body: JSONValue = ["success": true, "updates": .array(configs.map { ["config": $0] })]
            return try VendorFixture.named("youtransactor/\(kind)").observation(of: body).deviceReports.map { event in
                (event.type, event.report.details?.first { $0.name == "update" }?.value)
            }
        }
        let found = try updates("mdm-check-update", ["label": "SVPP Firmware", "type": 0], ["label": "ICC config"])
        #expect(found.map(\.type) == ["ReaderUpdateFound", "ReaderUpdateFound"])
        #expect(found.map(\.name) == ["svppFirmware", "iccConfig"])
        let done = try updates("mdm-update", ["type": 4], ["label": "Fonts"], ["type": 77])
        #expect(done.map(\.type) == ["ReaderUpdated", "ReaderUpdated", "ReaderUpdated"])
        #expect(done.map(\.name) == ["iccConfig", "Fonts", "type 77"])
        #expect(try updates("mdm-update").map(\.name) == [nil])
        let unknown = try VendorFixture.named("youtransactor/mdm-update")
            .observation(of: ["success": true, "updates": [["config": ["type": 77], "mandatory": false]]])
        #expect(unknown.anomalies.map(\.kind) == [.unknownValue])
    }

    @Test("Dates")
    func dates() throws {
        let (instant, local) = ("2026-03-02T14:15:00.000000Z", "2026-03-02T14:15:00")
        for (text, read) in [("2026-03-02 14:15:00 +0000", instant), ("20260302141500", local)] {
            let seen = try changed("purchase-approved", ["transactionDate": .string(text)]).occurredAt
            #expect(seen?.description == read)
        }
        // Seconds since an undocumented epoch; the chip's own clock is used.
        let number = try changed("purchase-approved", ["transactionDate": 794_153_700])
        #expect(number.occurredAt?.description == "2026-03-02T14:15:02")
        #expect(number.anomalies.map(\.kind) == [.malformedField])
    }
}

extension Observation {
    /// The card of the approval.
    var approvedCard: CardPresentation? {
        events.lazy.compactMap { event in
            switch event {
            case .authorizationApproved(let approval), .creditApproved(let approval): approval.card
            default: nil
            }
        }.first
    }

    /// The payment's reader events by name.
    fileprivate var devices: [String: DeviceReport] {
        Dictionary(
            events.compactMap { if case .device(let event) = $0 { (event.type, event.report) } else { nil } },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
