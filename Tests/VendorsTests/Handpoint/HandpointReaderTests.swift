import Canonical
import Payments
import Redaction
import Testing

@testable import Vendors

@Suite("Handpoint readers")
struct HandpointReaderTests {
    private func events(_ name: String) throws -> [DeviceEvent] {
        let observation = try VendorFixture.named("handpoint/\(name)").observation()
        switch observation.subject {
        case .device(_, let events, _): return events
        case .transaction(let events):
            return events.compactMap { if case .device(let event) = $0 { event } else { nil } }
        default: return []
        }
    }

    private func details(_ event: DeviceEvent?) -> [String: String] {
        Dictionary(
            (event?.report.details ?? []).map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    @Test("Every key of the dictionary is found in its place")
    func keys() throws {
        let fixture = try VendorFixture.named("handpoint/finance-sale")
        var body = fixture.body
        let values: [(String, JSONValue)] = [
            ("GratuityAmount", "100"), ("GratuityPercentage", "10%"), ("TotalAmount", "1100"),
            ("OriginalEFTTransactionID", "ec174bfe-5aaa-4192-840f-c9a18666914b"), ("ErrorMessage", "none"),
            ("code", "4006381333931"), ("RecoveredTransaction", "false"), ("BudgetNumber", "06"),
            ("CustomerReference", "45678135"), ("TenderType", "CREDIT"),
        ]
        for (name, value) in values { body = DocumentPlaces(path: ["xml"]).adding(name, value, to: body) }
        body = DocumentPlaces(path: ["authorisedAmount"]).replacing(in: body, with: 1100)
        let observation = try fixture.observation(of: body)
        let text = try observation.text()
        // Each key with its value in the events.
        let found: [(String, String)] = [
            ("StatusMessage", "AUTH CODE 05354"), ("TransactionType", "SaleRequested"),
            ("FinancialStatus", "AUTHORISED"),
            ("RequestedAmount", "RequestedAmount"), ("GratuityAmount", "GratuityAmount"), ("GratuityPercentage", "10%"),
            ("TotalAmount", "TotalAmount"), ("Currency", "GBP"), ("TransactionID", "9268"),
            ("EFTTransactionID", "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e"), ("EFTTimestamp", "2014-12-12T09:45:55"),
            ("AuthorisationCode", "05354"), ("CVM", "\"pinEntered\":true"), ("CardEntryType", "ICC"),
            ("CardSchemeName", "MASTERCARD"), ("CardTypeId", "3000"), ("SerialNumber", "123400123"),
            ("BatteryStatus", "\"battery\":57"), ("BatterymV", "3800"), ("BatteryCharging", "\"isCharging\":false"),
            ("ExternalPower", "ExternalPower"), ("ApplicationName", "mPOS"), ("ApplicationVersion", "1.2.118"),
            ("ErrorMessage", "none"), ("code", "4006381333931"), ("RecoveredTransaction", "RecoveredTransaction"),
        ]
        let all = text + observation.types.joined()
        for (key, value) in found { #expect(all.contains(value), "\(key)") }
        // The 27th names the original payment of a void or linked refund.
        let linked = try VendorFixture.named("handpoint/finance-refund-linked").observation()
        #expect(linked.keys.first?.value == "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e")
        #expect(found.count == 26)
    }

    @Test("A status reports the battery, the software, and whether the operation can still be cancelled")
    func status() throws {
        let event = try #require(try events("status-waiting-card").first)
        #expect(event.name == .cardRequested)
        #expect(event.report.battery == 57 && event.report.isCharging == false)
        #expect(event.report.identity?.versions == [Detail("ApplicationVersion", "1.2.118")])
        #expect(event.report.response == Response(code: "0014", message: "Waiting for card"))
        #expect(details(event)["CancelAllowed"] == "true" && details(event)["BatterymV"] == "3800")
        #expect(details(try events("status-pin").first)["CancelAllowed"] == "false")
        // The same as the reader's own XML.
        let text = try #require(try events("status-xml-text").first)
        #expect(text.report.isCharging == true && details(text)["CancelAllowed"] == "false")
        #expect(text.report.reader == event.report.reader)
    }

    @Test("Batteries are percentages", arguments: [("0%", 0), ("100%", 100), ("57", 57), ("101%", nil), ("-1%", nil)])
    func battery(text: String, percent: Int?) throws {
        let reported = try HandpointReading.observation(
            ["statusCode": 20, "xml": ["BatteryStatus": .string(text)]],
            kind: "responseStatus"
        )
        guard case .device(_, let events, let anomalies) = reported.subject else {
            Issue.record("not about a reader")
            return
        }
        #expect(events.first?.report.battery == percent)
        #expect(anomalies.isEmpty == (percent != nil))
    }

    @Test("A reader has one serial number, with or without leading zeros")
    func serialNumbers() throws {
        let names = try ["did-connect", "mped-info", "did-find-device", "did-lose-device", "status-waiting-card"].map {
            try events($0).first?.report.reader?.serial
        }
        #expect(Set(names) == ["123400123"])
        #expect(HandpointDetails.serial("000") == "0" && HandpointDetails.serial("A-007") == "A-007")
    }

    @Test("A connection reports the reader's identity, and whether it stores a result")
    func connection() throws {
        let connected = try events("did-connect")
        #expect(connected.map(\.name) == [.readerConnected, .readerIdentified])
        #expect(connected[0].report.identity?.model == "0")
        #expect(connected[0].report.identity?.versions?.count == 4)
        #expect(details(connected[0])["TransactionResultPending"] == "true")
        #expect(details(try events("result-pending").first)["TransactionResultPending"] == "true")
        #expect(details(try events("did-connect-nothing").first)["client"] == "nil")
        let found = try #require(try events("did-find-device").first)
        #expect(found.report.identity?.model == "BluePad-50" && details(found)["connectionID"] == "17")
    }

    @Test("Signatures: requested with the receipt, accepted, declined, timed out after 45 seconds")
    func signatures() throws {
        let asked = try #require(try events("request-signature").first)
        let receipt = try #require(details(asked)["receipt"])
        #expect(receipt.hasPrefix("Tea House\n1 High Street\nLondon\nMID: **34567"))
        #expect(receipt.contains("GBP30.00\nCardholder signature"))
        #expect(details(try events("cancel-signature").first) == ["timeoutSeconds": "45"])
        for (flag, type): (JSONValue, String) in [(true, "SignatureAccepted"), (false, "SignatureDeclined")] {
            #expect(try HandpointReading.observation(flag, kind: "acceptSignature").types == [type])
        }
    }

    @Test("A hostile receipt is kept without active content")
    func hostileReceipt() throws {
        let document = try VendorFixture.named("handpoint/request-signature-hostile").scrubbed()
        let html = try #require(document.value["receipt"]?.string)
        for word in ["script", "steal", "http", "onclick", "onload", "javascript", "url(", "4111", "img", "href"] {
            #expect(!html.contains(word) || word == "4111" && html.contains("411111******1111"), "\(word)")
        }
        #expect(html.contains("GBP30.00") && html.contains("sign here"))
        let bare = HandpointAdapter()
        let scrubber = Scrubber(schema: bare.redactionSchema(for: "requestSignature"))
        let text = scrubber.scrub(UnscrubbedDocument("<p onclick='x()'>Total<script>x()</script></p>"))
        #expect(text.value == "<p>Total</p>")
        #expect(text.redactions.map(\.rule) == [.activeContent])
    }

    @Test("Receipts of a result are printed, with their text")
    func receipts() throws {
        let printed = try events("finance-sale").filter { $0.name == .receiptPrinted }
        #expect(printed.map { details($0)["copy"] } == ["merchant", "customer"])
        #expect(details(printed.last)["text"]?.contains("** CARDHOLDER COPY **") == true)
        #expect(details(printed.last)["text"]?.contains("CardNumber: **** **** **** 0045") == true)
    }

    @Test("Commands keep their parameters, and limits are checked")
    func commands() throws {
        #expect(
            details(try events("sale-budget").first) == ["cardholderPresent": "true", "months": "06"]
        )
        #expect(details(try events("sale-without-cardholder").first)["cardholderPresent"] == "false")
        #expect(details(try events("sale-void").first)["amount"] == "1000")
        #expect(details(try events("scanner-enable-multi").first)["timeoutSeconds"] == "0")
        #expect(details(try events("client-for-device-string").first)["name"] == "BluePad-50")
        func kinds(_ body: JSONValue, _ kind: String) throws -> [Anomaly.Kind] {
            try HandpointReading.observation(body, kind: kind).anomalies.map(\.kind)
        }
        #expect(try kinds(["timeoutSeconds": 65_536], "enableScanner") == [.limitExceeded])
        #expect(try kinds(["level": "eLogVerbose"], "logSetLevel") == [.unknownValue])
        #expect(try kinds("eLogFull", "logSetLevel") == [] && kinds(["level": 3], "logSetLevel") == [])
        for months in [3, 6, 12, 18, 24, 30, 36, 42, 48, 54, 60] as [Int64] {
            let body: JSONValue = ["amount": 1, "currency": "ZAR", "months": .number(JSONNumber(months))]
            #expect(try kinds(body, "saleWithAmount") == [])
        }
    }

    @Test("Shared secrets are removed completely")
    func secrets() throws {
        for name in ["client-for-device-data", "client-for-device-string"] {
            let document = try VendorFixture.named("handpoint/\(name)").scrubbed()
            #expect(!document.value.text.lowercased().contains("secret"))
            #expect(!document.value.text.contains("010203"))
        }
    }

    @Test("`cardholder` is a truth value; a name in its place is removed")
    func cardholder() throws {
        let fixture = try VendorFixture.named("handpoint/sale-simple")
        let place = DocumentPlaces(path: ["cardholder"])
        for flag: JSONValue in ["YES", "no", true, false, 1, 0] {
            #expect(try fixture.scrubbed(place.replacing(in: fixture.body, with: flag)).value["cardholder"] == flag)
        }
        for name: JSONValue in ["DOE/JOHN", "JOHN", ["DOE"], 17] {
            let document = try fixture.scrubbed(place.replacing(in: fixture.body, with: name))
            #expect(document.value["cardholder"] == nil && document.redactions.map(\.rule) == [.cardholder])
        }
        #expect(details(try events("sale-simple").first) == ["cardholderPresent": "true"])
    }

    @Test("Tokens are digested, expiry dates removed, card numbers in logs masked")
    func cardData() throws {
        let flat = try VendorFixture.named("handpoint/finance-sale-flat")
        let text = try flat.scrubbed().value.text + flat.observation().text()
        #expect(!text.contains("tok-1234567890") && !text.contains("1225"))
        #expect(text.contains(PaymentTokenDigest.text(of: "tok-1234567890")))
        let log = try VendorFixture.named("handpoint/log-info")
        #expect(try log.scrubbed().value["log"]?.string?.contains("411111******1111") == true)
        #expect(details(try events("log-info").first) == ["bytes": "75", "lines": "3"])
    }
}
