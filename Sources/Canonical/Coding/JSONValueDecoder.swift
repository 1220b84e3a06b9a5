/// Decodes `Decodable` values from JSON values.
///
/// Integers must be written without fraction and exponent and must fit. Members that are not read are ignored. Floating
/// point is refused. `JSONValue`, `JSONObject` and `JSONNumber` are returned unchanged; an optional of one that is
/// `null` is nil.
package struct JSONValueDecoder: Sendable {
    package init() {}

    /// The value that `json` represents.
    ///
    /// - Throws: `DecodingError` with the coding path and what was expected there. Any text that the standard library
    ///   or a type put into the error is replaced, since it may quote the data; only text from
    ///   `DecodingError.invalid(_:for:)` is kept. The coding path of a dictionary contains its keys.
    package func decode<Value: Decodable>(_ type: Value.Type, from json: JSONValue) throws -> Value {
        do {
            return try Value(from: JSONTreeDecoder(value: json, trail: .root))
        } catch let error as DecodingError {
            throw error.withoutData
        }
    }

    /// The value that a JSON text represents.
    ///
    /// - Throws: `JSONParseError` for text that is not JSON; otherwise as `decode`.
    package func decode<Value: Decodable>(_ type: Value.Type, parsing text: String) throws -> Value {
        try decode(type, from: JSONValue(parsing: text))
    }
}

extension DecodingError {
    /// Marks a reason written in the source code, which therefore contains no data.
    private struct StatedReason: Error {}

    /// The error for `init(from:)` of types with a text or number form when the value is invalid.
    ///
    /// - Parameter reason: what is expected. `JSONValueDecoder` keeps it in its error.
    package static func invalid(_ reason: StaticString, for decoder: any Decoder) -> DecodingError {
        invalid(reason, at: decoder.codingPath)
    }

    static func invalid(_ reason: StaticString, at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(Context(codingPath: path, debugDescription: "\(reason)", underlyingError: StatedReason()))
    }

    /// This error without anything that can come from the document's values.
    fileprivate var withoutData: DecodingError {
        func context(_ old: Context, _ text: String) -> Context {
            Context(codingPath: old.codingPath, debugDescription: text)
        }
        switch self {
        case .typeMismatch(let type, let old):
            return .typeMismatch(type, context(old, "The value is not of the expected kind, \(type)."))
        case .valueNotFound(let type, let old):
            return .valueNotFound(type, context(old, "There is no value where \(type) is expected."))
        case .keyNotFound(let key, let old):
            return .keyNotFound(key, context(old, "A member is missing."))
        case .dataCorrupted(let old):
            let isStated = old.underlyingError is StatedReason
            return .dataCorrupted(context(old, isStated ? old.debugDescription : "The value is not a valid one."))
        @unknown default:
            return .dataCorrupted(Context(codingPath: [], debugDescription: "The value cannot be read."))
        }
    }
}

/// The `Decoder` behind `JSONValueDecoder`, and at the same time its container for a single value.
struct JSONTreeDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch(JSONObject.self) }
        return KeyedDecodingContainer(JSONKeyedDecoding(object: object, trail: trail))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
        return JSONUnkeyedDecoding(elements: elements, trail: trail)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw mismatch(type) }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = value else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode(_ type: Double.Type) throws -> Double { throw floatingPoint }
    func decode(_ type: Float.Type) throws -> Float { throw floatingPoint }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func integer<Integer: FixedWidthInteger>() throws -> Integer {
        guard case .number(let number) = value else { throw mismatch(Integer.self) }
        let exact =
            if let signed = number.int64 {
                Integer(exactly: signed)
            } else {
                number.uint64.flatMap { Integer(exactly: $0) }
            }
        guard let exact else {
            throw DecodingError.invalid("The number is not an integer of this size.", at: codingPath)
        }
        return exact
    }

    private var floatingPoint: DecodingError {
        DecodingError.invalid("Floating point is refused.", at: codingPath)
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        if value.isNull { return .valueNotFound(type, .init(codingPath: codingPath, debugDescription: "")) }
        return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: ""))
    }
}
