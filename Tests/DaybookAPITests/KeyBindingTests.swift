import Access
import Canonical
import EventLog
import Testing

/// What a key may send that is bound to vendors, merchants or terminals.
@Suite struct KeyBindingTests {
    private static let keyBound = "key-bound"

    private func stream(_ number: Int) -> String { "transaction/0198c1c2-6a00-7000-8000-0000000000\(10 + number)" }

    private func request(_ merchant: String?, _ terminal: String?) -> JSONValue {
        var references: JSONObject = [:]
        if let merchant { references["merchant"] = .string(merchant) }
        if let terminal { references["terminal"] = .string(terminal) }
        return Reported.event("SaleRequested", ["amounts": Reported.total(750), "references": .object(references)])
    }

    @Test func eventsNameTheMerchantAndTerminalOfTheKey() async throws {
        try await TestAPI.serve { api in
            let bound = KeyBinding(["merchant": ["8846", "8847"], "terminal": ["4400"]])
            let till = try await api.caller([.events], binding: bound)
            let refused: [([JSONValue], String)] = [
                ([request("1", "4400")], "/events/0/data"), ([request("8846", "1")], "/events/0/data"),
                ([request("8846", "4400"), request("1", "4400")], "/events/1/data"),
                ([request(nil, "4400")], "/stream"), ([request("8846", nil)], "/stream"),
                ([request(nil, nil)], "/stream"),
                ([Reported.captured(1)], "/stream"),
                (
                    [request("8846", "4400"), Reported.captured(1, batch: ["vendor": "dejavoo", "account": "4401"])],
                    "/events/1/data"
                ),
            ]
            for (events, pointer) in refused {
                let answer = try await Reported.append(events, on: stream(0), by: till)
                #expect(answer.status == 403 && answer.code == Self.keyBound, "\(answer.body)")
                #expect(try answer.json["pointer"]?.string == pointer)
            }
            #expect(try await api.events().isEmpty)
            let taken = [
                request("8847", "4400"), Reported.captured(1, batch: ["vendor": "dejavoo", "account": "4400"]),
            ]
            #expect(try await Reported.append(taken, on: stream(1), by: till).status == 201)
            // The payment names them already.
            #expect(try await Reported.append([Reported.captured(1, id: "x")], on: stream(1), by: till).status == 201)
            // Another merchant's payment, in memory and not.
            let other = try await api.caller([.events])
            #expect(try await Reported.append([request("1", "4400")], on: stream(2), by: other).status == 201)
            for events in [[request("8846", "4400")], [Reported.captured(1)]] {
                #expect(try await Reported.append(events, on: stream(2), by: till).code == Self.keyBound)
                let stale: JSONObject = ["expectedVersion": 1]
                #expect(try await Reported.append(events, on: stream(2), stale, by: till).code == Self.keyBound)
            }
            // Streams that name neither.
            let shown = Reported.event("CardPresented", ["response": [:]])
            #expect(try await Reported.append([shown], on: "reader/handpoint/1", by: till).status == 201)
            #expect(
                try await Reported.append([Reported.event("DrawerOpened", [:])], on: "till/1", by: till).status == 201
            )
        }
    }

    @Test func documentsMayNameTheAccountOfTheMerchant() async throws {
        try await TestAPI.serve { api in
            let sample = try Sample.named("MSR sale").with("body", "BridgeCommResponse", "networkMerchantID", as: nil)
                .with("body", "BPNReceipt", as: nil)
            let shop = try await api.caller([.documents], binding: KeyBinding(["merchant": ["shop-7"]]))
            #expect(try await shop.post("bridgepay", sample.record).code == Self.keyBound)
            let named = sample.with("merchant", as: "shop-7")
            #expect(try await shop.post("bridgepay", named.record).status == 201)
            // A key that is bound to the account itself needs no other name.
            let account = try await api.caller([.documents], tenant: "b", binding: KeyBinding(["merchant": ["320001"]]))
            #expect(try await account.post("bridgepay", sample.record).status == 201)
            #expect(try await account.post("bridgepay", named.record).code == Self.keyBound)
        }
    }

    @Test func eventsNameNoOtherVendor() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.events], binding: KeyBinding(["vendor": ["dejavoo"]]))
            let shown = Reported.event("CardPresented", ["response": [:]])
            #expect(try await Reported.append([shown], on: "reader/handpoint/1", by: till).code == Self.keyBound)
            #expect(try await Reported.append([shown], on: "reader/dejavoo/1", by: till).status == 201)
            let named = Reported.event(
                "CardPresented",
                ["reader": ["vendor": "handpoint", "serial": "1"], "response": [:]]
            )
            #expect(try await Reported.append([named], on: stream(0), by: till).code == Self.keyBound)
            #expect(try await Reported.append([request(nil, nil)], on: stream(0), by: till).status == 201)
            let sample = try Sample.named("MSR sale")
            let device = try await api.caller()
            let payment = try #require(try await device.take(sample.vendor, sample.record)["stream"]?.string)
            #expect(try await Reported.append([Reported.captured(1)], on: payment, by: till).code == Self.keyBound)
        }
    }

    @Test func documentsNameWhatTheKeyIsBoundTo() async throws {
        try await TestAPI.serve { api in
            let sample = try Sample.named("MSR sale")
            let vendors = try await api.caller([.documents], binding: KeyBinding(["vendor": ["dejavoo"]]))
            for body in [sample.record.text, "{", "[]"] {
                let answer = try await vendors.send(
                    "POST",
                    "/v1/intake/\(sample.vendor)",
                    ["Content-Type": "application/json"],
                    body: body
                )
                #expect(answer.status == 403 && answer.code == Self.keyBound, "\(answer.body)")
            }
            let names = KeyBinding([
                "merchant": ["shop", "320001", "518564010126944"], "terminal": ["t-1", "PPB01."],
            ])
            let shop = try await api.caller([.documents], binding: names)
            for (merchant, terminal) in [("other", "t-1"), ("shop", "t-2")] as [(JSONValue, JSONValue)] {
                let record = sample.with("merchant", as: merchant).with("terminal", as: terminal).record
                let answer = try await shop.post(sample.vendor, record)
                #expect(answer.status == 403 && answer.code == Self.keyBound, "\(answer.body)")
                #expect(try answer.json["pointer"] == (merchant == "other" ? "/merchant" : "/terminal"))
            }
            // The document names a merchant that is not allowed, or none.
            let other = try await api.caller([.documents], binding: KeyBinding(["merchant": ["shop"]]))
            let named = sample.with("merchant", as: "shop").record
            #expect(try await other.post(sample.vendor, named).code == Self.keyBound)
            let unnamed = try Sample.named("Tap-to-pay sale (V1)")
            #expect(try await other.post(unnamed.vendor, unnamed.record).code == Self.keyBound)
            // Nothing is recorded, not even a trace.
            #expect(try await api.events().isEmpty)
            let status = try await shop.send(
                "POST",
                "/v1/intake/\(sample.vendor)",
                ["Content-Type": "application/x-ndjson"],
                body: sample.with("merchant", as: "other").record.text
            )
            #expect(try status.lines.map { try JSONValue(parsing: $0)["status"]?.int64 } == [403])
            #expect(try await api.events().isEmpty)
            let both = sample.with("merchant", as: "shop").with("terminal", as: "t-1").record
            for record in [both, sample.record] {
                let answer = try await shop.post(sample.vendor, record)
                #expect(answer.status == 201, "\(answer.body)")
            }
            let beside = unnamed.with("merchant", as: "shop").record
            #expect(try await other.post(unnamed.vendor, beside).status == 201)
        }
    }

    /// A document names its own merchant, and its key or reference leads to a payment of another one.
    @Test func documentsAboutAnotherMerchantsPaymentAreRefused() async throws {
        try await TestAPI.serve { api in
            let all = try await api.caller([.documents])
            let names = KeyBinding(["merchant": ["shop", "320001", "518564010126944"]])
            let shop = try await api.caller([.documents], binding: names)
            let sale = try Sample.named("Authorisation").with("merchant", as: "other")
            let stream = try #require(try await all.take(sale.vendor, sale.record)["stream"]?.string)
            let payment = JSONValue.string(String(stream.dropFirst("transaction/".count)))
            let count = try await api.events().count
            let followUp = try Sample.named("Capture with tip").with("merchant", as: "shop")
                .with("transaction", as: payment)
            for record in [sale.with("merchant", as: "shop").record, followUp.record] {
                let answer = try await shop.post(sale.vendor, record)
                #expect(answer.status == 403 && answer.code == Self.keyBound, "\(answer.body)")
                #expect(try answer.json["pointer"] == "/transaction")
            }
            #expect(try await api.events().count == count)
        }
    }

    /// The processor knows the terminal by another name, and its answers add that to the payment.
    @Test func namesThatAnswersAddDoNotCount() async throws {
        try await TestAPI.serve { api in
            let names = KeyBinding(["merchant": ["shop", "320001", "518564010126944"], "terminal": ["t-1"]])
            let till = try await api.caller([.documents], binding: names)
            let all = try await api.caller([.documents])
            let adjusted = try Sample.named("Tip adjustment").with("merchant", as: "shop").with("terminal", as: "t-1")
            let stream = try #require(try await till.take(adjusted.vendor, adjusted.record)["stream"]?.string)
            let payment = JSONValue.string(String(stream.dropFirst("transaction/".count)))
            let sale = try Sample.named("EMV sale").with("transaction", as: payment)
            #expect(try await all.post(sale.vendor, sale.record).status == 201)
            // A repeat is answered as one.
            let again = try await till.post(adjusted.vendor, adjusted.record)
            #expect(try again.status == 201 && again.json["positions"] == [1, 2, 3], "\(again.body)")
        }
    }
}
