import Canonical
import DaybookTestKit
import Foundation
import Payments
import Testing

@testable import Journal

/// What is written of entries.
@Suite struct ExportTextTests {
    /// A reader that knows only the format finds every leg with its account, amount and origin.
    @Test(arguments: ExportFormat.allCases)
    func everythingIsReadBack(_ format: ExportFormat) throws {
        var random = SeededGenerator.forTest()
        for entries in [ExportSamples.reviewed] + (0..<20).map({ _ in ExportSamples.entries(10, &random) }) {
            let text = ExportSamples.file(format, entries)
            let found = try ExportReader(format: format).legs(text)
            // QuickBooks and Xero have one journal for each currency.
            let expected = entries.flatMap { entry in
                format == .quickbooks || format == .xero ? entry.byCurrency.flatMap(\.legs) : entry.legs
            }
            #expect(found == expected.map { ReadLeg($0, in: format) }, "seed \(random.seed)")
        }
    }

    /// Text of a sender ends no line and no value.
    @Test func textIsOnOneLineAndStaysDifferent() {
        var random = SeededGenerator.forTest()
        var known: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<5000 {
            let text = ExportSamples.text(&random, atMost: 4)
            let escaped = text.escaped(";")
            #expect(!escaped.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{2028}" || $0 == ";" })
            let earlier = known.updateValue(Array(text.utf8), forKey: Array(escaped.utf8))
            #expect(earlier == nil || earlier == Array(text.utf8), "\(escaped), seed \(random.seed)")
        }
    }

    @Test(arguments: [
        ("plain", "plain"), ("50%", "50%25"), (" a b ", "%20a b%20"), ("a\nb", "a%0ab"), ("a;b", "a%3bb"),
        ("\u{202E}x", "%e2%80%aex"), ("Ü日", "Ü日"), ("", ""),
    ])
    func escapedText(_ text: String, _ escaped: String) { #expect(text.escaped(";") == escaped) }

    @Test func unbalancedEntriesAreRefused() {
        let usd = ExportSamples.leg(3, 1, .bank, nil, Money(.max, .usd))
        let other = ExportSamples.leg(3, 2, .suspense, nil, Money(-.max, Currency(alpha: "EUR") ?? .usd))
        let fault = ExportFault.unbalanced(position: 3, day: "2026-03-01", currency: .usd)
        for legs in [[usd], [usd, usd], [usd, other]] {
            #expect(throws: fault) { try ExportSamples.entries(legs)[0].checkBalance() }
        }
        let back = ExportSamples.leg(3, 3, .suspense, nil, Money(-.max, .usd))
        #expect(throws: Never.self) { try ExportSamples.entries([usd, back])[0].checkBalance() }
    }

    /// Beancount and hledger accept what is written, whatever text it has.
    @Test(arguments: AccountingProgram.allCases)
    func programsAcceptAnyText(_ program: AccountingProgram) async throws {
        var random = SeededGenerator.forTest()
        let entries = ExportSamples.reviewed + ExportSamples.entries(150, &random).map { $0.moved(by: 100) }
        let format = program == .beancount ? ExportFormat.beancount : .hledger
        try await withTemporaryDirectory(prefix: "dbk-exp") { directory in
            let file = "\(directory)/journal"
            let text = ExportSamples.file(format, entries)
            try Data(text.utf8).write(to: URL(filePath: file))
            guard let checked = try await program.check(file) else { return }
            #expect(checked.succeeded, "seed \(random.seed): \(checked.standardOutput)\(checked.standardError)")
            // A cent that is missing is noticed.
            let wrong = text.replacing("13.40 USD", with: "13.39 USD", maxReplacements: 1)
            try Data(wrong.utf8).write(to: URL(filePath: file))
            let refused = try await program.check(file)
            #expect(wrong != text && refused?.succeeded == false)
        }
    }
}

extension ExportEntry {
    /// The same entry at a later position.
    fileprivate func moved(by positions: Int64) -> ExportEntry {
        ExportSamples.entries(
            legs.map { leg in
                var leg = leg
                leg.position += positions
                return leg
            }
        )[0]
    }
}

/// Names of accounts.
@Suite struct AccountPartTests {
    @Test(arguments: [
        ("adyen", "Adyen"), ("daybook-csv", "Daybook-csv"), ("7eleven", "7eleven"), ("Ann", "Ann--17239b6e25011033"),
        ("Ann Müller", "Ann-M-ller--"), ("", "X--e3b0c44298fc1c14"), ("日本", "X--"), ("a--b", "A-b--"), ("-a", "A--"),
        ("éa", "A--"),
    ])
    func components(_ part: String, _ component: String) {
        #expect(AccountPart.component(part).hasPrefix(component), "\(AccountPart.component(part))")
    }

    /// Different parts have different components, also where case does not count, and the programs accept them.
    @Test func componentsAreDifferentAndValid() throws {
        var random = SeededGenerator.forTest()
        let valid = try Regex("[A-Z0-9][A-Za-z0-9-]*")
        var known: [String: [UInt8]] = [:]
        let alike = ["ann", "Ann", "ANN", "ann-", "ann--x", "an n", "an-n", "e\u{301}", "é", "x", "X", "", " "]
        let parts = alike + (0..<20_000).map { _ in ExportSamples.text(&random, atMost: 6) }
        // A part that is the component of another one.
        for part in parts + parts.map({ AccountPart.component($0).lowercased() }) {
            let component = AccountPart.component(part)
            #expect(component.wholeMatch(of: valid) != nil && component.utf8.count <= 60, "\(component)")
            let earlier = known.updateValue(Array(part.utf8), forKey: component.lowercased())
            #expect(earlier == nil || earlier == Array(part.utf8), "\(component), seed \(random.seed)")
        }
        #expect(AccountPart.component(String(repeating: "a", count: 1000)).utf8.count == 58)
    }

    @Test func everyAccountHasItsPlace() {
        let places = Account.allCases.map { Chart.standard[$0] }
        #expect(Set(places.map(\.name)).count == places.count)
        #expect(Set(places.map(\.number)).count == places.count)
        #expect(
            AccountPart(.processorReceivable, "adyen").fullName(in: .standard) == "Assets:Processor-Receivable:Adyen"
        )
        #expect(AccountPart(.suspense, nil).fullName(in: .standard) == "Equity:Suspense")
    }
}

/// A file in each format, reviewed. `DAYBOOK_WRITE_GOLDEN=1` rewrites it and fails the test.
@Suite struct ExportGoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden")

    @Test(arguments: ExportFormat.allCases)
    func filesAreUnchanged(_ format: ExportFormat) throws {
        let text = ExportSamples.file(format, ExportSamples.reviewed)
        let file = Self.folder.appending(path: "export.\(format.rawValue)")
        if ProcessInfo.processInfo.environment["DAYBOOK_WRITE_GOLDEN"] == "1" {
            try text.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("\(file.lastPathComponent) was written; look at the difference")
        } else {
            #expect(text == (try String(contentsOf: file, encoding: .utf8)))
        }
    }

    /// The stored event keeps its shape.
    @Test func theEventIsUnchanged() throws {
        let contents = ExportFile.Contents(entries: 2, legs: 5, bytes: 640, sha256: String(repeating: "0", count: 64))
        let export = JournalExport(
            id: Samples.id(1),
            format: .quickbooks,
            range: ExportRange(since: 0, after: 10, through: 20),
            contents: contents
        )
        let event = ExportEvent(.exported, export)
        let stored = """
            {"id":"01970000-0000-7000-8000-000000000001","format":"quickbooks","since":0,"after":10,"through":20,\
            "entries":2,"legs":5,"bytes":640,\
            "sha256":"0000000000000000000000000000000000000000000000000000000000000000"}
            """
        #expect(try event.text() == stored)
        #expect(try ExportEvent(type: "JournalExported", schema: 1, data: JSONValue(parsing: stored.utf8)) == event)
        #expect(export.contents == contents && export.fileName == "journal-11-20.csv")
    }
}
