import Canonical
import Payments
import Statements
import Testing

/// Joined files, with columns in any order and with empty rows. All files are made up.
@Suite struct JoinedFileTests {
    /// The same rows with their columns in reverse order.
    private static func turned(_ csv: String) -> String {
        csv.split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).reversed().joined(separator: ",")
        }
        .joined(separator: "\n") + "\n"
    }

    @Test func anotherFileWithItsColumnsInAnotherOrderFollows() throws {
        let text = AdyenTests.header + AdyenTests.documented
        let once = try Reading(.adyenSettlement, text)
        for both in [text + Self.turned(text), Self.turned(text) + text] {
            let reading = try Reading(.adyenSettlement, both)
            #expect(reading.lines.map(\.net) == once.lines.map(\.net) + once.lines.map(\.net))
            #expect(reading.lines.map(\.references) == once.lines.map(\.references) + once.lines.map(\.references))
            #expect(reading.control("rows-that-foot")?.computed == 4)
        }
        let wrong = text.replacing("EUR,357.49", with: "EURO,357.49")
        #expect(try problem(.adyenSettlement, wrong)?.code == .unknownCurrency)
    }

    @Test func marksBetweenJoinedFiles() throws {
        let mark = "\u{FEFF}"
        let stripe = try Reading(.stripePayout, mark + Samples.stripe + mark + Samples.stripe)
        #expect(stripe.lines.count == 6 && stripe.failing.isEmpty)
        let bai2 = mark + Samples.bai2 + mark + Samples.bai2
        #expect(try Reading(.bai2, bai2).lines.count == 6)
        for piece in [1, 2, 3, 100] {
            #expect(try Reading(.bai2, Array(bai2.utf8), piece: piece).failing.isEmpty)
        }
        let camt = try Reading(.camt053, mark + Samples.camt053 + mark + Samples.camt053)
        #expect(camt.lines.count == 6 && camt.failing.isEmpty)
        let wide = Array((mark + Samples.bai2 + mark + Samples.bai2).utf16).flatMap {
            [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
        #expect(try Reading(.bai2, wide).lines.count == 6)
    }

    @Test func emptyRowsAreSkipped() throws {
        let text = AdyenTests.header + AdyenTests.documented
        let padded = text + String(repeating: ",", count: 20) + "\n  \n\t\n,\n"
        #expect(try Reading(.adyenSettlement, padded).lines == Reading(.adyenSettlement, text).lines)
        #expect(try problem(.adyenSettlement, text + ",,,\u{2C}x\n")?.code == .malformedRow)
    }

    /// A column name of Daybook may also be a word for a type.
    @Test func headersAndTypesOfTheSameName() throws {
        let rows = "type,currency,gross\nsale,USD,1.00\nfee,USD,-0.10\nfee,USD,-0.20\n"
        let reading = try Reading(
            .daybookCSV,
            rows + "fee,gross,type\n,5.00,sale\n",
            options: StatementOptions(currency: .usd)
        )
        #expect(reading.lines.map(\.net) == [100, -10, -20, 500] && reading.notes.isEmpty)
        #expect(reading.lines.map(\.type) == [.sale, .fee, .fee, .sale])
    }

    @Test func linesAfterTheEndOfADelimitedFile() throws {
        let padded = Samples.grrcn + "\n   \n\u{1A}"
        #expect(try Reading(.amexGRRCN, padded).items == Reading(.amexGRRCN, Samples.grrcn).items)
    }
}
