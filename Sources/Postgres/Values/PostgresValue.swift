package import Canonical

/// A statement parameter, sent in PostgreSQL's binary form with its type.
///
/// Its description names only the type, so that a value never reaches a log through string interpolation.
package enum PostgresValue: Sendable, Hashable {
    /// SQL NULL; the server infers the type.
    case null
    case bool(Bool)
    case int16(Int16)
    case int32(Int32)
    case int64(Int64)
    /// Text without U+0000, which PostgreSQL cannot store.
    case text(String)
    /// JSON text for a `json` parameter, kept by the server exactly as written.
    case json(String)
    /// JSON text for a `jsonb` parameter.
    case jsonb(String)
    case bytea([UInt8])
    case timestamptz(Timestamp)
    case uuid(UUID128)

    case boolArray([Bool?])
    case int16Array([Int16?])
    case int32Array([Int32?])
    case int64Array([Int64?])
    case textArray([String?])
    case jsonArray([String?])
    case jsonbArray([String?])
    case byteaArray([[UInt8]?])
    case timestamptzArray([Timestamp?])
    case uuidArray([UUID128?])
    /// An array in its wire form.
    case array(PostgresArrayBuilder)
}

extension PostgresValue {
    /// The type the value is sent as.
    var type: PostgresType {
        switch self {
        case .null: .unspecified
        case .bool: .bool
        case .int16: .int2
        case .int32: .int4
        case .int64: .int8
        case .text: .text
        case .json: .json
        case .jsonb: .jsonb
        case .bytea: .bytea
        case .timestamptz: .timestamptz
        case .uuid: .uuid
        case .boolArray: .boolArray
        case .int16Array: .int2Array
        case .int32Array: .int4Array
        case .int64Array: .int8Array
        case .textArray: .textArray
        case .jsonArray: .jsonArray
        case .jsonbArray: .jsonbArray
        case .byteaArray: .byteaArray
        case .timestamptzArray: .timestamptzArray
        case .uuidArray: .uuidArray
        case .array(let builder): builder.type
        }
    }
}

extension PostgresValue {
    /// `value` or NULL.
    package static func optional<T>(_ value: T?, _ wrap: (T) -> PostgresValue) -> PostgresValue {
        value.map(wrap) ?? .null
    }
}

extension PostgresValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "PostgresValue(\(type))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
