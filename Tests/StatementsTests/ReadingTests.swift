import Canonical
import DaybookTestKit
import Payments
import Statements
import Testing

/// Rules that hold for every format.
@Suite struct ReadingTests {
    @Test func everyFormatHasASample() {
        #expect(Set(Samples.all.map(\.format)) == Set(StatementFormat.allCases))
    }

    @Test(arguments: Samples.all.indices)
    func theSizeOfPiecesDoesNotMatter(_ index: Int) throws {
        let sample = Samples.all[index]
        let bytes = Array(sample.text.utf8)
        let whole = try Reading(sample.format, bytes).items
        for piece in [1, 2, 3, 7, 64, 1000] {
            #expect(try Reading(sample.format, bytes, piece: piece).items == whole, "pieces of \(piece)")
        }
        var random = SeededGenerator.forTest()
        for _ in 0..<20 {
            var reader = sample.format.reader()
            var items: [StatementItem] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...200, using: &random))
                rest = rest.dropFirst(piece.count)
                try reader.read(piece) { items.append($0) }
            }
            try reader.finish { items.append($0) }
            #expect(items == whole)
        }
    }

    @Test(arguments: Samples.all.indices)
    func lineEndsDoNotMatter(_ index: Int) throws {
        let sample = Samples.all[index]
        let whole = try Reading(sample.format, sample.text).items
        for end in ["\r\n", "\r"] {
            let text = sample.text.replacing("\n", with: end)
            // XML treats a return as a line feed in its text, and Foundation counts lines by line feeds.
            if end == "\r", [.camt053, .camt054].contains(sample.format) { continue }
            #expect(try Reading(sample.format, text).items == whole, "lines that end with \(end.debugDescription)")
        }
    }

    @Test(arguments: Samples.all.indices)
    func encodingsDoNotMatter(_ index: Int) throws {
        let sample = Samples.all[index]
        let whole = try Reading(sample.format, sample.text).items
        #expect(try Reading(sample.format, [0xEF, 0xBB, 0xBF] + Array(sample.text.utf8)).items == whole)
        let units = Array(sample.text.utf16)
        var little: [UInt8] = [0xFF, 0xFE]
        for unit in units { little += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(try Reading(sample.format, little).items == whole)
        var big: [UInt8] = [0xFE, 0xFF]
        for unit in units { big += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
        #expect(try Reading(sample.format, big, piece: 5).items == whole)
        #expect(StatementFormat.recognise(little) == sample.format)
    }

    @Test(arguments: StatementFormat.allCases)
    func nothingIsAProblem(_ format: StatementFormat) {
        for text in ["", "\n", "  \r\n\r\n"] {
            let error = #expect(throws: StatementProblem.self) { try Reading(format, text) }
            #expect(error?.code == .empty || error?.code == .missingColumn)
        }
        #expect(StatementFormat.recognise([]) == nil)
    }

    /// Text that is not a statement: never recognised, and a problem for every reader.
    @Test(arguments: StatementFormat.allCases)
    func textIsAProblem(_ format: StatementFormat) {
        for text in ["Dear customer,\nplease find attached.\n", "a,b,c\n1,2,3\n", "<html></html>", "{\"a\":1}", "[1]"] {
            #expect(StatementFormat.recognise(Array(text.utf8)) == nil)
            #expect(throws: StatementProblem.self) { try Reading(format, text) }
        }
    }

    @Test func aSinkThatFailsStopsTheReader() throws {
        struct Full: Error {}
        for sample in Samples.all {
            var reader = sample.format.reader()
            #expect(throws: Full.self, "\(sample.format)") {
                try reader.read(Array(sample.text.utf8)[...]) { _ in throw Full() }
                try reader.finish { _ in throw Full() }
            }
        }
    }

    // MARK: Encodings

    @Test func textOfWindows1252IsReadWithANote() throws {
        let text = "type,currency,gross,text\ncapture,EUR,1.00,Caf"
        let reading = try Reading(.daybookCSV, Array(text.utf8) + [0xE9, 0x20, 0x80, 0x0A])
        #expect(reading.lines.first?.references[.text] == "Café €")
        #expect(reading.notes.map(\.code) == [.assumedEncoding])
        let cut = try Reading(.daybookCSV, Array(text.utf8) + [0xC3])
        #expect(cut.lines.first?.references[.text] == "CafÃ")
    }

    @Test func declaredEncodingsOfXMLAreRead() throws {
        for name in ["ISO-8859-1", "windows-1252"] {
            let text = Samples.camt053.replacing("UTF-8", with: name).replacing("#252;", with: "#252; ü")
            let bytes = text.unicodeScalars.map { UInt8($0.value) }
            let reading = try Reading(.camt053, bytes)
            #expect(reading.lines[0].references[.text]?.hasPrefix("Auszahlung fü ür") == true)
            #expect(reading.notes.isEmpty)
        }
        let other = try #require(try problem(.camt053, Samples.camt053.replacing("UTF-8", with: "EBCDIC-FR")))
        #expect(other.code == .badEncoding)
    }

    // MARK: Card data

    @Test func cardNumbersInTextAreCut() throws {
        let texts = [
            ("4111111111111111", "411111******1111"), ("PAN 4111-1111-1111-1111.", "PAN 4111-11**-****-1111."),
            ("4111 1111 1111 1111", "4111 11** **** 1111"), ("x371449635398431x", "x371449*****8431x"),
            ("12 4111111111111111", "12 411111******1111"), ("4111111111111112", "4111111111111112"),
            ("INV-2026-01-20-000123", "INV-2026-01-20-000123"),
        ]
        for (text, masked) in texts {
            let line = try #require(
                try Reading(.daybookCSV, "type,currency,gross,invoice,last_four\nsale,USD,1,\(text),\(text)\n").lines
                    .first
            )
            #expect(line.references[.invoice] == masked)
            #expect(line.references[.lastFour]?.count ?? 4 == 4)
        }
    }

    /// Words of the samples in free-text fields.
    private static let free: [(format: StatementFormat, word: String)] = [
        (.adyenSettlement, "3vpzf7"), (.amexGRRCN, "INV-1"), (.amexGRRCN, "DISPUTED"), (.amexGRRCN, "STATEMENT FEE"),
        (.bai2, "CARD DEPOSIT"), (.bai2, "AMEX SETTLEMENT"), (.bai2, "INV-9"), (.bai2, "BATCH 243"),
        (.camt053, "Fees &"), (.camt054, "Auszahlung"), (.iposgoSettlement, "APPROVED"), (.spinBatch, "Credit"),
        (.bridgepayTransactions, "12345"), (.stripePayout, "Order 1"), (.squarePayout, "DEPOSIT_FEE"),
        (.paypalActivity, "361"), (.paypalActivity, "Ann"), (.paypalActivity, "Mobile Payment"),
        (.daybookCSV, "INV 2"), (.daybookCSV, "INV-1"),
    ]

    @Test(arguments: free.indices)
    func noItemHasACardNumberFromTexts(_ index: Int) throws {
        let (format, word) = Self.free[index]
        for sample in Samples.all where sample.format == format {
            let text = sample.text.replacing(word, with: word + " 4111111111111111 x")
            let items = try Reading(format, text).items
            #expect(text != sample.text && !String(describing: items).contains("4111111111111111"))
        }
    }

    @Test func problemsDoNotQuoteTheFile() throws {
        let text = "type,currency,gross\nsale,USD,4111111111111111x\n"
        let found = try #require(try problem(.daybookCSV, text))
        #expect(found.code == .badAmount && !found.description.contains("4111"))
    }
}
