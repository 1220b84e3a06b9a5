import Canonical
import Payments
import Statements
import Testing

/// A file for every problem, with its place.
@Suite struct ProblemTests {
    private struct Example {
        var code: StatementProblem.Code
        var format: StatementFormat
        var text: String
        var line: Int
        var options = StatementOptions()
    }

    private static func grrcn(ofVersion field: String) -> String {
        Samples.grrcn.replacing(",\"2.01\"", with: field)
    }

    private static let deep = String(repeating: "<a>", count: 80)

    private static let examples: [Example] = [
        .init(code: .unknownFormat, format: .camt053, text: "<a></a>", line: 1),
        .init(code: .unknownFormat, format: .camt053, text: Samples.camt054, line: 3),
        .init(code: .unknownFormat, format: .camt053, text: "<Document><BkToCstmrAcctRpt/></Document>", line: 1),
        .init(code: .unknownFormat, format: .squarePayout, text: "{}", line: 1),
        .init(code: .unknownFormat, format: .amexGRRCN, text: "HEADER    20260101", line: 1),
        .init(code: .unknownFormat, format: .amexGRRCN, text: grrcn(ofVersion: ",\"3.01\""), line: 1),
        .init(code: .unknownFormat, format: .amexGRRCN, text: grrcn(ofVersion: ",\"\""), line: 1),
        .init(code: .unknownFormat, format: .amexGRRCN, text: grrcn(ofVersion: ""), line: 1),
        .init(
            code: .unknownFormat,
            format: .bai2,
            text: Samples.bai2.replacing("0600,42,80,1,2/", with: "0600,42,80,1,3/"),
            line: 1
        ),
        .init(
            code: .unknownFormat,
            format: .bai2,
            text: Samples.bai2.replacing("0600,42,80,1,2/", with: "0600,42,80,1,/"),
            line: 1
        ),
        .init(code: .empty, format: .bai2, text: "\n", line: 0),
        .init(code: .truncated, format: .bai2, text: "01,A,B,260121,0600,1,80,1,2/\n02,B,A,1,260120,,,2/\n", line: 3),
        .init(code: .truncated, format: .amexEPRAW, text: Samples.eprawRecords[0], line: 1),
        .init(code: .truncated, format: .amexGRRCN, text: Samples.grrcn.replacing(/"TRAILER".*\n/, with: ""), line: 7),
        .init(code: .truncated, format: .valitorClearing, text: String(Samples.valitor.prefix(42)), line: 2),
        .init(code: .truncated, format: .camt053, text: String(Samples.camt053.prefix(900)), line: 12),
        .init(code: .truncated, format: .squarePayout, text: "{\"payout_entries\":[\n", line: 2),
        .init(code: .malformedRow, format: .camt053, text: "<Document>\n<a></b></Document>", line: 2),
        .init(code: .malformedRow, format: .squarePayout, text: "[{},\n{\"a\":1,}]", line: 2),
        .init(code: .malformedRow, format: .squarePayout, text: "[{}\n{}]", line: 2),
        .init(code: .malformedRow, format: .stripePayout, text: Samples.stripe + "po_1,1,2\n", line: 5),
        .init(code: .misplacedRecord, format: .bai2, text: "02,B,A,1,260120,,,2/", line: 1),
        .init(code: .misplacedRecord, format: .bai2, text: "88,1/", line: 1),
        .init(code: .misplacedRecord, format: .valitorClearing, text: "98352001000001", line: 1),
        .init(code: .misplacedRecord, format: .amexEPRAW, text: Samples.eprawRecords[1], line: 1),
        .init(code: .unknownRecord, format: .bai2, text: "01,A,B,260121,0600,1,80,1,2/\n05,A/\n", line: 2),
        .init(
            code: .recordTooShort,
            format: .amexEPRAW,
            text: Samples.eprawRecords[0] + "\n" + Samples.eprawRecords[2].prefix(104) + "\n",
            line: 2
        ),
        .init(code: .recordTooShort, format: .amexGRRCN, text: "\"HEADER\",\"1\"\n", line: 1),
        .init(code: .missingColumn, format: .paypalActivity, text: "Date,Currency,Gross,Fee,Net\n", line: 1),
        .init(
            code: .missingColumn,
            format: .camt053,
            text: "<Document><BkToCstmrStmt><Stmt>\n<Ntry/></Stmt></BkToCstmrStmt></Document>",
            line: 2
        ),
        .init(code: .duplicateColumn, format: .daybookCSV, text: "type,gross,Gross\n", line: 1),
        .init(code: .missingValue, format: .daybookCSV, text: "type,currency,gross\nsale,USD,\n", line: 2),
        .init(code: .badAmount, format: .daybookCSV, text: "type,currency,gross\nsale,JPY,1.5\n", line: 2),
        .init(code: .badAmount, format: .daybookCSV, text: "type,currency,gross\nsale,USD,1e5\n", line: 2),
        .init(
            code: .badAmount,
            format: .amexEPRAW,
            text: Samples.epraw.replacing("0000001000{", with: "000000X000{"),
            line: 3
        ),
        .init(
            code: .badNumber,
            format: .amexGRRCN,
            text: Samples.grrcn.replacing("\"0000002\"", with: "\"two\""),
            line: 3
        ),
        .init(code: .badDate, format: .amexEPRAW, text: Samples.epraw.replacing("2026018", with: "2026366"), line: 3),
        .init(
            code: .badDate,
            format: .camt053,
            text: Samples.camt053.replacing("01-21T00", with: "13-21T00"),
            line: 17
        ),
        .init(
            code: .ambiguousDate,
            format: .paypalActivity,
            text: Samples.paypal.replacing("1/27/2026", with: "2/1/2026").replacing("1/28", with: "28/1"),
            line: 3
        ),
        .init(
            code: .unknownCurrency,
            format: .stripePayout,
            text: Samples.stripe.replacing("usd", with: "usx"),
            line: 2
        ),
        .init(code: .unknownCurrency, format: .daybookCSV, text: "type,currency,gross\nsale,XAU,1\n", line: 2),
        .init(code: .missingCurrency, format: .daybookCSV, text: "type,gross\nsale,1\n", line: 2),
        .init(code: .unknownCode, format: .bai2, text: Samples.bai2.replacing("16,142", with: "16,801"), line: 5),
        .init(
            code: .unknownCode,
            format: .camt053,
            text: Samples.camt053.replacing(">DBIT<", with: ">MINUS<"),
            line: 28
        ),
        .init(code: .badEncoding, format: .bai2, text: "01,\u{0}", line: 0),
        .init(
            code: .refusedMarkup,
            format: .camt053,
            text: "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"c\">]>\n<a>&b;</a>",
            line: 2
        ),
        .init(code: .malformedRow, format: .camt053, text: "<Document>\n&b;</Document>", line: 2),
        .init(code: .tooLarge, format: .camt053, text: deep, line: 1),
        .init(
            code: .tooLarge,
            format: .camt053,
            text: "<Document><BkToCstmrStmt><Stmt><Id>" + String(repeating: "a", count: 70_000),
            line: 1
        ),
        .init(code: .tooLarge, format: .bai2, text: String(repeating: "1", count: 70_000), line: 1),
        .init(
            code: .tooLarge,
            format: .daybookCSV,
            text: "type,currency,gross,text\nsale,USD,1," + String(repeating: "a", count: 1_100_000),
            line: 2
        ),
    ]

    @Test(arguments: examples.indices)
    func problemsHaveTheirPlace(_ index: Int) throws {
        let example = Self.examples[index]
        let found = try #require(try problem(example.format, example.text, options: example.options))
        #expect(found.code == example.code && found.line == example.line, "\(found)")
        #expect(!found.description.isEmpty)
    }

    /// `bad-mapping` is tested with the mappings.
    @Test func everyCodeHasAnExample() {
        let codes = Set(Self.examples.map(\.code)).union([.badMapping])
        #expect(codes == Set(StatementProblem.Code.allCases))
    }

    @Test func daysOfPayPalByWhatTheImporterKnows() throws {
        let text = Samples.paypal.replacing("1/27/2026", with: "2/1/2026").replacing("1/28/2026", with: "3/1/2026")
        let months = try Reading(.paypalActivity, text)
        #expect(months.lines[0].day?.description == "2026-02-01")
        #expect(months.notes.contains { $0.code == .assumedDateOrder })
        let days = try Reading(.paypalActivity, text, options: StatementOptions(dateOrder: .dayMonthYear))
        #expect(days.lines[0].day?.description == "2026-01-02" && days.notes.isEmpty)
        let german = Samples.paypal.replacing("1/27/2026", with: "27.01.2026").replacing(
            "1/28/2026",
            with: "28.01.2026"
        )
        .replacing("\"1,000.00\"", with: "\"1.000,00\"").replacing("-30.30", with: "-30,30")
        let commas = try Reading(.paypalActivity, german)
        #expect(commas.lines[0].gross == 100_000 && commas.lines[0].day?.description == "2026-01-27")
    }
}
