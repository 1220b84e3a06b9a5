/// A JSON document or a part of one, kept exactly: the order of members, the text of numbers and the bytes of strings
/// survive a round trip.
///
/// Two values are equal when their canonical texts are equal byte by byte. That is stricter than `String`, which treats
/// two spellings of the same Unicode character as equal, and stricter than arithmetic: `1` is not `1.0`.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The text, if this is a string.
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The truth value, if this is one.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, if this is one.
    package var number: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The number as an integer, if this is a number written without fraction and exponent that fits 64 bits.
    package var int64: Int64? { number?.int64 }

    /// The elements, if this is an array.
    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, if this is an object.
    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member of an object; nil if this is not an object or has no such member.
    package subscript(key: String) -> JSONValue? { object?[key] }

    /// The element of an array; nil if this is not an array or is shorter.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension JSONValue: Hashable {
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameUTF8(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value)
        case .number(let number): hasher.combine(number)
        case .string(let text): text.hashUTF8(into: &hasher)
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

/// There is no `nil` literal: beside an optional it could mean either "no value" or `null`.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// If a key is given twice, the last value is used.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The canonical text.
    package var description: String { text }
}
