import Access
import Canonical
import DaybookTestKit
import Testing

/// The bundle of a reader, and the receipts that readers printed. Every answer is checked against the OpenAPI document.
@Suite struct ReaderFileTests {
    /// A bundle has the reader and the events about it, in order, and none of the card numbers that were in them.
    @Test func aBundleHasWhatTheLogHasOfAReader() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller([.documents, .events, .read])
            let numbers = ["4111111111111111", "4111 1111 1111 1111", "5454545454545454"]
            let log: JSONValue = [
                "kind": "responseLogInfo", "device": "1234",
                "body": [
                    "statusCode": 1, "status": "Success", "log": .string(numbers.joined(separator: "\nread ")),
                    "xml": ["SerialNumber": "1234"],
                ],
            ]
            let taken = try await caller.take("handpoint", log)
            let before = try #require(taken["positions"]?.array?.last?.int64)
            clock.advance(seconds: 3_600)
            let middle = clock.now().rfc3339
            let fault: JSONValue = [
                "reader": ["vendor": "handpoint", "serial": "1234"],
                "response": ["code": "0031", "message": .string("battery, card \(numbers[0])")],
            ]
            try await ReaderWorkTests.append(
                [Reported.event("ReaderErrorReported", fault)],
                on: "reader/handpoint/1234",
                by: caller
            )
            try await ReaderWorkTests.append(
                ReaderWorkTests.sale(at: "1234", by: "ann", ["PINRequested"]),
                on: ReaderWorkTests.stream(1),
                by: caller
            )
            let last = try await ReaderWorkTests.append(
                ReaderWorkTests.sale(at: "0456", by: "ann", ["PINRequested"]),
                on: ReaderWorkTests.stream(2),
                by: caller
            )
            let path = "/v1/readers/handpoint/1234/bundle"
            func bundle(_ query: String) async throws -> Answer {
                try await caller.get("\(path)?min_position=\(last)\(query)")
            }
            let all = try await bundle("")
            #expect(all.status == 200 && all.fields["content-type"] == "application/x-ndjson", "\(all.body)")
            #expect(all.fields["content-disposition"] == #"attachment; filename="reader-handpoint-1234.ndjson""#)
            let lines = try all.lines.map { try JSONValue(parsing: $0) }
            #expect(lines.first?["kind"] == "reader" && lines.first?["reader"]?["serial"] == "1234")
            let faults = lines.first?["reader"]?["errors"]?.array ?? []
            #expect(faults.compactMap { $0["remedy"]?.string } == ["Charge the reader."])
            let types = lines.dropFirst().compactMap { $0["event"]?["type"]?.string }
            #expect(
                types == [
                    "DocumentReceived", "ReaderLogReported", "ReaderErrorReported", "AnomalyRaised", "PINRequested",
                ]
            )
            let log1 = lines.dropFirst().first?["event"]?["data"]?["document"]?["log"]?.string
            #expect(log1?.contains("\nread ") == true, "the log is missing: \(all.body)")
            for number in numbers { #expect(!all.body.contains(number)) }
            let later = try await bundle("&from=\(middle)")
            #expect(later.lines.count == 4)
            let earlier = try await bundle("&to=\(middle)")
            #expect(earlier.lines.count == 3 && before > 0)
            #expect(try await bundle("&from=2036-01-01T00:00:00Z").lines.count == 1)
            #expect(try await bundle("&from=yesterday").code == "invalid-parameter")
            #expect(try await caller.get("/v1/readers/handpoint/9/bundle").status == 404)
            #expect(try await api.caller(tenant: "other").get(path).status == 404)
        }
    }

    @Test func aBundleThatIsTooLargeIsRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.events, .read])
            let events = Array(repeating: Reported.event("ReaderConnected", ReaderWorkTests.reader("1234")), count: 100)
            var last: Int64 = 0
            for _ in 0..<51 { last = try await ReaderWorkTests.append(events, on: "reader/handpoint/1234", by: caller) }
            let answer = try await caller.get("/v1/readers/handpoint/1234/bundle?min_position=\(last)")
            #expect(answer.status == 422 && answer.code == "bundle-too-large", "\(answer.body)")
        }
    }

    /// The receipt of the reader is text, and what it prints otherwise is named.
    @Test func receiptsOfTheReaderAreBesideOurs() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read])
            let html =
                "<html><body>Time: 09:45<br/>Auth code: 99999<br/>CardNumber: **** **** **** 0045<br/>"
                + "<script>alert(1)</script><div>GBP12.00</div></body></html>"
            let document: JSONValue = [
                "kind": "responseFinanceStatus",
                "body": [
                    "statusCode": 1, "status": "AUTHORISED", "financialResult": 1, "authorisedAmount": 1000,
                    "transactionId": "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e", "customerReceipt": .string(html),
                    "xml": [
                        "SerialNumber": "1234", "TransactionType": "SALE", "FinancialStatus": "AUTHORISED",
                        "RequestedAmount": "1000", "TotalAmount": "1000", "Currency": "826",
                        "EFTTransactionID": "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e", "EFTTimestamp": "20141212094555",
                        "AuthorisationCode": "05354",
                    ],
                ],
            ]
            let id = try #require(try await caller.take("handpoint", document)["transaction"]?.string)
            let found = try await caller.get("/v1/transactions/\(id)/receipt/reader").json
            let receipt = found["receipts"]?[0]
            #expect(found["receipts"]?.array?.count == 1 && receipt?["copy"] == "customer", "\(found)")
            let text = receipt?["text"]?.string ?? ""
            #expect(text.contains("Auth code: 99999") && !text.contains("<") && !text.contains("alert"))
            let differences = receipt?["differences"]?.array ?? []
            #expect(
                differences.compactMap { $0["field"]?.string } == ["amount", "authorization-code"],
                "\(differences)"
            )
            #expect(differences.first?["printed"] == "12.00 GBP" && differences.first?["recorded"] == "10.00 GBP")
            // After a void, it may be the receipt of the void.
            let void: JSONValue = [
                "stream": .string("transaction/\(id)"),
                "events": [
                    [
                        "type": "Voided", "schema": 1, "occurredAt": "2014-12-12T10:00:00Z",
                        "data": ["id": "v", "evidence": "gateway", "response": [:], "references": [:]],
                    ]
                ],
            ]
            let json = ["Content-Type": "application/json"]
            #expect(try await caller.send("POST", "/v1/events", json, body: void.text).status == 201)
            let after = try await caller.get("/v1/transactions/\(id)/receipt/reader").json["receipts"]?[0]
            #expect(after?["differences"]?.array == [])
            // A payment without a receipt, one without a payment, and another tenant.
            try await ReaderWorkTests.append(ReaderWorkTests.doubt(at: nil), on: ReaderWorkTests.stream(3), by: caller)
            let none = try await caller.get("/v1/transactions/\(ReaderWorkTests.id(3))/receipt/reader")
            #expect(none.status == 404 && none.code == "no-reader-receipt")
            #expect(
                try await caller.get("/v1/transactions/\(ReaderWorkTests.id(9))/receipt/reader").code == "not-found"
            )
            let other = try await api.caller(tenant: "other")
            #expect(try await other.get("/v1/transactions/\(id)/receipt/reader").code == "not-found")
        }
    }
}
