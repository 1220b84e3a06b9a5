import Access
import Canonical
import DaybookTestKit
import Testing

/// Terminals print local time without a zone. Receipt, day, batch and report agree with the terminal's clock, before
/// and after the merchant's zone is set or corrected, and whatever the sender's clock says.
@Suite struct LocalTimeTests {
    /// What a terminal printed, and what must come out: computed from the time zone database, not by the ledger.
    struct Printed: Sendable, CustomTestStringConvertible {
        var zone: String
        var cutoff = "00:00"
        /// `yyyyMMddHHmmss`.
        var digits: String
        var day: String
        var line: String
        var instant: String

        var testDescription: String { "\(zone) \(line)" }
    }

    static let sales = [
        Printed(
            zone: "Asia/Tokyo",
            digits: "20260301235958",
            day: "2026-03-01",
            line: "2026-03-01 23:59:58",
            instant: "2026-03-01T14:59:58.000000Z"
        ),
        Printed(
            zone: "Asia/Tokyo",
            digits: "20260302000001",
            day: "2026-03-02",
            line: "2026-03-02 00:00:01",
            instant: "2026-03-01T15:00:01.000000Z"
        ),
        Printed(
            zone: "Asia/Kathmandu",
            digits: "20260301235959",
            day: "2026-03-01",
            line: "2026-03-01 23:59:59",
            instant: "2026-03-01T18:14:59.000000Z"
        ),
        Printed(
            zone: "Asia/Kathmandu",
            digits: "20260302000000",
            day: "2026-03-02",
            line: "2026-03-02 00:00:00",
            instant: "2026-03-01T18:15:00.000000Z"
        ),
        // Clocks are put forward at 02:00 on 8 March 2026 in New York, and back at 02:00 on 1 November.
        Printed(
            zone: "America/New_York",
            digits: "20260307235959",
            day: "2026-03-07",
            line: "2026-03-07 23:59:59",
            instant: "2026-03-08T04:59:59.000000Z"
        ),
        Printed(
            zone: "America/New_York",
            digits: "20260308015959",
            day: "2026-03-08",
            line: "2026-03-08 01:59:59",
            instant: "2026-03-08T06:59:59.000000Z"
        ),
        Printed(
            zone: "America/New_York",
            digits: "20260308030000",
            day: "2026-03-08",
            line: "2026-03-08 03:00:00",
            instant: "2026-03-08T07:00:00.000000Z"
        ),
        Printed(
            zone: "America/New_York",
            digits: "20260309000000",
            day: "2026-03-09",
            line: "2026-03-09 00:00:00",
            instant: "2026-03-09T04:00:00.000000Z"
        ),
        Printed(
            zone: "America/New_York",
            digits: "20261031235959",
            day: "2026-10-31",
            line: "2026-10-31 23:59:59",
            instant: "2026-11-01T03:59:59.000000Z"
        ),
        Printed(
            zone: "America/New_York",
            digits: "20261101005959",
            day: "2026-11-01",
            line: "2026-11-01 00:59:59",
            instant: "2026-11-01T04:59:59.000000Z"
        ),
        // The hour from 01:00 is twice on the clock; of the two instants, the later one is taken.
        Printed(
            zone: "America/New_York",
            digits: "20261101013000",
            day: "2026-11-01",
            line: "2026-11-01 01:30:00",
            instant: "2026-11-01T06:30:00.000000Z"
        ),
        Printed(
            zone: "America/New_York",
            digits: "20261101020000",
            day: "2026-11-01",
            line: "2026-11-01 02:00:00",
            instant: "2026-11-01T07:00:00.000000Z"
        ),
        Printed(
            zone: "America/New_York",
            digits: "20261101235959",
            day: "2026-11-01",
            line: "2026-11-01 23:59:59",
            instant: "2026-11-02T04:59:59.000000Z"
        ),
        Printed(
            zone: "America/New_York",
            cutoff: "04:00",
            digits: "20260302035959",
            day: "2026-03-01",
            line: "2026-03-02 03:59:59",
            instant: "2026-03-02T08:59:59.000000Z"
        ),
        Printed(
            zone: "America/New_York",
            cutoff: "04:00",
            digits: "20260302040000",
            day: "2026-03-02",
            line: "2026-03-02 04:00:00",
            instant: "2026-03-02T09:00:00.000000Z"
        ),
    ]

    private func sale(_ printed: Printed, occurredAt: String?) -> JSONValue {
        let id = "aa01f0b0-1500-11f1-8c3d-a1b2c3d4e502"
        var record: JSONObject = [
            "kind": "responseFinanceStatus", "transaction": "app-1", "device": "1234040017", "merchant": "m-1",
            "body": [
                "statusCode": 1, "status": "AUTHORISED", "financialResult": 1, "authorisedAmount": 1000,
                "transactionId": .string(id),
                "xml": [
                    "StatusMessage": "AUTH CODE 551200", "TransactionType": "SALE", "FinancialStatus": "AUTHORISED",
                    "RequestedAmount": "1000", "TotalAmount": "1000", "Currency": "0840",
                    "EFTTransactionID": .string(id), "EFTTimestamp": .string(printed.digits),
                    "AuthorisationCode": "551200", "CVM": "NOT_REQUIRED", "CardEntryType": "ICC",
                    "CardSchemeName": "MASTERCARD", "SerialNumber": "1234040017", "BatchNumber": "121",
                ],
            ],
        ]
        record["occurredAt"] = occurredAt.map { .string($0) }
        return .object(record)
    }

    @Test(arguments: sales, [false, true])
    func everyAnswerAgreesWithTheClock(_ printed: Printed, isSenderTimed: Bool) async throws {
        // Received a day later: only the terminal's clock knows the day.
        let clock = ManualClock(
            at: try #require(Timestamp(rfc3339: printed.instant)).adding(microseconds: 86_400_000_000)
        )
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller([.admin, .documents, .read])
            let sold = try await caller.take(
                "handpoint",
                sale(printed, occurredAt: isSenderTimed ? printed.instant : nil)
            )
            let id = try #require(sold["transaction"]?.string)
            var head = Int64(try await api.events().count)
            if printed.cutoff == "00:00" {
                try await check(printed, id, caller, head, in: nil)
            }
            let body = #"{"zone":"\#(printed.zone)","cutoff":"\#(printed.cutoff)","reason":"opened"}"#
            let described = try await caller.send(
                "PUT",
                "/v1/merchants/m-1",
                ["Content-Type": "application/json"],
                body: body
            )
            #expect(described.status == 201 || described.status == 200, "\(described.body)")
            head = Int64(try await api.events().count)
            try await check(printed, id, caller, head, in: printed.zone)
        }
    }

    private func check(_ printed: Printed, _ id: String, _ caller: Caller, _ head: Int64, in zone: String?) async throws
    {
        let wait = "min_position=\(head)"
        let payment = try await caller.get("/v1/transactions/\(id)?\(wait)").json
        let local = printed.line.replacing(" ", with: "T")
        #expect(payment["localTime"]?.string == local)
        let receipt = try await caller.get("/v1/transactions/\(id)/receipt?\(wait)").json
        #expect(receipt["at"]?.string == local)
        #expect(receipt["timeBasis"]?.string == (zone == nil ? "assumed" : "merchant"))
        if zone != nil { #expect(receipt["instant"]?.string == printed.instant) }
        let text = try await caller.get("/v1/transactions/\(id)/receipt?\(wait)", ["Accept": "text/plain"]).body
        let date = text.split(separator: "\n").first { $0.hasPrefix("Date") }
        #expect(date?.split(separator: " ").dropFirst().joined(separator: " ") == printed.line, "\(text)")
        let totals = try await caller.get("/v1/totals?by=day&merchant=m-1&\(wait)").json
        #expect(totals["items"]?.array?.map { $0["day"]?.string } == [printed.day])
        let day = try await caller.get("/v1/days/\(printed.day)?merchant=m-1&\(wait)").json
        #expect(day["count"]?.int64 == 1)
        let span = "from=\(printed.day)&to=\(printed.day)&merchant=m-1"
        let report = try await caller.get("/v1/reconciliation-report?\(span)&\(wait)").json
        let counts = report["ledger"]?.array?.compactMap { $0["count"]?.int64 } ?? []
        #expect(counts.reduce(0, +) == 1, "\(report.text)")
        let batches = try await caller.get("/v1/batches?number=121&merchant=m-1&\(wait)").json["items"]?.array ?? []
        #expect(batches.map { $0["net"]?[0]?["value"]?.int64 } == [1000], "\(batches)")
    }

    // MARK: Settlements

    /// A sale, and the local time at which its terminal closed the batch.
    struct Closing: Sendable, CustomTestStringConvertible {
        var sale: Printed
        /// `yyyyMMddHHmmss`.
        var digits: String
        var localTime: String

        var testDescription: String { "\(sale.zone) \(sale.line), closed at \(localTime)" }
    }

    static let closings = [
        Closing(
            sale: Printed(
                zone: "Asia/Kathmandu",
                digits: "20260301235959",
                day: "2026-03-01",
                line: "2026-03-01 23:59:59",
                instant: "2026-03-01T18:14:59.000000Z"
            ),
            digits: "20260302000130",
            localTime: "2026-03-02T00:01:30"
        ),
        Closing(
            sale: Printed(
                zone: "America/New_York",
                digits: "20260308015959",
                day: "2026-03-08",
                line: "2026-03-08 01:59:59",
                instant: "2026-03-08T06:59:59.000000Z"
            ),
            digits: "20260308030100",
            localTime: "2026-03-08T03:01:00"
        ),
        // The sale is in the hour that occurs twice.
        Closing(
            sale: Printed(
                zone: "America/New_York",
                digits: "20261101015959",
                day: "2026-11-01",
                line: "2026-11-01 01:59:59",
                instant: "2026-11-01T06:59:59.000000Z"
            ),
            digits: "20261101020030",
            localTime: "2026-11-01T02:00:30"
        ),
    ]

    @Test(arguments: closings)
    func aSettlementClosesTheBatchAtTheTerminalsTime(_ closing: Closing) async throws {
        let sale = closing.sale
        let clock = ManualClock(at: try #require(Timestamp(rfc3339: sale.instant)).adding(microseconds: 86_400_000_000))
        try await TestAPI.serve(clock: clock) { api in
            let caller = try await api.caller([.admin, .documents, .read])
            let sold = try await caller.take("dejavoo", Self.ticket(sale))
            let id = try #require(sold["transaction"]?.string)
            _ = try await caller.take("dejavoo", Self.settlement(closing))
            let body = #"{"zone":"\#(sale.zone)","cutoff":"\#(sale.cutoff)","reason":"opened"}"#
            let described = try await caller.send(
                "PUT",
                "/v1/merchants/m-1",
                ["Content-Type": "application/json"],
                body: body
            )
            #expect(described.status == 201 || described.status == 200, "\(described.body)")
            let status = try await eventually {
                try await caller.get("/v1/transactions/\(id)").json["status"]?.string
            } is: {
                $0 == "settled"
            }
            #expect(status == "settled")
            let head = Int64(try await api.events().count)
            try await check(sale, id, caller, head, in: sale.zone)
            let batches = try await caller.get("/v1/batches?number=121&min_position=\(head)").json["items"]?.array
            #expect(batches?.map { $0["status"]?.string } == ["closed"])
            #expect(batches?.first?["closedLocalTime"]?.string == closing.localTime, "\(batches ?? [])")
        }
    }

    private static func ticket(_ sale: Printed) -> JSONValue {
        [
            "kind": "Spin_Response", "transaction": "app-1", "terminal": "794524937054", "merchant": "m-1",
            "body": [
                "Spin_Response": [
                    "RefId": "688041066395", "AuthCode": "DSC380", "PNRef": "400907500270", "TransNum": "4",
                    "ResultCode": "0", "Message": "APPROVED", "RespMsg": "APPROVAL DSC380", "PaymentType": "credit",
                    "ExtData": [
                        "Amount": "10.00", "BatchNum": "121", "BaseAmount": "10.00", "RespCode": "00",
                        "RRN": "400907500270", "txnId": "00000433772392582420240109012159", "TxnType": "1",
                        "TotalAmt": "10.00", "txnLabel": "Sale", "DateTime": .string(sale.digits),
                    ],
                ]
            ],
        ]
    }

    private static func settlement(_ closing: Closing) -> JSONValue {
        [
            "kind": "BatchSettlement",
            "body": [
                "transaction_title": "settlements", "Tpn": "794524937054", "transaction_type": 7, "batch_no": 121,
                "timeStamp": .string(closing.digits), "transaction_id": "84566476174593705420241219114620",
                "status": "BATCH SETTLED", "statusCode": "00",
            ],
        ]
    }
}
