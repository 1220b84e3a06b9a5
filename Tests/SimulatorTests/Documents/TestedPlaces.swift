import Canonical
import Foundation
import Payments
import Vendors

/// The members and kinds of one vendor's recorded documents that a test checks: what the test compares differs if the
/// member is removed or changed, or if the whole document is removed. A member that only occurs is not checked.
struct TestedPlaces {
    /// A member by its name and that of the object around it, which is the document's kind for the outermost one; in
    /// lower case.
    struct Place: Hashable {
        var parent: String
        var name: String
        /// Nil for any value.
        var value: String?
    }

    private var places: Set<Place> = []
    private var kinds: Set<String> = []
    private let wanted: Set<String>

    /// - Throws: The errors of reading the files, and of folding.
    init(_ vendor: Vendor, in root: URL, for document: DocumentRows) throws {
        let folder = root.appending(path: "Tests/VendorsTests/Fixtures/\(vendor.rawValue)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
        let cases = root.appending(path: "Tests/DaybookAPITests/DocumentCases/\(vendor.rawValue).json")
        try self.init(
            VendorAdapters.adapter(of: vendor),
            fixtures: files.map(Self.json),
            cases: Self.json(cases).array ?? [],
            names: Set(document.rows.compactMap { row in row.pointer.map(Self.names)?.last?.lowercased() })
        )
    }

    /// - Parameter names: The names of members to look for, in lower case.
    /// - Throws: The errors of folding.
    init(_ adapter: any VendorAdapter, fixtures: [JSONValue], cases: [JSONValue], names: Set<String>) throws {
        wanted = names
        for fixture in fixtures.compactMap({ RecordedDocument($0, of: adapter) }) {
            kinds.insert(fixture.kind.lowercased())
            let whole = fixture.compared(fixture.body)
            try note(fixture.body, fixture.kind) { fixture.compared($0) != whole }
        }
        for file in cases {
            let one = FoldedCase(file, of: adapter)
            let whole = try one.values(after: one.documents)
            for (index, document) in one.documents.enumerated() {
                guard let kind = document["kind"]?.string, let body = document["body"] else { continue }
                var others = one.documents
                others.remove(at: index)
                if try one.values(after: others) != whole { kinds.insert(kind.lowercased()) }
                try note(body, kind) { changed in
                    var documents = one.documents
                    documents[index] = document.setting("/body", to: changed)
                    return try one.values(after: documents) != whole
                }
            }
        }
    }

    func has(_ row: DocumentRows.Row, _ sample: DocumentRows.Sample) -> Bool {
        guard let names = row.pointer.map(Self.names), let name = names.last else {
            return ["operation", "callback"].contains(row.what) && kinds.contains(sample.kind.lowercased())
        }
        var place = Place(
            parent: Self.parent(names.dropLast().last ?? sample.kind),
            name: name.lowercased(),
            value: nil
        )
        guard row.what == "code" || row.what == "constraint" else { return places.contains(place) }
        // A code is checked where it is given, and a constraint where it is broken.
        guard let value = row.other.flatMap(Self.text) else { return false }
        place.value = value
        return places.contains(place)
    }

    /// Notes the members of a body without which what is compared differs.
    private mutating func note(_ body: JSONValue, _ kind: String, _ differs: (JSONValue) throws -> Bool) throws {
        var members: [Member] = []
        Self.add(body, below: Member(path: [], names: [kind], value: body), to: &members)
        for member in members {
            let name = member.names[member.names.count - 1].lowercased()
            guard wanted.contains(name) else { continue }
            var place = Place(
                parent: Self.parent(member.names[member.names.count - 2]),
                name: name,
                value: Self.text(member.value)
            )
            guard !places.contains(place) else { continue }
            let names = member.path.map { $0.replacing("~", with: "~0").replacing("/", with: "~1") }
            let pointer = "/" + names.joined(separator: "/")
            var isChecked = try differs(body.setting(pointer, to: .null))
            if !isChecked, let other = Self.other(member.value) {
                isChecked = try differs(body.setting(pointer, to: other))
            }
            guard isChecked else { continue }
            places.insert(place)
            place.value = nil
            places.insert(place)
        }
    }

    /// A member of a document.
    private struct Member {
        /// The names and indices that lead to it.
        var path: [String]
        /// The document's kind, and the names.
        var names: [String]
        var value: JSONValue
    }

    /// Adds every member that is not null.
    private static func add(_ value: JSONValue, below outer: Member, to members: inout [Member]) {
        if let array = value.array {
            for (index, element) in array.enumerated() {
                let inner = Member(path: outer.path + [String(index)], names: outer.names, value: element)
                add(element, below: inner, to: &members)
            }
        }
        for member in value.object ?? [:] where member.value != .null {
            let inner = Member(
                path: outer.path + [member.key],
                names: outer.names + [member.key],
                value: member.value
            )
            members.append(inner)
            add(member.value, below: inner, to: &members)
        }
    }

    /// Another value of the same form; nil for what has members, and for what could become a card number.
    private static func other(_ value: JSONValue) -> JSONValue? {
        if let flag = value.bool { return .bool(!flag) }
        if let number = value.int64 { return .number(.init(number == .max ? 0 : number + 1)) }
        guard let text = value.string else { return nil }
        let digitCount = text.filter { next[$0] != nil }.count
        guard digitCount < 13 else { return nil }
        return .string(digitCount == 0 ? text + "x" : String(text.map { next[$0] ?? $0 }))
    }

    private static let next: [Character: Character] = [
        "0": "1", "1": "2", "2": "3", "3": "4", "4": "5", "5": "6", "6": "7", "7": "8", "8": "9", "9": "0",
    ]

    /// The names of a pointer, without indices. Tags have names of two digits.
    private static func names(_ pointer: String) -> [String] {
        let names = pointer.split(separator: "/").map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        return names.filter { Int($0) == nil || $0.count > 1 }
    }

    /// Apps send BridgePay's payment request under either name.
    private static func parent(_ name: String) -> String {
        name.lowercased() == "bpnpaymentrequest" ? "request" : name.lowercased()
    }

    /// Nil for null and for what has members.
    private static func text(_ value: JSONValue) -> String? {
        guard value != .null, value.array == nil, value.object == nil else { return nil }
        return (value.string ?? value.text).lowercased()
    }

    private static func json(_ file: URL) throws -> JSONValue {
        try JSONValue(parsing: [UInt8](Data(contentsOf: file)))
    }
}
