import Canonical
import Payments
import Statements
import Testing

/// Amounts and times in all their notations.
@Suite struct FigureTests {
    @Test func overpunchedSigns() throws {
        let signs = Array("{ABCDEFGHI}JKLMNOPQR")
        for (index, sign) in signs.enumerated() {
            let text = Samples.epraw.replacing("00000015}", with: "00000012\(sign)")
            let fee = try #require(try Reading(.amexEPRAW, text).lines.last)
            let digit = Int64(index % 10)
            #expect(fee.net == (index < 10 ? 120 + digit : -(120 + digit)))
        }
    }

    @Test(
        arguments: [
            ("USD", "1", 100), ("USD", "1.5", 150), ("USD", "-1.50", -150), ("USD", "1.500", 150), ("USD", "+0.01", 1),
            ("USD", "(12.00)", -1200), ("USD", "12.00-", -1200), ("JPY", "12", 12), ("JPY", "12.00", 12),
            ("KWD", "1.234", 1234), ("CLF", "1.2345", 12_345), ("USD", "92233720368547758.07", Int64.max),
            ("USD", ".5", 50),
        ] as [(String, String, Int64)]
    )
    func decimals(_ currency: String, _ text: String, _ value: Int64) throws {
        let reading = try Reading(.daybookCSV, "type,currency,gross\nsale,\(currency),\(text)\n")
        #expect(reading.lines.first?.gross == value)
    }

    @Test(arguments: [
        ("USD", "1.001"), ("USD", "1."), ("USD", "1,000.00"), ("USD", "--1"), ("USD", "1 000"), ("USD", "$1"),
        ("JPY", "1.5"), ("USD", "92233720368547758.08"), ("USD", "999999999999999999999999"), ("USD", "NaN"),
        ("USD", "()"), ("USD", "1.0.0"), ("USD", "٣"),
    ])
    func invalidAmounts(_ currency: String, _ text: String) throws {
        let found = try problem(.daybookCSV, "type,currency,gross\nsale,\(currency),\"\(text)\"\n")
        #expect(found?.code == .badAmount && found?.column == .named("gross"))
    }

    @Test(
        arguments: [
            ("1,058.09", 105_809), ("-1.058,09", -105_809), ("12,00", 1200), ("1.058.000,00", 105_800_000),
            ("1058.09", 105_809),
        ] as [(String, Int64)]
    )
    func groupsOfPayPal(_ text: String, _ value: Int64) throws {
        let row =
            "\"1/27/2026\",\"\",\"\",\"\",\"Payment\",\"Completed\",\"USD\",\"\(text)\",\"0.00\",\"\(text)\",\"T1\",\"\",\"\",\"\""
        let header = Samples.paypal.split(separator: "\n")[0]
        #expect(try Reading(.paypalActivity, header + "\n" + row + "\n").lines.first?.gross == value)
        let wrong = row.replacing(text, with: "1,05.09")
        #expect(try problem(.paypalActivity, header + "\n" + wrong + "\n")?.code == .badAmount)
    }

    @Test(arguments: [
        ("2026-01-20 10:00:00", "CET", "2026-01-20T09:00:00Z"), ("2026-07-20 10:00:00", "CET", "2026-07-20T09:00:00Z"),
        ("2026-07-20 10:00:00", "Europe/Berlin", "2026-07-20T08:00:00Z"),
        ("2026-01-20T10:00", "PST", "2026-01-20T18:00:00Z"),
        ("2026-01-20 10:00:00", "GMT+05:30", "2026-01-20T04:30:00Z"),
        ("20260120100000", "+0100", "2026-01-20T09:00:00Z"),
        // Skipped when clocks go forward, and repeated when they go back.
        ("2026-03-29 02:30:00", "Europe/Berlin", "2026-03-29T01:30:00Z"),
        ("2026-03-29 03:30:00", "Europe/Berlin", "2026-03-29T01:30:00Z"),
        ("2026-10-25 01:59:59", "Europe/Berlin", "2026-10-24T23:59:59Z"),
        ("2026-10-25 02:30:00", "Europe/Berlin", "2026-10-25T00:30:00Z"),
        ("2026-10-25 03:00:00", "Europe/Berlin", "2026-10-25T02:00:00Z"),
        ("2026-11-01 03:00:00", "America/New_York", "2026-11-01T08:00:00Z"),
    ])
    func zones(_ local: String, _ zone: String, _ instant: String) throws {
        let text = "type,currency,gross,local_time,zone\nsale,USD,1,\(local),\(zone)\n"
        let line = try #require(try Reading(.daybookCSV, text).lines.first)
        #expect(line.occurredAt == Timestamp(rfc3339: instant) && line.zone == zone)
        let unknown = try Reading(.daybookCSV, text.replacing(zone, with: "Mars/Base"))
        #expect(unknown.lines[0].occurredAt == nil && unknown.lines[0].localTime == line.localTime)
        #expect(unknown.notes.count == 1)
    }

    /// Elements that version 02 of camt had in other places.
    @Test func camtOfVersionTwo() throws {
        let old = Samples.camt053
            .replacing("<c:TtlNetNtry><c:Amt>141.50</c:Amt>", with: "<c:TtlNetNtryAmt>141.50</c:TtlNetNtryAmt>")
            .replacing("</c:CdtDbtInd></c:TtlNetNtry>", with: "</c:CdtDbtInd>")
            .replacing("<c:Sts><c:Cd>BOOK</c:Cd></c:Sts>", with: "<c:Sts>BOOK</c:Sts>")
            .replacing("<c:Amt Ccy=\"EUR\">100.00</c:Amt>\n", with: amount("100.00"))
            .replacing("<c:Amt Ccy=\"EUR\">51.00</c:Amt>\n", with: amount("51.00"))
        let reading = try Reading(.camt053, old)
        #expect(reading.failing.isEmpty && reading.control("TtlNtries-net")?.stated == 14_150)
        #expect(reading.lines.map(\.net) == [10_000, 5100, -950])
    }

    private func amount(_ figure: String) -> String {
        "<c:AmtDtls><c:TxAmt><c:Amt Ccy=\"EUR\">\(figure)</c:Amt></c:TxAmt></c:AmtDtls>\n"
    }

    @Test func camtEntriesThatAreNotBooked() throws {
        let pending = Samples.camt053.replacing("<c:Sts>BOOK</c:Sts>", with: "<c:Sts>PDNG</c:Sts>")
        let reading = try Reading(.camt053, pending)
        #expect(reading.lines[2].type == .balance && reading.lines[2].rawStatus == "PDNG")
        #expect(reading.failing == ["closing-balance"])
    }

    @Test func camtBatchInAnotherCurrency() throws {
        let other = Samples.camt053.replacing("<c:TtlAmt Ccy=\"EUR\">151", with: "<c:TtlAmt Ccy=\"USD\">160")
        let reading = try Reading(.camt053, other)
        #expect(reading.failing.isEmpty && reading.notes.map(\.code) == [.unchecked])
    }
}
