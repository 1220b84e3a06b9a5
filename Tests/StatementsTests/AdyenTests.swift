import Canonical
import Payments
import Statements
import Testing

@Suite struct AdyenTests {
    static let header = """
        Company Account,Merchant Account,Psp Reference,Merchant Reference,Payment Method,Creation Date,TimeZone,Type,\
        Modification Reference,Gross Currency,Gross Debit (GC),Gross Credit (GC),Exchange Rate,Net Currency,\
        Net Debit (NC),Net Credit (NC),Commission (NC),Markup (NC),Scheme Fees (NC),Interchange (NC),\
        Payment Method Variant\n
        """
    /// The rows of the format's documentation.
    static let documented = """
        TestCompany,TestMerchant,1813702551707653,3vpzf7,visa,2013-06-03 11:26:49,CET,Settled,1713702551795048,GBP,,5.00,1,\
        GBP,,4.88,,0.04,0.01,0.07,visaclassic
        TestCompany,TestMerchant,1313642467023511,324959451,visa,2013-03-26 22:37:26,CET,Chargeback,2313642467170922,EUR,\
        349.99,,1,EUR,357.49,,7.5,,,,visaclassic\n
        """

    @Test func documentedRows() throws {
        let reading = try Reading(.adyenSettlement, Self.header + Self.documented)
        let (sale, chargeback) = (reading.lines[0], reading.lines[1])
        #expect(sale.type == .capture && sale.rawType == "Settled")
        #expect(sale.gross == 500 && sale.net == 488 && sale.feeTotal == -12)
        #expect(sale.fees == [LineFee(.markup, -4), LineFee(.scheme, -1), LineFee(.interchange, -7)])
        #expect(sale.references[.processor] == "1813702551707653")
        #expect(sale.references[.related] == "1713702551795048")
        #expect(sale.occurredAt == Timestamp(rfc3339: "2013-06-03T10:26:49Z"))
        #expect(sale.day?.description == "2013-06-03")
        #expect(chargeback.type == .chargeback && chargeback.gross == -34_999 && chargeback.net == -35_749)
        #expect(chargeback.fees == [LineFee(.commission, -750)])
        let feet = try #require(reading.control("rows-that-foot"))
        #expect(feet.stated == 2 && feet.holds)
        // Neither batch has a payout.
        #expect(reading.notes.count { $0.code == .unchecked } == 2)
    }

    @Test func columnsInAnyOrderAndAnyDelimiter() throws {
        let rows = (Self.header + Self.documented).split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let order = Array((0..<21).reversed())
        let turned = rows.map { row in order.map { String(row[$0]) }.joined(separator: ";") }.joined(separator: "\r\n")
        let expected = try Reading(.adyenSettlement, Self.header + Self.documented)
        let reading = try Reading(.adyenSettlement, turned)
        #expect(reading.lines == expected.lines)
    }

    @Test func filesOneAfterAnother() throws {
        let reading = try Reading(.adyenSettlement, Self.header + Self.documented + Self.header + Self.documented)
        #expect(reading.lines.count == 4)
        #expect(reading.lines[3].line == 6)
    }

    @Test func exchangesKeepTheCustomersAmount() throws {
        let row = "C,M,1,ref,visa,2024-01-02 03:04:05,CET,Settled,2,SEK,,100.00,0.1,EUR,,9.50,0.50,,,,visa\n"
        let line = try #require(try Reading(.adyenSettlement, Self.header + row).lines.first)
        #expect(line.transactionAmount == Money(10_000, try #require(Currency(alpha: "SEK"))))
        #expect(line.gross == 1000 && line.net == 950)
    }

    @Test func aRowThatDoesNotFootIsReportedAndKept() throws {
        let row = "C,M,1,ref,visa,2024-01-02 03:04:05,CET,Settled,2,EUR,,10.00,1,EUR,,9.00,0.50,,,,visa\n"
        let reading = try Reading(.adyenSettlement, Self.header + row)
        #expect(reading.lines.count == 1)
        #expect(reading.failing == ["net", "rows-that-foot"])
        #expect(reading.control("net")?.computed == 950 && reading.control("net")?.line == 2)
    }

    @Test func aBatchWithAPayoutSumsToZero() throws {
        let header = Self.header.dropLast() + ",Batch Number\n"
        let sale = "C,M,1,ref,visa,2024-01-02 03:04:05,CET,Settled,2,EUR,,10.00,1,EUR,,9.50,0.50,,,,visa,7\n"
        let payout = "C,M,,,,2024-01-03 03:04:05,CET,MerchantPayout,x,,,,,EUR,9.50,,,,,,,7\n"
        let short = payout.replacing("9.50", with: "9.49")
        #expect(try Reading(.adyenSettlement, header + sale + payout).failing.isEmpty)
        let failing = try Reading(.adyenSettlement, header + sale + short)
        #expect(failing.failing == ["batch-balance"])
        #expect(failing.control("batch-balance")?.computed == 1)
    }

    @Test func journalTypes() throws {
        let types: [(String, LineType)] = [
            ("Settled", .capture), ("Refunded", .refund), ("RefundedReversed", .refundReversal),
            ("Chargeback", .chargeback), ("SecondChargeback", .chargeback), ("ChargebackReversed", .chargebackReversal),
            ("Fee", .fee), ("MiscCosts", .fee), ("AuthorisationSchemeFee", .fee), ("InvoiceDeduction", .fee),
            ("MerchantPayout", .payout), ("InternalCompanyPayout", .payout), ("BankInstructionReturned", .payoutReturn),
            ("Balancetransfer", .transfer), ("DepositCorrection", .reserveRelease), ("ManualCorrected", .adjustment),
            ("MatchedStatement", .deposit), ("SomethingNew", .other),
        ]
        let rows = types.map { "C,M,1,r,visa,2024-01-02 03:04:05,CET,\($0.0),2,,,,,EUR,,9.50,,,,,visa\n" }.joined()
        let reading = try Reading(.adyenSettlement, Self.header + rows)
        #expect(reading.lines.map(\.type) == types.map(\.1))
        #expect(reading.notes.contains { $0.code == .unknownCode && $0.detail.contains("SomethingNew") })
    }

    @Test(arguments: [
        ("Type", StatementProblem.Code.missingColumn), ("Net Currency", .missingColumn),
    ])
    func missingColumns(_ name: String, _ code: StatementProblem.Code) throws {
        let found = try #require(
            try problem(.adyenSettlement, Self.header.replacing(name, with: "X") + Self.documented)
        )
        #expect(found.code == code && found.line == 1 && found.column == .named(name))
    }

    private typealias Mistake = (from: String, to: String, code: StatementProblem.Code, line: Int, column: String?)

    private static let mistakes: [Mistake] = [
        ("5.00,1,GBP", "5.001,1,GBP", .badAmount, 2, "Gross Credit (GC)"),
        ("4.88", "4,88", .malformedRow, 2, nil),
        ("4.88", "\"4,88\"", .badAmount, 2, "Net Credit (NC)"),
        ("357.49", "99999999999999999999", .badAmount, 3, "Net Debit (NC)"),
        ("1,GBP", "1,GBX", .unknownCurrency, 2, "Net Currency"),
        ("1,GBP", "1,", .missingCurrency, 2, "Net Currency"),
        ("2013-06-03 11", "2013-06-31 11", .badDate, 2, "Creation Date"),
        (",Settled,", ",,", .missingValue, 2, "Type"),
        ("3vpzf7", "\"3vp\"zf7", .malformedRow, 2, nil),
        ("visaclassic\n", "\"visaclassic\n", .truncated, 3, nil),
    ]

    @Test(arguments: mistakes.indices)
    func problemsNameLineAndColumn(_ index: Int) throws {
        let mistake = Self.mistakes[index]
        var text = Self.header + Self.documented
        let range = try #require(text.ranges(of: mistake.from).last)
        text.replaceSubrange(range, with: mistake.to)
        let found = try #require(try problem(.adyenSettlement, text))
        #expect(found.code == mistake.code && found.line == mistake.line)
        #expect(found.column == mistake.column.map { .named($0) })
    }
}
