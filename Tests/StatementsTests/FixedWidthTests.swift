import Canonical
import Payments
import Statements
import Testing

/// Records of fixed width with letters of more than one byte, or without line ends. All files are made up.
@Suite struct FixedWidthTests {
    /// A letter takes one place, whatever its bytes: the fields after it do not move.
    @Test func lettersBeforeTheFieldsOfFixedWidth() throws {
        for name in ["Þórður & Sögur byteslong ", "Merchant Næme 25byteslong"] {
            let text = Samples.valitor.replacing("Merchant Name 25byteslong", with: name)
            let latin = text.unicodeScalars.map { UInt8($0.value) }
            for bytes in [latin, Array(text.utf8)] {
                let reading = try Reading(.valitorClearing, bytes)
                #expect(reading.lines.map(\.net) == [2550, 2550, -500] && reading.failing.isEmpty)
                #expect(reading.lines.map(\.currency.alpha) == ["USD", "USD", "USD"])
            }
        }
        let store = Samples.epraw.replacing("STORE 7", with: "ÅRE  7 ")
        let expected = try Reading(.amexEPRAW, Samples.epraw)
        for bytes in [store.unicodeScalars.map { UInt8($0.value) }, Array(store.utf8)] {
            let reading = try Reading(.amexEPRAW, bytes)
            #expect(reading.lines.map(\.net) == expected.lines.map(\.net) && reading.failing.isEmpty)
            #expect(reading.lines.contains { $0.references[.location] == "ÅRE  7" })
        }
    }

    @Test func recordsOfEPRAWWithoutEndsOfLines() throws {
        let expected = try Reading(.amexEPRAW, Samples.epraw)
        let run = Samples.eprawRecords.joined()
        let reading = try Reading(.amexEPRAW, run)
        #expect(reading.lines.map(\.net) == expected.lines.map(\.net) && reading.failing.isEmpty)
        // A file whose last line has no end, followed by another file.
        let both = Samples.eprawRecords.joined(separator: "\r\n") + Samples.eprawRecords.joined(separator: "\r\n")
        #expect(try Reading(.amexEPRAW, both).lines.count == 2 * expected.lines.count)
        #expect(try problem(.amexEPRAW, Samples.eprawRecords[0] + "MORE\n")?.code == .malformedRow)
    }
}
