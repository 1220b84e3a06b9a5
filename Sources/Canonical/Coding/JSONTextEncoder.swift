/// Encodes `Encodable` values as canonical JSON text without building their JSON values first. The text is that of the
/// value that `JSONValueEncoder` gives.
///
/// A type must encode every member once, and finish one container before it encodes the next value; a type that uses
/// nested containers is encoded by `JSONValueEncoder`.
package struct JSONTextEncoder: Sendable {
    package init() {}

    /// The canonical text.
    ///
    /// - Throws: As `JSONValueEncoder.encode`.
    package func encode(_ value: some Encodable) throws -> String {
        String(decoding: try bytes(of: value), as: UTF8.self)
    }

    /// The canonical text as UTF-8.
    ///
    /// - Throws: As `JSONValueEncoder.encode`.
    package func bytes(of value: some Encodable) throws -> [UInt8] {
        if let bytes = written(value) { return bytes }
        // This encoder also gives the error.
        return try JSONValueEncoder().encode(value).canonicalBytes
    }

    /// The canonical text as UTF-8; nil for a value that cannot be written in one pass, or not at all.
    package func written(_ value: some Encodable) -> [UInt8]? {
        let writer = JSONTextWriter()
        guard (try? writer.write(value)) != nil, !writer.isUnfit else { return nil }
        return writer.bytes
    }
}

extension Encodable {
    /// The canonical JSON text of the value.
    ///
    /// - Throws: As `JSONValueEncoder.encode`.
    package func jsonText() throws -> String { try JSONTextEncoder().encode(self) }
}

/// The `Encoder` behind `JSONTextEncoder`. All containers append to the same text.
final class JSONTextWriter: Encoder {
    /// What has been written of the value that is being encoded.
    private enum Form {
        case nothing, scalar, emptyObject, object, emptyArray, array
    }

    private(set) var bytes: [UInt8] = []
    /// True once a value was encoded in an order that cannot be written; the text is then worthless.
    private(set) var isUnfit = false
    private var form = Form.nothing
    /// The number of values around the one that is being encoded.
    private(set) var depth = 0

    init() { bytes.reserveCapacity(1024) }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Appends a value, which is whole afterwards.
    ///
    /// - Throws: An error of the value's own, or `Unfit` for a value that encodes nothing.
    func write(_ value: some Encodable) throws {
        let outer = form
        form = .nothing
        depth += 1
        do {
            try value.encode(to: self)
        } catch {
            // The value around it may go on, with half a value in the text.
            refuse()
            throw error
        }
        switch form {
        case .nothing:
            refuse()
            throw Unfit()
        case .scalar: break
        case .emptyObject, .object: bytes.append(UInt8(ascii: "}"))
        case .emptyArray, .array: bytes.append(UInt8(ascii: "]"))
        }
        depth -= 1
        form = outer
    }

    struct Unfit: Error {}

    /// Discards the text in the end.
    func refuse() { isUnfit = true }

    /// Begins a member of the object at this depth.
    func beginMember(_ name: String, at depth: Int) {
        switch form {
        case .emptyObject where depth == self.depth: form = .object
        case .object where depth == self.depth: bytes.append(UInt8(ascii: ","))
        default: return refuse()
        }
        JSONValue.appendQuoted(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Begins an element of the array at this depth.
    func beginElement(at depth: Int) {
        switch form {
        case .emptyArray where depth == self.depth: form = .array
        case .array where depth == self.depth: bytes.append(UInt8(ascii: ","))
        default: refuse()
        }
    }

    /// Begins a value that is no container.
    func beginScalar(at depth: Int) {
        if case .nothing = form, depth == self.depth { form = .scalar } else { refuse() }
    }

    func append(_ value: String) { JSONValue.appendQuoted(value, to: &bytes) }
    func append(_ value: Bool) { bytes.append(contentsOf: (value ? "true" : "false").utf8) }
    func append(_ value: Int64) { bytes.append(contentsOf: String(value).utf8) }
    func append(_ value: UInt64) { bytes.append(contentsOf: String(value).utf8) }
    func appendNull() { bytes.append(contentsOf: "null".utf8) }

    /// Appends JSON in place of the value that is being encoded.
    func receive(_ value: JSONValue) {
        beginScalar(at: depth)
        value.append(to: &bytes)
    }

    /// Appends canonical text in place of the value that is being encoded.
    func receive(canonical text: String) {
        beginScalar(at: depth)
        bytes.append(contentsOf: text.utf8)
    }

    /// A type may request its container more than once; it then continues to fill the same one.
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        switch form {
        case .nothing:
            bytes.append(UInt8(ascii: "{"))
            form = .emptyObject
        case .emptyObject, .object: break
        case .scalar, .emptyArray, .array: refuse()
        }
        return KeyedEncodingContainer(JSONTextMembers(writer: self, depth: depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        switch form {
        case .nothing:
            bytes.append(UInt8(ascii: "["))
            form = .emptyArray
        case .emptyArray, .array: break
        case .scalar, .emptyObject, .object: refuse()
        }
        return JSONTextElements(writer: self, depth: depth)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONTextScalar(writer: self, depth: depth) }
}
