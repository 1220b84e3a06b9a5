import Canonical
import EMV
import Payments
import Redaction

/// A document of the uCube SDK, or a part of one: its members by name, `Data` as hexadecimal digits, and tags in either
/// form that apps use.
struct UCubeDocument {
    let fields: Fields
    private let object: JSONObject

    init(_ object: JSONObject, at pointer: String = "") {
        self.object = object
        fields = Fields(object, at: pointer)
    }

    /// The value under the first of these names; `null` and empty texts count as absent.
    private func value(_ names: [String]) -> (value: JSONValue, pointer: String)? {
        for name in names where fields.has(name) {
            guard let member = object.members.first(where: { SensitiveNames.normalized($0.key) == name }) else {
                continue
            }
            return (member.value, fields.pointer(to: name))
        }
        return nil
    }

    /// The object under the first of these names.
    ///
    /// - Throws: `malformedDocument` if the value is not an object.
    func part(_ names: String...) throws -> UCubeDocument? {
        guard let (value, pointer) = value(names) else { return nil }
        guard case .object(let object) = value else {
            throw Refusal(.malformedDocument, "An object is expected here.", pointer: pointer)
        }
        return UCubeDocument(object, at: pointer)
    }

    /// The list under the first of these names; nil if there is none.
    func list(_ names: String...) -> [JSONValue]? { value(names)?.value.array }

    /// True if the value under this name is an object.
    func hasObject(_ name: String) -> Bool { value([name])?.value.object != nil }

    /// The objects of the list under the first of these names.
    func parts(_ names: String...) -> [UCubeDocument] {
        guard let (value, pointer) = value(names), case .array(let elements) = value else { return [] }
        return elements.enumerated().compactMap { index, element in
            element.object.map { UCubeDocument($0, at: "\(pointer)/\(index)") }
        }
    }

    /// The texts of the list under the first of these names.
    func texts(_ names: String...) -> [String] {
        guard let (value, _) = value(names), case .array(let elements) = value else { return [] }
        return elements.compactMap { element in
            switch element {
            case .string(let text): text
            case .number(let number): number.literal
            default: nil
            }
        }
    }

    // MARK: Data

    /// The bytes under the first of these names; nil also if the scrubber changed them.
    ///
    /// - Throws: `malformedDocument` for anything but a hexadecimal text. Other forms of bytes cannot be searched for
    ///   card data.
    func data(_ names: String...) throws -> [UInt8]? {
        guard let (value, pointer) = value(names) else { return nil }
        guard case .string(let text) = value else { throw Self.notHexadecimal(pointer) }
        return try Self.bytes(text, at: pointer)
    }

    private static func notHexadecimal(_ pointer: String) -> Refusal {
        Refusal(.malformedDocument, "Bytes are written as hexadecimal digits.", pointer: pointer)
    }

    private static func bytes(_ text: String, at pointer: String) throws -> [UInt8]? {
        if text.contains("*") || text.contains(TextEdits.marker) || text.hasPrefix("sha256:") { return nil }
        var digits = text.filter { !$0.isWhitespace }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits.removeFirst(2) }
        guard let bytes = Hexadecimal.bytes(digits) else { throw notHexadecimal(pointer) }
        return bytes
    }

    /// The digest of bytes that were not kept.
    func digest(_ name: String) throws -> String? {
        try fields.text(name).flatMap { $0.hasPrefix("sha256:") ? $0 : nil }
    }

    // MARK: Tags

    /// The tags under a name: an object of tag and value (`[Int: Data]` in the SDK), or one TLV string.
    ///
    /// - Throws: as `data`; `malformedDocument` for unreadable TLV.
    func tags(_ name: String) throws -> ChipData? {
        guard let (value, pointer) = value([name]) else { return nil }
        switch value {
        case .object(let object): return try Self.tags(object, at: pointer)
        case .string(let text):
            guard let bytes = try Self.bytes(text, at: pointer) else { return nil }
            do {
                return ChipData(try TLVReader(quirks: .numberedBeyond9F7F).read(bytes).objects)
            } catch {
                throw Refusal(.malformedDocument, "The value is not BER-TLV.", pointer: pointer)
            }
        default:
            throw Refusal(.malformedDocument, "Tags are an object of tag and value, or TLV.", pointer: pointer)
        }
    }

    private static func tags(_ object: JSONObject, at pointer: String) throws -> ChipData {
        let base = TagBase(of: object.members.map(\.key))
        var values: [(tag: EMVTag, value: [UInt8])] = []
        for member in object.members {
            guard case .string(let text) = member.value else {
                if member.value.isNull { continue }
                throw notHexadecimal("\(pointer)/\(member.key)")
            }
            guard let tag = base.tag(member.key) else { continue }
            if let bytes = try bytes(text, at: "\(pointer)/\(member.key)") { values.append((tag, bytes)) }
        }
        return ChipData(values)
    }

    /// The masked card number in tag 5A of the plain tags under this name.
    func maskedCardNumber(_ name: String) -> String? {
        guard let (value, _) = value([name]), case .object(let object) = value else { return nil }
        let base = TagBase(of: object.members.map(\.key))
        return object.members.lazy
            .filter { base.tag($0.key) == 0x5A }
            .compactMap { $0.value.string }
            .first { $0.contains("*") && $0.utf8.count <= 32 }
    }

    /// The form of an object's tags: `40706`, as a Swift dictionary of `Int` prints its keys, or `9F02`.
    private enum TagBase {
        case decimal, hexadecimal

        init(of names: [String]) {
            guard names.allSatisfy({ CardNumber.digits($0) != nil }) else {
                self = .hexadecimal
                return
            }
            func known(_ base: TagBase) -> Int {
                names.count { base.tag($0).flatMap { TagDictionary.entry(for: $0) } != nil }
            }
            self = known(.hexadecimal) > known(.decimal) ? .hexadecimal : .decimal
        }

        func tag(_ name: String) -> EMVTag? {
            switch self {
            case .decimal:
                guard let number = UInt32(name) else { return nil }
                return EMVTag(number: number)
            case .hexadecimal:
                let digits = name.hasPrefix("0x") || name.hasPrefix("0X") ? name.dropFirst(2) : name[...]
                return EMVTag(hex: digits)
            }
        }
    }
}
