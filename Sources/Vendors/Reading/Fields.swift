import Canonical
import Redaction

/// The members of a vendor's object, read liberally: names match by their letters and digits in any case, and scalars
/// may be strings, JSON numbers or booleans. `null`, an empty text and the printed `(null)` and `<null>` all count as
/// absent.
struct Fields {
    let pointer: String
    private let object: JSONObject
    private let names: FieldNames
    private var omitted: Set<String> = []

    /// The longest text a field may have; identifiers and messages of all vendors are far shorter.
    static let longestText = 1_024
    /// The maximum number of list entries that are read; a payment has a handful of tenders and offers.
    static let longestList = 64

    init(_ object: JSONObject, at pointer: String = "") {
        self.pointer = pointer
        self.object = object
        names = FieldNames.of(object)
    }

    /// The value of a field that is not absent, with its name as written.
    private func found(_ name: String) -> (value: JSONValue, name: String)? {
        guard omitted.isEmpty || !omitted.contains(name) else { return nil }
        var next = names.first[name]
        while let position = next {
            if !Self.isAbsent(object.values[position]) { return (object.values[position], object.keys[position]) }
            next = names.next[position]
        }
        return nil
    }

    private static func isAbsent(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text == "(null)" || text == "<null>" || isBlank(text)
        default: false
        }
    }

    private static func isBlank(_ text: String) -> Bool {
        // A text that starts with a printable ASCII character is not blank; this covers almost all texts.
        if let first = text.utf8.first, (0x21...0x7E).contains(first) { return false }
        return text.allSatisfy(\.isWhitespace)
    }

    /// JSON Pointer to the member of this name.
    private func pointer(toMember name: String) -> String {
        guard name.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return "\(pointer)/\(name)" }
        return "\(pointer)/\(name.replacing("~", with: "~0").replacing("/", with: "~1"))"
    }

    /// The same object without the fields of these names.
    func omitting(_ names: Set<String>) -> Fields {
        var rest = self
        rest.omitted.formUnion(names)
        return rest
    }

    /// True if no field has a value.
    var isEmpty: Bool { !names.first.keys.contains { has($0) } }

    /// True if the field is there and null.
    func isNull(_ name: String) -> Bool { !has(name) && names.first[name].map { object.values[$0] == .null } ?? false }

    /// True if the field has a value.
    func has(_ name: String) -> Bool { found(name) != nil }

    /// JSON Pointer to the field, present or not.
    func pointer(to name: String) -> String { pointer(toMember: found(name)?.name ?? name) }

    /// The value of the first of these names that is present.
    func value(_ names: String...) -> JSONValue? {
        for name in names {
            if let (value, _) = found(name) { return value }
        }
        return nil
    }

    /// A text of any length with its line ends, unchanged: a receipt, a log.
    ///
    /// - Throws: `malformedDocument` for anything but a text.
    func passage(_ name: String) throws -> String? {
        guard let (value, _) = found(name) else { return nil }
        guard case .string(let text) = value else {
            throw Refusal(.malformedDocument, "A text is expected here.", pointer: pointer(to: name))
        }
        return text
    }

    /// The object under the first of these names that is present.
    ///
    /// - Throws: `malformedDocument` for a value that is not an object.
    func object(_ names: String...) throws -> Fields? {
        for name in names {
            guard let (value, written) = found(name) else { continue }
            let pointer = self.pointer(toMember: written)
            guard case .object(let object) = value else {
                throw Refusal(.malformedDocument, "An object is expected here.", pointer: pointer)
            }
            return Fields(object, at: pointer)
        }
        return nil
    }

    /// The objects listed under the first of these names that is present, at most `longestList`. A single object counts
    /// as a list of one; other elements are skipped.
    func objects(_ names: String...) -> [Fields] {
        for name in names {
            guard let (value, written) = found(name) else { continue }
            let pointer = self.pointer(toMember: written)
            switch value {
            case .object(let object): return [Fields(object, at: pointer)]
            case .array(let elements):
                return elements.prefix(Self.longestList).enumerated().compactMap { index, element in
                    element.object.map { Fields($0, at: "\(pointer)/\(index)") }
                }
            case .null, .bool, .number, .string: continue
            }
        }
        return []
    }

    /// The text under the first of these names that is present, without white space at its ends.
    ///
    /// - Throws: `malformedDocument` for a list, an object, a text that is too long or has control characters.
    func text(_ names: String...) throws -> String? {
        for name in names {
            guard let (value, written) = found(name) else { continue }
            var pointer: String { self.pointer(toMember: written) }
            let text: String
            switch value {
            case .string(let string): text = Self.trimmed(string)
            case .number(let number): text = number.literal
            case .bool(let bool): text = String(bool)
            case .null, .array, .object:
                throw Refusal(.malformedDocument, "A text, number or truth value is expected here.", pointer: pointer)
            }
            guard text.utf8.count <= Self.longestText else {
                throw Refusal(
                    .malformedDocument,
                    "The text is longer than \(Self.longestText) bytes.",
                    pointer: pointer
                )
            }
            guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw Refusal(.malformedDocument, "The text contains control characters.", pointer: pointer)
            }
            return text
        }
        return nil
    }

    /// The texts of the list under the first of these names that is present, at most `limit`; empty without a list.
    /// Elements that are not texts are skipped.
    ///
    /// - Throws: `malformedDocument` for a value that is not a list.
    func texts(_ names: String..., limit: Int) throws -> [String] {
        for name in names {
            guard let (value, written) = found(name) else { continue }
            guard case .array(let elements) = value else {
                throw Refusal(.malformedDocument, "A list is expected here.", pointer: pointer(toMember: written))
            }
            return elements.lazy.compactMap(\.string).filter { !$0.isEmpty && $0.utf8.count <= Self.longestText }
                .prefix(limit).map { String($0) }
        }
        return []
    }

    /// An identifier: at most 64 printable ASCII characters.
    ///
    /// - Throws: `malformedDocument` for anything else.
    func identifier(_ names: String...) throws -> String? {
        for name in names {
            guard let text = try text(name) else { continue }
            guard text.utf8.count <= 64, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) || $0 == 0x20 }) else {
                throw Refusal(
                    .malformedDocument,
                    "An identifier of at most 64 printable ASCII characters is expected here.",
                    pointer: pointer(to: name)
                )
            }
            return text
        }
        return nil
    }

    /// `YES`/`NO`, `true`/`false`, `1`/`0`; nil for anything else, because no fact depends on it alone.
    func flag(_ name: String) throws -> Bool? {
        switch try text(name)?.lowercased() {
        case "yes", "true", "1", "y": true
        case "no", "false", "0", "n": false
        default: nil
        }
    }

    private static func trimmed(_ text: String) -> String {
        if let first = text.utf8.first, let last = text.utf8.last, (0x21...0x7E).contains(first),
            (0x21...0x7E).contains(last)
        {
            return text
        }
        guard text.first?.isWhitespace == true || text.last?.isWhitespace == true else { return text }
        let head = text.drop(while: \.isWhitespace)
        guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(head[...last])
    }
}

/// The positions of an object's members by their normalised names.
private final class FieldNames: Sendable {
    /// The first member of each name.
    let first: [String: Int]
    /// The next member of the same name.
    let next: [Int: Int]

    private init(_ keys: [String]) {
        var (first, next, last): ([String: Int], [Int: Int], [String: Int]) = ([:], [:], [:])
        for (position, key) in keys.enumerated() {
            let name = SensitiveNames.normalized(key)
            if let last = last[name] { next[last] = position } else { first[name] = position }
            last[name] = position
        }
        (self.first, self.next) = (first, next)
    }

    static func of(_ object: JSONObject) -> FieldNames {
        guard let shared = object.sharedNames else { return FieldNames(object.keys) }
        // What is derived for a type is what its own closure made.
        return unsafeDowncast(shared.derived(Self.self) { FieldNames(object.keys) }, to: FieldNames.self)
    }
}
