import Canonical
import Foundation
import Payments
import Simulator
import Testing
import Vendors

/// The tables in `docs/vendors`: of every row of a vendor's document, whether a document with it is taken in, changes the
/// facts, is shown, is simulated and is tested. `DAYBOOK_WRITE_ROWS=1` rewrites them.
@Suite struct DocumentRowTests {
    private static let root = DocumentRows.folder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(arguments: Vendor.allCases)
    func everyRowHasItsLine(_ vendor: Vendor) throws {
        let table = try Self.table(of: vendor)
        let path = Self.root.appending(path: "docs/vendors/\(vendor.rawValue)-rows.md")
        if ProcessInfo.processInfo.environment["DAYBOOK_WRITE_ROWS"] == "1" {
            try Data(table.utf8).write(to: path)
        }
        let published = try String(contentsOf: path, encoding: .utf8)
        #expect(published == table, "run with DAYBOOK_WRITE_ROWS=1")
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
        let words = try Words(vendor, root)
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
                cells = self.cells(row, sample, whole, changed, words)
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
            its rows, with a sample for each; they had seen none of the code. *Taken in*: a document with it is accepted. \
            *Typed*: the facts that change with its value. *Shown*: where a person sees the change; `event` is the \
            timeline only. *Simulated*: a simulated trading day has it. *Tested*: test data has it.

            \(document.rows.count) rows: \(count("taken")) taken in, \(count("typed")) typed, \(count("shown")) shown, \
            \(count("simulated")) simulated, \(count("asserted")) tested, \(count("explained")) that no document has.

            | what | row | at | taken in | typed | shown | simulated | tested | remark |
            |---|---|---|---|---|---|---|---|---|
            \(lines.joined(separator: "\n"))

            """
    }

    private static func cells(
        _ row: DocumentRows.Row,
        _ sample: DocumentRows.Sample,
        _ base: ReadDocument,
        _ changed: ReadDocument?,
        _ words: Words
    ) -> [String] {
        let read = changed ?? base
        let simulated = words.isSimulated(row, sample) ? "yes" : "-"
        let asserted = words.isTested(row, sample) ? "yes" : "-"
        if let refusal = read.refusal {
            return ["refused: \(refusal.code.rawValue)", "-", "-", simulated, asserted, row.why?.cell ?? ""]
        }
        let types: [String]
        let shown: [String]
        if let changed {
            types = changed.differences(from: base)
            shown = changed.shown(unlike: base)
        } else {
            types = base.facts.map(\.type).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            shown = base.views.keys.sorted()
        }
        let isKept = types.isEmpty
        return [
            "yes", isKept ? "-" : types.joined(separator: ", "),
            isKept ? "-" : shown.isEmpty ? "event" : shown.joined(separator: ", "), simulated, asserted,
            row.why?.cell ?? (isKept ? "kept in the document" : ""),
        ]
    }
}

/// The words of the simulated documents and of the test data of one vendor.
private struct Words {
    private let simulated: String
    private let tested: String

    init(_ vendor: Vendor, _ root: URL) throws {
        let played = try Played(transactions: 2_000, faults: FaultProfile(all: 50_000), vendors: [vendor])
        simulated = Set(played.deliveries.map(\.document.record.text)).sorted().joined(separator: "\n").lowercased()
        var texts: [String] = []
        for folder in ["Tests/VendorsTests/Fixtures/\(vendor.rawValue)", "Tests/DaybookAPITests/DocumentCases"] {
            let folder = root.appending(path: folder)
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            where file.lastPathComponent.hasPrefix(vendor.rawValue) || folder.lastPathComponent == vendor.rawValue {
                texts.append(try String(contentsOf: file, encoding: .utf8))
            }
        }
        tested = texts.joined(separator: "\n").lowercased()
    }

    func isSimulated(_ row: DocumentRows.Row, _ sample: DocumentRows.Sample) -> Bool {
        Self.has(row, sample, simulated)
    }

    func isTested(_ row: DocumentRows.Row, _ sample: DocumentRows.Sample) -> Bool { Self.has(row, sample, tested) }

    /// A field occurs as a member, a code and a broken constraint as a value, and a callback as a kind.
    private static func has(_ row: DocumentRows.Row, _ sample: DocumentRows.Sample, _ text: String) -> Bool {
        let value = row.other.map { ($0.string ?? $0.text).lowercased() }
        switch row.what {
        case "code":
            return value.map { !$0.isEmpty && (text.contains("\"\($0)\"") || text.contains(":\($0),")) } ?? false
        case "constraint": return value.map { $0.count > 3 && text.contains("\"\($0)\"") } ?? false
        case "field":
            guard let name = row.pointer?.split(separator: "/").last?.lowercased() else { return false }
            return text.contains("\"\(name)\":") || text.contains("\"\(name)\" :") || text.contains("\"\(name)\": ")
        default: return text.contains("\"\(sample.kind.lowercased())\"")
        }
    }
}

extension String {
    /// The text as a cell of a table.
    fileprivate var cell: String { replacing("|", with: "\\|").replacing("\n", with: " ") }
}
