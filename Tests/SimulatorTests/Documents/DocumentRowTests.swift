import Canonical
import Foundation
import Payments
import Testing
import Vendors

/// The tables in `docs/vendors`: of every row of a vendor's document, whether a document with it is accepted, changes
/// the facts, is shown, is simulated and is tested. And the facts of every code. `DAYBOOK_WRITE_ROWS=1` rewrites both.
@Suite struct DocumentRowTests {
    private static let root = DocumentRows.folder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(arguments: Vendor.allCases)
    func everyRowHasItsLine(_ vendor: Vendor) throws {
        let table = try Self.table(of: vendor)
        try Self.compare(table, with: Self.root.appending(path: "docs/vendors/\(vendor.rawValue)-rows.md"))
        for line in table.split(separator: "\n") where line.hasSuffix("| \(Self.noReason) |") {
            Issue.record("nothing is read from it, and no reason is given: \(line)")
        }
    }

    @Test("A code changes the facts as it did when its line was written", arguments: Vendor.allCases)
    func everyCodeHasItsFacts(_ vendor: Vendor) throws {
        let document = try DocumentRows.of(vendor)
        let adapter = VendorAdapters.adapter(of: vendor)
        var lines: [String] = []
        for row in document.rows where row.what == "code" {
            guard let index = row.sample, document.samples.indices.contains(index), let body = document.changed(row)
            else { continue }
            let sample = document.samples[index]
            let whole = try ReadDocument(sample, body: sample.body, by: adapter)
            let changes = try ReadDocument(sample, body: body, by: adapter).changes(from: whole)
            if !changes.isEmpty { lines.append("\(row.row.cell) | \(row.at) | \(changes.joined(separator: "; "))") }
        }
        let text = lines.joined(separator: "\n") + "\n"
        try Self.compare(text, with: DocumentRows.folder.appending(path: "Rows/\(vendor.rawValue)-codes.txt"))
    }

    /// Compares a published file with the text that it should have, and writes it first if that is asked for.
    private static func compare(_ text: String, with file: URL) throws {
        if ProcessInfo.processInfo.environment["DAYBOOK_WRITE_ROWS"] == "1" { try Data(text.utf8).write(to: file) }
        let published = try String(contentsOf: file, encoding: .utf8)
        #expect(published == text, "run with DAYBOOK_WRITE_ROWS=1")
    }

    @Test("A member that only occurs is not tested")
    func accidents() throws {
        let path = Self.root.appending(path: "Tests/VendorsTests/Fixtures/bridgepay/emv-sale.json")
        let file = try JSONValue(parsing: [UInt8](Data(contentsOf: path)))
            .setting("/body/payment/BridgeCommResponse/neverRead", to: "$6.00")
        let adapter = VendorAdapters.adapter(of: .bridgepay)
        let names: Set = ["gatewaytransactionid", "neverread"]
        let tested = try TestedPlaces(adapter, fixtures: [file], cases: [], names: names)
        let document = try DocumentRows.of(.bridgepay)
        let sample = try #require(document.samples.first)
        var row = try #require(document.rows.first { $0.pointer == "/BridgeCommResponse/gatewayTransactionID" })
        row.what = "field"
        #expect(tested.has(row, sample))
        row.pointer = "/BridgeCommResponse/neverRead"
        #expect(!tested.has(row, sample))
    }

    @Test("Whether a document is about a test system is read")
    func testSystems() throws {
        let document = try DocumentRows.of(.bridgepay)
        let adapter = VendorAdapters.adapter(of: .bridgepay)
        let row = try #require(document.rows.first { $0.row == "BPNPaymentRequest.TestMode" })
        let sample = document.samples[try #require(row.sample)]
        // A URL would decide.
        let body = sample.body.setting("/BPNPaymentRequest/bridgeCommURL", to: .null)
        let base = try ReadDocument(sample, body: body, by: adapter)
        let pointer = try #require(row.pointer)
        let changed = try ReadDocument(sample, body: body.setting(pointer, to: true), by: adapter)
        #expect(changed.differences(from: base).contains("test"))
        #expect(Set(changed.shown(unlike: base)).isSuperset(of: ["payment", "receipt"]))
    }

    @Test("No sample of a document is refused", arguments: Vendor.allCases)
    func samplesAreTakenIn(_ vendor: Vendor) throws {
        let adapter = VendorAdapters.adapter(of: vendor)
        for (index, sample) in try DocumentRows.of(vendor).samples.enumerated() {
            let read = try ReadDocument(sample, body: sample.body, by: adapter)
            #expect(read.refusal == nil, "sample \(index) \(sample.kind): \(read.refusal.map { "\($0)" } ?? "")")
        }
    }

    // MARK: The table

    private static func table(of vendor: Vendor) throws -> String {
        let document = try DocumentRows.of(vendor)
        let adapter = VendorAdapters.adapter(of: vendor)
        let words = try PlayedWords(vendor, for: document)
        let tested = try TestedPlaces(vendor, in: root, for: document)
        var base: [Int: ReadDocument] = [:]
        var lines: [String] = []
        var counts: [String: Int] = [:]
        for row in document.rows {
            let cells: [String]
            if let why = row.why, row.sample == nil {
                cells = ["-", "-", "-", "-", "-", why]
                counts["explained", default: 0] += 1
            } else if let index = row.sample, document.samples.indices.contains(index) {
                let sample = document.samples[index]
                let whole = try base[index] ?? ReadDocument(sample, body: sample.body, by: adapter)
                base[index] = whole
                let changed = try document.changed(row).map { try ReadDocument(sample, body: $0, by: adapter) }
                cells = self.cells(row, sample, whole, changed, words.has(row, sample), tested.has(row, sample))
                for (name, cell) in zip(["taken", "typed", "shown", "simulated", "asserted"], cells) where cell != "-" {
                    counts[name, default: 0] += 1
                }
            } else {
                cells = ["-", "-", "-", "-", "-", "no sample"]
            }
            lines.append("| \(row.what) | \(row.row.cell) | \(row.at) | \(cells.joined(separator: " | ")) |")
        }
        func count(_ name: String) -> Int { counts[name] ?? 0 }
        return """
            # Rows of the document: \(vendor.rawValue)

            Written by the tests (`DAYBOOK_WRITE_ROWS=1 ops/test --filter DocumentRowTests`). Readers of the document listed \
            its rows, with a sample for each; they had seen none of the code. *Accepted*: a document with it is accepted. \
            *Typed*: the facts that change with its value; also `key` and `identity`, by which the payment and repeats \
            are found, `time`, and `test` for a test system. *Shown*: where a person sees the change; `event` is the \
            timeline only. *Simulated*: the vendor's share of 20,000 simulated payments has it, with every fault and trouble. *Tested*: a \
            recorded document of `Tests/VendorsTests/Fixtures` or `Tests/DaybookAPITests/DocumentCases` has it, and what \
            its test compares differs without it; `facts`: a test compares what the code changes in the facts with its \
            line in `Tests/SimulatorTests/Documents/Rows/\(vendor.rawValue)-codes.txt`. The tables of codes in the code of \
            `Tests/VendorsTests` are not counted. *Remark*: why nothing is typed, or why no document has it. A document is \
            refused only if what it is about, or its money, cannot be known; the remark is the reason that the sender gets.

            \(document.rows.count) rows: \(count("taken")) accepted, \(count("typed")) typed, \(count("shown")) shown, \
            \(count("simulated")) simulated, \(count("asserted")) tested, \(count("explained")) that no document has.

            | what | row | at | accepted | typed | shown | simulated | tested | remark |
            |---|---|---|---|---|---|---|---|---|
            \(lines.joined(separator: "\n"))

            """
    }

    private static func cells(
        _ row: DocumentRows.Row,
        _ sample: DocumentRows.Sample,
        _ base: ReadDocument,
        _ changed: ReadDocument?,
        _ isSimulated: Bool,
        _ isTested: Bool
    ) -> [String] {
        let read = changed ?? base
        let simulated = isSimulated ? "yes" : "-"
        let isCompared = row.what == "code" && changed?.changes(from: base).isEmpty == false
        let tested = isTested ? "yes" : isCompared ? "facts" : "-"
        if let refusal = read.refusal {
            return [
                "refused: \(refusal.code.rawValue)", "-", "-", simulated, tested, row.why?.cell ?? refusal.detail.cell,
            ]
        }
        let types: [String]
        let shown: [String]
        if let changed {
            types = changed.differences(from: base)
            shown = changed.shown(unlike: base)
        } else {
            types = base.facts.map(\.type).reduce(into: []) {
                if !$0.contains($1), !ReadDocument.marks.contains($1) { $0.append($1) }
            }
            shown = base.views.keys.sorted()
        }
        guard !types.isEmpty else {
            return ["yes", "-", "-", simulated, tested, reason(row, base, read)]
        }
        let isOfEvents = types.contains { !ReadDocument.marks.contains($0) }
        let places = shown.isEmpty ? (isOfEvents ? "event" : "-") : shown.joined(separator: ", ")
        return ["yes", types.joined(separator: ", "), places, simulated, tested, ""]
    }

    /// Why no fact changes with the row's value.
    private static func reason(_ row: DocumentRows.Row, _ base: ReadDocument, _ read: ReadDocument) -> String {
        let removals = row.pointer.map { read.removals(at: $0) + base.removals(at: $0) } ?? []
        if let removal = removals.first { return "removed before it is read: \(removal)" }
        return row.why?.cell ?? noReason
    }

    private static let noReason = "no reason"
}

extension String {
    /// The text as a cell of a table.
    fileprivate var cell: String { replacing("|", with: "\\|").replacing("\n", with: " ") }
}
