import Canonical
import Payments
import Statements
import Testing

/// Statements of banks as third parties write them: correct figures, or a problem that names the fault. All files are
/// made up.
@Suite struct AwkwardBankFileTests {
    @Test func textsOfBAI2ThatAreBrokenWithoutAContinuation() throws {
        let broken = Samples.bai2.replacing(
            "CARD DEPOSIT\n88,BATCH 243",
            with: "CARD DEPOSIT\nBATCH 243, PART/2\n88:REF 1"
        )
        let reading = try Reading(.bai2, broken)
        #expect(reading.lines.map(\.net) == [7550, 8000, -2500])
        #expect(reading.lines[1].references[.text] == "CARD DEPOSIT BATCH 243, PART/2 88:REF 1")
        #expect(reading.notes.first { $0.code == .unknownRecord }?.line == 7)
        // One continuation less than the trailers count.
        #expect(Set(reading.failing) == ["account-records", "group-records", "file-records"])
        for piece in [1, 7] { #expect(try Reading(.bai2, Array(broken.utf8), piece: piece).items == reading.items) }
        // A slash ends the text.
        let closed = Samples.bai2.replacing("FEES/\n", with: "FEES/\nAND MORE\n")
        #expect(try problem(.bai2, closed)?.code == .unknownRecord)
        let endless = Samples.bai2.replacing("88,BATCH 243\n", with: String(repeating: "A LONG TEXT\n", count: 9000))
        #expect(try problem(.bai2, endless)?.code == .tooLarge)
    }

    @Test func slashesOfDatesInTextsOfBAI2() throws {
        let text = Samples.bai2.replacing("12/16 PART", with: "12/88/16/49/98 PART")
        let reading = try Reading(.bai2, text)
        #expect(reading.lines[0].references[.text] == "AMEX SETTLEMENT 12/88/16/49/98 PART" && reading.failing.isEmpty)
    }

    /// The specification's example states total credits and lists one of them.
    @Test func detailsOfBAI2MayBeASelection() throws {
        let few = """
            01,021000021,MYSHOP,260121,0600,42,80,1,2/
            02,MYSHOP,021000021,1,260120,,USD,2/
            03,0012345,USD,010,5000,,,100,15550,,,400,2500/
            88,,/
            16,142,7550,,,,PART/
            49,30600,4/
            98,30600,1,6/
            99,30600,1,8/

            """
        let reading = try Reading(.bai2, few)
        #expect(reading.failing.isEmpty && reading.control("total-credits") == nil)
        #expect(reading.notes.filter { $0.code == .unchecked }.count == 2)
        #expect(reading.notes.contains { $0.detail.contains("15550 of credits") && $0.detail.contains("7550") })
        // With a count, with balances, or with more than the total, the result is certain.
        let counted = few.replacing("100,15550,,", with: "100,15550,2,").replacing(
            "400,2500/\n88,,/",
            with: "400,0,/\n88,/"
        )
        #expect(try Reading(.bai2, counted).failing.contains("total-credits"))
        let balanced = few.replacing("010,5000,,,", with: "010,5000,,,015,18050,,,")
        #expect(
            Set(try Reading(.bai2, balanced).failing).isSuperset(of: [
                "total-credits", "total-debits", "closing-ledger",
            ])
        )
        let more = few.replacing("16,142,7550", with: "16,142,17550")
        #expect(try Reading(.bai2, more).failing.contains("total-credits"))
    }

    @Test func amountsOfBAI2ThatAreTooLarge() throws {
        let large = try #require(
            try problem(.bai2, Samples.bai2.replacing("16,142,7550", with: "16,142,12345678901234567890"))
        )
        #expect(large.code == .badAmount && large.line == 5 && large.detail.contains("larger"))
    }

    @Test func transactionsOfCamtThatDiffersFromTheirEntry() throws {
        let less = Samples.camt053.replacing(">51.00</c:Amt>", with: ">50.00</c:Amt>")
        let reading = try Reading(.camt053, less)
        #expect(reading.lines.map(\.net) == [15_100, 10_000, 5000, -950])
        #expect(reading.lines.map(\.role) == [.total, .part, .part, .own])
        #expect(Set(reading.lines.prefix(3).map(\.group)).count == 1 && reading.lines[0].group != nil)
        let whole = reading.lines.filter { $0.role != .part }.reduce(0) { $0 + ($1.net ?? 0) }
        #expect(whole == 14_150 && reading.control("closing-balance")?.holds == true)
        #expect(Set(reading.failing) == ["entry-details", "batch-amount"])
    }

    @Test(arguments: 2...13) func versionsOfCamt(_ version: Int) throws {
        let number = version < 10 ? "0\(version)" : "\(version)"
        let text = Samples.camt053.replacing("camt.053.001.08", with: "camt.053.001.\(number)")
        #expect(StatementFormat.recognise(Array(text.utf8)) == .camt053)
        #expect(try Reading(.camt053, text).lines.map(\.net) == [10_000, 5100, -950])
    }

    @Test func messagesOfCamtWithoutDeclarationsAndInEnvelopes() throws {
        let message = Samples.camt053.drop { $0 != "\n" }
        let both = try Reading(.camt053, message + "\n\n" + message)
        #expect(both.lines.count == 6 && both.failing.isEmpty)
        #expect(both.lines[3].line > both.lines[2].line)
        let header =
            "<AppHdr xmlns=\"urn:iso:std:iso:20022:tech:xsd:head.001.001.02\"><BizMsgIdr>B1</BizMsgIdr></AppHdr>"
        let wrapped = "<a><b><c><Envelope>\(header)\(message)\(header)\(message)</Envelope></c></b></a>"
        #expect(try Reading(.camt053, wrapped).lines.map(\.net) == both.lines.map(\.net))
        #expect(StatementFormat.recognise(Array(wrapped.utf8)) == .camt053)
        #expect(try problem(.camt053, message + "<Other/>")?.code == .unknownFormat)
    }
}
