import Canonical

/// Reads values as Swift and Foundation print them. V1's transaction response mixes both: Swift dictionaries
/// (`["Amt": "100"]`), OpenStep property lists (`{ AID = A000; }`), structures (`TxnData(amount: "1")`) and
/// `Optional("1")`. Every value becomes a string.
///
/// Members of unnamed containers, such as the outer braces of V1, are added to the enclosing container.
///
/// The time is linear in the length of the text; length, depth and number of values are bounded.
struct PrintedText {
    static let maximumBytes = 64 << 10
    static let maximumDepth = 16
    static let maximumValues = 4_096

    /// - Returns: Nil if the text does not have this form or names no member.
    static func object(in text: String) -> JSONObject? {
        guard text.utf8.count <= maximumBytes else { return nil }
        var reader = PrintedText(bytes: Array(text.utf8))
        guard let items = reader.items(until: nil, depth: 0), !items.members.isEmpty else { return nil }
        return items.object
    }

    /// The content of one container.
    private struct Items {
        var members: [(name: String, value: JSONValue)] = []
        var values: [JSONValue] = []
        /// True for `[:]`.
        var isEmptyDictionary = false

        /// Named members, and those of unnamed objects. The first of two members with the same name is kept.
        var object: JSONObject {
            var object = JSONObject()
            for member in members { _ = object.append(member.name, member.value) }
            return object
        }

        mutating func add(_ value: JSONValue) {
            if case .object(let object) = value {
                members += object.members.map { ($0.key, $0.value) }
            } else {
                values.append(value)
            }
        }

        func value(isList: Bool) -> JSONValue {
            if members.isEmpty, !values.isEmpty { return .array(values) }
            return members.isEmpty && isList && !isEmptyDictionary ? .array([]) : .object(object)
        }
    }

    private let bytes: [UInt8]
    private var index = 0
    private var count = 0

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skip(where isSkipped: (UInt8) -> Bool) {
        while let byte = next, isSkipped(byte) { index += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

    /// `,` and `;`, and the colon, which alone marks an empty dictionary.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") || byte == UInt8(ascii: ":")
    }

    private static func closer(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "{"): UInt8(ascii: "}")
        case UInt8(ascii: "["): UInt8(ascii: "]")
        case UInt8(ascii: "("): UInt8(ascii: ")")
        default: nil
        }
    }

    private static func isCloser(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: ")")
    }

    // MARK: Containers

    /// Reads up to and including `closer`, or to the end of the text. Nil if `closer` is missing or nothing can be
    /// read.
    private mutating func items(until closer: UInt8?, depth: Int) -> Items? {
        guard depth <= Self.maximumDepth else { return nil }
        var items = Items()
        let start = index
        while true {
            skip(where: Self.isSeparator)
            guard let byte = next else { return closer == nil ? items : nil }
            if Self.isCloser(byte) {
                guard byte == closer else { return nil }
                let isEmpty = items.members.isEmpty && items.values.isEmpty
                items.isEmptyDictionary = isEmpty && bytes[start..<index].contains(UInt8(ascii: ":"))
                index += 1
                return items
            }
            count += 1
            guard count <= Self.maximumValues, let token = readToken(isKey: true, depth: depth) else { return nil }
            skip(where: Self.isBlank)
            guard case .string(let name) = token, let sign = next, Self.isAssignment(sign) else {
                items.add(token)
                continue
            }
            index += 1
            skip(where: Self.isBlank)
            if let end = next, Self.isSeparator(end) || Self.isCloser(end) {
                items.members.append((name, .null))
            } else {
                guard let value = readToken(isKey: false, depth: depth) else { return nil }
                items.members.append((name, value))
            }
        }
    }

    private static func isAssignment(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ":") || byte == UInt8(ascii: "=") }

    // MARK: Values

    private mutating func readToken(isKey: Bool, depth: Int) -> JSONValue? {
        if next == UInt8(ascii: "@"), index + 1 < bytes.count { index += 1 }
        guard let byte = next else { return nil }
        if let closer = Self.closer(of: byte) {
            index += 1
            guard let items = items(until: closer, depth: depth + 1) else { return nil }
            // `(null)`
            if byte == UInt8(ascii: "("), items.members.isEmpty, items.values == [.null] { return .null }
            return items.value(isList: byte != UInt8(ascii: "{"))
        }
        if byte == UInt8(ascii: "\"") { return quoted() }
        let word = bare(isKey: isKey)
        guard !word.isEmpty else { return nil }
        guard next == UInt8(ascii: "(") else { return Self.absences.contains(word) ? .null : .string(word) }
        // `Optional(...)` is read as its content, `TxnData(...)` as its members.
        index += 1
        guard let items = items(until: UInt8(ascii: ")"), depth: depth + 1) else { return nil }
        return items.members.isEmpty && items.values.count == 1 ? items.values[0] : items.value(isList: false)
    }

    private static let absences: Set<String> = ["nil", "<null>", "null"]

    /// A quoted text; nil if the closing quote is missing.
    private mutating func quoted() -> JSONValue? {
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            if byte == UInt8(ascii: "\"") { return .string(String(decoding: text, as: UTF8.self)) }
            guard byte == UInt8(ascii: "\\"), let escaped = next else {
                text.append(byte)
                continue
            }
            index += 1
            switch escaped {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "r"): text.append(0x0D)
            default: text.append(escaped)
            }
        }
        return nil
    }

    /// An unquoted text. A colon ends a name but is part of a value.
    private mutating func bare(isKey: Bool) -> String {
        let start = index
        skip { byte in
            if Self.isBlank(byte) || Self.isCloser(byte) || Self.closer(of: byte) != nil { return false }
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\""), UInt8(ascii: "="): return false
            case UInt8(ascii: ":"): return !isKey
            default: return true
            }
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }
}
