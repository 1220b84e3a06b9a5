import Canonical
import Payments
import Statements
import Testing

/// The samples, checked by their sums.
@Suite struct SampleTests {
    @Test(arguments: Samples.all.indices)
    func samplesAreRecognised(_ index: Int) {
        let sample = Samples.all[index]
        #expect(StatementFormat.recognise(Array(sample.text.utf8)) == sample.format)
    }

    @Test(arguments: Samples.all.indices)
    func samplesHaveOneFormatOnly(_ index: Int) throws {
        let sample = Samples.all[index]
        for format in StatementFormat.allCases where format != sample.format {
            // The two formats of Dejavoo have the same form.
            if [format, sample.format].allSatisfy({ [.iposgoSettlement, .spinBatch].contains($0) }) { continue }
            #expect(throws: StatementProblem.self, "\(sample.format) as \(format)") {
                try Reading(format, sample.text)
            }
        }
    }

    @Test func epraw() throws {
        let reading = try Reading(.amexEPRAW, Samples.epraw, options: StatementOptions(currency: .usd))
        #expect(reading.failing.isEmpty)
        #expect(reading.control("payment-amount")?.computed == 7550)
        #expect(reading.control("file-records")?.stated == 6)
        #expect(reading.lines.map(\.net) == [-7550, 9700, -2000, -150])
        #expect(reading.lines.map(\.type) == [.payout, .batch, .chargeback, .fee])
        #expect(reading.lines[1].fees == [LineFee(.discount, -300)])
        #expect(reading.lines[1].day?.description == "2026-01-18")
        #expect(reading.lines[2].references[.text] == "CARD 371449*****8431 DISPUTED")
        #expect(reading.notes.isEmpty)
    }

    @Test func eprawFilesOneAfterAnotherAndTrimmedRecords() throws {
        let trimmed = Samples.eprawRecords.map { record in
            String(record.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\r\n")
        let reading = try Reading(.amexEPRAW, trimmed + "\r\n" + Samples.epraw)
        #expect(reading.failing.isEmpty && reading.lines.count == 8)
        #expect(reading.notes.map(\.code) == [.assumedCurrency])
    }

    @Test func eprawPaymentThatDoesNotFootIsReportedAndKept() throws {
        let text = Samples.epraw.replacing("0000000755{", with: "0000000756}")
        let reading = try Reading(.amexEPRAW, text)
        #expect(reading.failing == ["payment-amount"])
        #expect(reading.control("payment-amount")?.stated == -7560)
        #expect(reading.lines.count == 4)
    }

    @Test func grrcn() throws {
        let reading = try Reading(.amexGRRCN, Samples.grrcn)
        #expect(reading.failing.isEmpty, "\(reading.failing)")
        #expect(reading.lines.map(\.type) == [.payout, .batch, .capture, .capture, .chargeback, .fee])
        #expect(reading.lines.filter { $0.role != .part }.reduce(0) { $0 + ($1.amount ?? 0) } == 0)
        #expect(reading.control("file-records")?.computed == 8)
        #expect(reading.control("submission-transactions")?.computed == 2)
        #expect(reading.control("payment-details")?.computed == 7551)
        let tabs = Samples.grrcn.replacing("\",\"", with: "\"\t\"")
        #expect(try Reading(.amexGRRCN, tabs).items == reading.items)
    }

    @Test("Both versions have the filler before the exchange rate")
    func grrcnOfAnotherVersion() throws {
        let text = Samples.grrcn.replacing("\"2.01\"", with: "\"1.01\"")
        let reading = try Reading(.amexGRRCN, text)
        #expect(reading.failing.isEmpty)
        #expect(reading.lines == (try Reading(.amexGRRCN, Samples.grrcn)).lines)
    }

    @Test("Unknown versions and shifted columns are refused")
    func grrcnWithUnknownFields() throws {
        for version in ["1.01", "2.01"] {
            for (fields, changed) in [("\"\",\"\",", "\"\","), ("\"\",\"\",", "\"\",\"\",\"\",")] {
                let shifted = Samples.grrcn.replacing("\"2.01\"", with: "\"\(version)\"")
                    .replacing("\"USD\",\(fields)\" 000000000010001\"", with: "\"USD\",\(changed)\" 000000000010001\"")
                #expect(throws: StatementProblem.self) { try Reading(.amexGRRCN, shifted) }
            }
        }
    }

    @Test func bai2() throws {
        let reading = try Reading(.bai2, Samples.bai2)
        #expect(reading.failing.isEmpty, "\(reading.failing)")
        #expect(reading.lines.map(\.net) == [7550, 8000, -2500])
        #expect(reading.lines.map(\.type) == [.deposit, .deposit, .fee])
        #expect(reading.lines[0].references[.text] == "AMEX SETTLEMENT 12/16 PART")
        #expect(reading.lines[1].references[.text] == "CARD DEPOSIT,BATCH 243")
        #expect(reading.control("closing-ledger")?.computed == 113_050)
        // Everything on one line, where only slashes end the records.
        let closed = Samples.bai2.replacing("CARD DEPOSIT\n", with: "CARD DEPOSIT/").replacing("243\n", with: "243/")
        let joined = try Reading(.bai2, closed.replacing("\n", with: ""))
        #expect(joined.lines.map(\.net) == [7550, 8000, -2500] && joined.failing.isEmpty)
        #expect(joined.lines.allSatisfy { $0.line == 1 })
    }

    @Test func camt() throws {
        let reading = try Reading(.camt053, Samples.camt053)
        #expect(reading.failing.isEmpty, "\(reading.failing)")
        #expect(reading.lines.map(\.net) == [10_000, 5100, -950])
        #expect(reading.control("closing-balance")?.computed == 114_150)
        #expect(
            Set(reading.controls.map(\.name)).isSuperset(of: ["TtlNtries-sum", "TtlNtries-net", "TtlCdtNtries-sum"])
        )
        #expect(reading.lines[0].references[.text] == "Auszahlung für & 4111 11** **** 1111")
        #expect(reading.lines[2].references[.text] == "Fees & more")
        let notification = try Reading(.camt054, Samples.camt054)
        #expect(notification.lines == reading.lines)
        let off = try Reading(.camt053, Samples.camt053.replacing("1141.50", with: "1141.51"))
        #expect(off.failing == ["closing-balance"] && off.lines == reading.lines)
    }

    @Test func camtStatementsInOneFileAndFilesOneAfterAnother() throws {
        let begin = try #require(Samples.camt053.firstRange(of: "<c:Stmt>"))
        let end = try #require(Samples.camt053.firstRange(of: "</c:Stmt>"))
        let statement = Samples.camt053[begin.lowerBound..<end.upperBound]
        let two = Samples.camt053.replacing("</c:Stmt>", with: "</c:Stmt>\n\(statement)")
        #expect(try Reading(.camt053, two).lines.count == 6)
        let files = try Reading(.camt053, Samples.camt053 + Samples.camt053)
        #expect(files.lines.count == 6 && files.failing.isEmpty)
        let height = Samples.camt053.count { $0 == "\n" }
        #expect(files.lines[3].line == files.lines[0].line + height)
    }

    @Test func iposgo() throws {
        let reading = try Reading(.iposgoSettlement, Samples.iposgo)
        #expect(reading.failing.isEmpty, "\(reading.failing)")
        #expect(reading.lines.map(\.net) == [1340, 2000, -340, 0, 0, nil])
        #expect(reading.lines.map(\.type) == [.sale, .sale, .refund, .sale, .void, .batch])
        #expect(reading.lines[0].references[.batch] == "243")
        #expect(reading.lines[3].rawStatus == "DECLINED")
        #expect(reading.control("batch-total")?.computed == 3000)
        let list = "[" + Samples.iposgo.split(separator: "\n{").joined(separator: ",\n{") + "]"
        #expect(try Reading(.iposgoSettlement, list).lines.map(\.net) == reading.lines.map(\.net))
    }

    @Test func spin() throws {
        let reading = try Reading(.spinBatch, Samples.spin)
        #expect(reading.lines.map(\.net) == [3000, 100])
        #expect(reading.controls.map(\.holds) == [true, false])
        #expect(reading.lines.map(\.rawType) == ["Credit", "Debit"])
    }

    @Test func bridgepay() throws {
        let reading = try Reading(.bridgepayTransactions, Samples.bridgepay)
        #expect(reading.lines.map(\.type) == [.sale, .authorization, .refund, .void])
        #expect(reading.lines.map(\.net) == [600, 0, -250, 0])
        #expect(reading.lines.map(\.gross) == [600, 5000, -250, 700])
        #expect(reading.lines[0].localTime == Timestamp(rfc3339: "2026-01-20T13:39:46Z"))
        #expect(reading.lines[0].bookedDay?.description == "2026-01-20")
        let json = try Reading(.bridgepayTransactions, Samples.bridgepayJSON)
        #expect(json.lines.map(\.type) == [.sale, .other])
        #expect(json.lines[0].occurredAt == Timestamp(rfc3339: "2026-01-20T13:39:46Z"))
        #expect(json.notes.contains { $0.code == .unknownCode })
    }

    @Test func stripe() throws {
        let reading = try Reading(.stripePayout, Samples.stripe)
        #expect(reading.failing.isEmpty)
        #expect(reading.lines.map(\.type) == [.capture, .refund, .payout])
        #expect(reading.lines.map(\.net) == [941, -400, -541])
        #expect(reading.control("payout-amount")?.stated == 541)
        #expect(reading.lines[0].occurredAt == Timestamp(rfc3339: "2026-01-18T10:00:00Z"))
    }

    @Test func square() throws {
        let reading = try Reading(.squarePayout, Samples.square)
        #expect(reading.failing.isEmpty)
        #expect(reading.lines.map(\.type) == [.payout, .capture, .refund, .fee])
        #expect(reading.lines.map(\.net) == [-9420, 14_520, -5000, -100])
        #expect(reading.control("payout-amount")?.computed == 9420)
        #expect(reading.lines[2].references[.processor] == "ref_1")
    }

    @Test func paypal() throws {
        let reading = try Reading(.paypalActivity, Samples.paypal)
        #expect(reading.failing.isEmpty, "\(reading.failing)")
        #expect(reading.lines.map(\.type) == [.sale, .conversion, .conversion, .payout, .balance])
        #expect(reading.lines[0].fees == [LineFee(.processing, -3030)])
        #expect(reading.lines[0].occurredAt == Timestamp(rfc3339: "2026-01-27T17:00:00Z"))
        #expect(reading.control("conversion-halves")?.scope == "transaction T4")
        let rows = Samples.paypal.split(separator: "\n")
        let newestFirst = try Reading(
            .paypalActivity,
            ([rows[0]] + rows.dropFirst().reversed()).joined(separator: "\n")
        )
        #expect(newestFirst.failing.isEmpty)
    }

    @Test func valitor() throws {
        let reading = try Reading(.valitorClearing, Samples.valitor)
        #expect(reading.failing.isEmpty, "\(reading.failing)")
        #expect(reading.lines.map(\.net) == [2550, 2550, -500])
        #expect(reading.controls.filter { $0.name == "batch-total" }.map(\.computed) == [2550, 3050])
        #expect(reading.lines[0].references[.lastFour] == "0016")
        #expect(reading.lines[0].references[.authCode] == "987654")
        #expect(reading.lines[0].references[.batch] == "1234567890")
        let repeated = Samples.valitor.replacing("1234567891", with: "1234567890")
        #expect(try Reading(.valitorClearing, repeated).notes.map(\.code) == [.duplicateBatch])
    }

    @Test func daybook() throws {
        let reading = try Reading(.daybookCSV, Samples.daybook)
        #expect(reading.failing.isEmpty, "\(reading.failing)")
        #expect(reading.lines.map(\.net) == [970, -400, 1164])
        #expect(reading.lines[1].references[.lastFour] == "1111")
        #expect(reading.control("total-net")?.computed == 570)
        #expect(reading.control("row-count")?.computed == 2)
    }
}
