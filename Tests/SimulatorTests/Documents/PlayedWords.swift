import Canonical
import Payments

@testable import Simulator

/// The kinds of one vendor's simulated documents, and the values of their members.
struct PlayedWords {
    /// The vendor's share of 20,000 payments of all.
    private static let share = 4_000

    /// The members that are collected.
    private let names: Set<String>
    private var kinds: Set<String> = []
    private var members: Set<String> = []
    private var values: [String: Set<String>] = [:]

    /// Plays the vendor's share of 20,000 payments, with every fault and trouble.
    ///
    /// - Throws: `InvalidPlan`.
    init(_ vendor: Vendor, for document: DocumentRows) throws {
        names = Set(document.rows.compactMap { $0.pointer.flatMap(Self.name) })
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
        for delivery in played.deliveries { add(delivery.document) }
    }

    /// The last name of a pointer, in small letters. Tags have names of two digits, indices have one.
    private static func name(_ pointer: String) -> String? {
        pointer.split(separator: "/").last { Int($0) == nil || $0.count > 1 }?.lowercased()
    }

    private mutating func add(_ document: SDKDocument) {
        kinds.insert(document.kind.lowercased())
        add(document.body, named: document.kind)
    }

    private mutating func add(_ value: JSONValue, named name: String) {
        if let object = value.object {
            members.insert(name.lowercased())
            for member in object.members { add(member.value, named: member.key) }
        } else if let array = value.array {
            members.insert(name.lowercased())
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
        if value != .null { members.insert(name) }
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

    /// A code and a broken constraint occur as a value, anything else as a member or as the kind of a document.
    func has(_ row: DocumentRows.Row, _ sample: DocumentRows.Sample) -> Bool {
        guard let name = row.pointer.flatMap(Self.name) else { return kinds.contains(sample.kind.lowercased()) }
        guard row.what == "code" || row.what == "constraint" else { return members.contains(name) }
        // A missing member breaks a constraint only where it is required, which its name alone does not show.
        if row.what == "constraint", (row.other ?? .null) == .null { return false }
        guard let played = values[name] else { return false }
        let value = row.other ?? .null
        // A list of one, or none.
        if let array = value.array { return played.contains(array.first.map(Self.word) ?? "[]") }
        return played.contains(Self.word(value))
    }
}
