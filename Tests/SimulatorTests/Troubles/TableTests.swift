import Canonical
import Payments
import Testing

@testable import Simulator

/// Every code of the tables of a vendor's document is played within 20,000 payments. The tables are the rows that readers
/// of the documents listed; the simulator has its own.
@Suite struct TableTests {
    /// One vendor's share of 20,000 payments of all.
    private static let share = 4_000

    @Test(arguments: Vendor.allCases)
    func everyCodeIsPlayed(_ vendor: Vendor) throws {
        var troubles = TroubleProfile(all: 20_000)
        troubles[.codeTables] = 50_000
        troubles[.accountSettlement] = 500_000
        let played = try Played(
            merchants: 12,
            terminals: 24,
            transactions: Self.share,
            days: 3,
            faults: FaultProfile(all: 20_000),
            vendors: [vendor],
            troubles: troubles
        )
        let rows = try DocumentRows.of(vendor)
        var words = PlayedWords(rows.rows.compactMap { $0.pointer.flatMap(PlayedWords.name) })
        for delivery in played.deliveries { words.add(delivery.document) }
        var missing: [String] = []
        for row in rows.rows where row.what == "code" || row.what == "enum" {
            guard let index = row.sample, rows.samples.indices.contains(index) else { continue }
            if !words.has(row, kind: rows.samples[index].kind) { missing.append("\(row.row) (\(row.at))") }
        }
        #expect(missing.isEmpty, "\(missing.count) of \(vendor): \(missing.joined(separator: "; "))")
    }
}

/// The kinds of documents, and the values of their members.
private struct PlayedWords {
    /// The members that are collected.
    private let names: Set<String>
    private var kinds: Set<String> = []
    private var values: [String: Set<String>] = [:]

    init(_ names: [String]) { self.names = Set(names) }

    /// The last name of a pointer, in small letters.
    static func name(_ pointer: String) -> String? {
        pointer.split(separator: "/").last { Int($0) == nil }?.lowercased()
    }

    mutating func add(_ document: SDKDocument) {
        kinds.insert(document.kind)
        add(document.body, named: document.kind)
    }

    private mutating func add(_ value: JSONValue, named name: String) {
        if let object = value.object {
            for member in object.members { add(member.value, named: member.key) }
        } else if let array = value.array {
            if array.isEmpty { insert(.string("[]"), named: name) }
            for element in array { add(element, named: name) }
        } else {
            insert(value, named: name)
            // Some apps send a vendor's objects as printed text: `name: value` on each line, and `Code= E1015 "..."`.
            guard let text = value.string, text.contains("\n") else { return }
            for line in text.split(separator: "\n") {
                let pair = line.split(separator: line.hasPrefix("Code=") ? "=" : ":", maxSplits: 1)
                guard pair.count == 2 else { continue }
                let value = pair[1].drop { $0 == " " }
                insert(.string(String(pair[0] == "Code" ? value.prefix { $0 != " " } : value)), named: String(pair[0]))
            }
        }
    }

    private mutating func insert(_ value: JSONValue, named name: String) {
        let name = name.lowercased()
        guard names.contains(name) else { return }
        values[name, default: []].insert(Self.word(value))
    }

    /// Numbers and booleans as text; the digits of numbers that differ between payments do not matter.
    private static func word(_ value: JSONValue) -> String {
        if value == .null { return "null" }
        let text = value.string ?? value.text
        let words = ["YES": "true", "NO": "false"]
        let code = text.hasPrefix("AUTH CODE") || text.hasPrefix("APPROVAL")
        return words[text] ?? (code ? String(text.prefix { !$0.isNumber && $0 != " " }) : text.replacing(".", with: ""))
    }

    func has(_ row: DocumentRows.Row, kind: String) -> Bool {
        guard let pointer = row.pointer else { return kinds.contains(kind) }
        guard let name = Self.name(pointer), let played = values[name] else { return false }
        let value = row.other ?? .null
        // A list of one, or none.
        if let array = value.array { return played.contains(array.first.map(Self.word) ?? "[]") }
        return played.contains(Self.word(value))
    }
}
