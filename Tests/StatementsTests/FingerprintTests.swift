import Statements
import Testing

@Suite struct FingerprintTests {
    private func lines(_ text: String) throws -> [StatementLine] { try Reading(.daybookCSV, text).lines }

    @Test func placeAndOrderOfColumnsDoNotMatter() throws {
        let one = try lines("type,currency,gross,rrn\nsale,USD,5.00,R1\nsale,USD,6.00,R2\n")
        let other = try lines("rrn,gross,currency,type\nR2,6.00,USD,sale\nR1,5.00,USD,sale\n")
        #expect(one[0].contentDigest() == other[1].contentDigest())
        #expect(one[1].fingerprint(occurrence: 0) == other[0].fingerprint(occurrence: 0))
        #expect(one[0].contentDigest() != one[1].contentDigest())
        #expect(one[0].contentDigest().bytes.count == 32)
    }

    @Test func equalLinesAreDistinguishedByOccurrence() throws {
        let twice = try lines("type,currency,gross\nsale,USD,5.00\nsale,USD,5.00\n")
        #expect(twice[0].contentDigest() == twice[1].contentDigest())
        #expect(twice[0].fingerprint(occurrence: 0) != twice[1].fingerprint(occurrence: 1))
        #expect(twice[0].fingerprint(occurrence: 1) == twice[1].fingerprint(occurrence: 1))
    }

    /// Equal lines of two files are one only if a day or an id says what they are about.
    @Test(
        arguments: [
            ("day", "2026-01-31", true), ("booked_day", "2026-01-31", true), ("value_day", "2026-01-31", true),
            ("occurred_at", "2026-01-31T10:00:00Z", true), ("local_time", "2026-01-31 10:00:00", true),
            ("processor_id", "X", true), ("related_id", "X", true), ("rrn", "X", true), ("arn", "X", true),
            ("invoice", "X", true), ("payout", "X", true), ("bank_reference", "X", true), ("end_to_end", "X", true),
            ("merchant", "X", false), ("terminal", "X", false), ("batch", "X", false), ("brand", "X", false),
            ("text", "monthly fee", false), ("counterparty", "X", false), ("account", "X", false),
        ]
    )
    func aLineWithoutDayAndIdIsItsFiles(column: String, value: String, isIdentified: Bool) throws {
        let line = try #require(try lines("type,currency,gross,\(column)\nfee,USD,-5.00,\(value)\n").first)
        #expect(line.isIdentified == isIdentified)
        #expect((line.contentDigest(in: "one") == line.contentDigest(in: "two")) == isIdentified)
        #expect(
            (line.fingerprint(occurrence: 1, in: "one") == line.fingerprint(occurrence: 1, in: "two")) == isIdentified
        )
        #expect(line.contentDigest(in: "one") == line.contentDigest(in: "one"))
    }

    /// Any change of a line's content makes it another line.
    @Test func everyMemberCounts() throws {
        let header =
            "type,currency,gross,fee,net,day,rrn,invoice,status,zone,local_time,transaction_amount,transaction_currency\n"
        let rows = [
            "sale,USD,5.00,-1.00,4.00,2026-01-20,R,I,ok,CET,2026-01-20 10:00:00,3.00,EUR",
            "capture,USD,5.00,-1.00,4.00,2026-01-20,R,I,ok,CET,2026-01-20 10:00:00,3.00,EUR",
            "sale,CAD,5.00,-1.00,4.00,2026-01-20,R,I,ok,CET,2026-01-20 10:00:00,3.00,EUR",
            "sale,USD,5.01,-1.00,4.00,2026-01-20,R,I,ok,CET,2026-01-20 10:00:00,3.00,EUR",
            "sale,USD,5.00,-1.01,4.00,2026-01-20,R,I,ok,CET,2026-01-20 10:00:00,3.00,EUR",
            "sale,USD,5.00,-1.00,4.01,2026-01-20,R,I,ok,CET,2026-01-20 10:00:00,3.00,EUR",
            "sale,USD,5.00,-1.00,4.00,2026-01-21,R,I,ok,CET,2026-01-20 10:00:00,3.00,EUR",
            "sale,USD,5.00,-1.00,4.00,2026-01-20,RI,,ok,CET,2026-01-20 10:00:00,3.00,EUR",
            "sale,USD,5.00,-1.00,4.00,2026-01-20,,RI,ok,CET,2026-01-20 10:00:00,3.00,EUR",
            "sale,USD,5.00,-1.00,4.00,2026-01-20,R,I,no,CET,2026-01-20 10:00:00,3.00,EUR",
            "sale,USD,5.00,-1.00,4.00,2026-01-20,R,I,ok,UTC,2026-01-20 10:00:00,3.00,EUR",
            "sale,USD,5.00,-1.00,4.00,2026-01-20,R,I,ok,CET,2026-01-20 10:00:01,3.00,EUR",
            "sale,USD,5.00,-1.00,4.00,2026-01-20,R,I,ok,CET,2026-01-20 10:00:00,3.01,EUR",
            "sale,USD,5.00,-1.00,4.00,2026-01-20,R,I,ok,CET,2026-01-20 10:00:00,3.00,GBP",
        ]
        let digests = try lines(header + rows.joined(separator: "\n")).map { $0.contentDigest() }
        #expect(Set(digests).count == rows.count)
    }
}
