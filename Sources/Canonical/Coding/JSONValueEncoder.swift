/// Encodes `Encodable` values as JSON values.
///
/// Members are in the order in which they are encoded, integers of every size are exact, a `JSONValue` is included
/// verbatim. Floating point is refused, since no figure of the ledger may pass through it.
package struct JSONValueEncoder: Sendable {
    package init() {}

    /// The value as JSON.
    ///
    /// - Throws: `EncodingError.invalidValue` for floating point and for values that encode nothing. The error has the
    ///   type and the coding path, never the value.
    package func encode(_ value: some Encodable) throws -> JSONValue {
        try JSONTreeEncoder.encode(value, at: .root).resolved()
    }
}

/// A value under construction. Containers are references, since callers fill them after they were added to their
/// parent.
enum JSONSlot {
    case value(JSONValue)
    case object(JSONObjectBox)
    case array(JSONArrayBox)
    /// What a `superEncoder` has received by the end.
    case encoder(JSONTreeEncoder)

    func resolved() throws -> JSONValue {
        switch self {
        case .value(let value):
            return value
        case .object(let box):
            return .object(try box.object())
        case .array(let box):
            return .array(try box.slots.map { try $0.resolved() })
        case .encoder(let encoder):
            return try encoder.slot?.resolved() ?? .object(JSONObject())
        }
    }
}

/// The members of an object under construction.
final class JSONObjectBox {
    private(set) var members: [(key: String, slot: JSONSlot)] = []
    private var keys = KeyIndex()

    init() { members.reserveCapacity(8) }

    /// Setting a key again replaces its value and keeps the place of the first.
    subscript(key: String) -> JSONSlot? {
        get { position(of: key).map { members[$0].slot } }
        set {
            guard let newValue else { return }
            if let position = position(of: key) {
                members[position].slot = newValue
            } else {
                members.append((key, newValue))
                keys.extend(count: members.count) { members[$0].key }
            }
        }
    }

    private func position(of key: String) -> Int? {
        keys.position(of: key, count: members.count) { members[$0].key }
    }

    func object() throws -> JSONObject {
        let names = NameList(distinct: members.map(\.key), keys)
        return JSONObject(members.isEmpty ? [] : [names], values: try members.map { try $0.slot.resolved() })
    }
}

/// The elements of an array under construction.
final class JSONArrayBox {
    var slots: [JSONSlot] = []
}

/// The `Encoder` behind `JSONValueEncoder`: receives one value.
final class JSONTreeEncoder: Encoder {
    let trail: CodingTrail
    fileprivate(set) var slot: JSONSlot?

    init(at trail: CodingTrail) { self.trail = trail }

    var codingPath: [any CodingKey] { trail.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func encode(_ value: some Encodable, at trail: CodingTrail) throws -> JSONSlot {
        let encoder = JSONTreeEncoder(at: trail)
        try value.encode(to: encoder)
        guard let slot = encoder.slot else {
            throw EncodingError.refused(type(of: value), at: trail, "The value encoded nothing.")
        }
        return slot
    }

    func receive(_ value: JSONValue) { slot = .value(value) }

    /// A type may request its container more than once; it then continues to fill the same one.
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let box = if case .object(let box)? = slot { box } else { JSONObjectBox() }
        slot = .object(box)
        return KeyedEncodingContainer(JSONKeyedEncoding(box: box, trail: trail))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let box = if case .array(let box)? = slot { box } else { JSONArrayBox() }
        slot = .array(box)
        return JSONUnkeyedEncoding(box: box, trail: trail)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleEncoding(encoder: self) }
}

private struct JSONSingleEncoding: SingleValueEncodingContainer {
    let encoder: JSONTreeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.receive(.null) }
    func encode(_ value: Bool) { encoder.receive(.bool(value)) }
    func encode(_ value: String) { encoder.receive(.string(value)) }
    func encode(_ value: Int) { encoder.receive(.number(JSONNumber(Int64(value)))) }
    func encode(_ value: Int8) { encoder.receive(.number(JSONNumber(Int64(value)))) }
    func encode(_ value: Int16) { encoder.receive(.number(JSONNumber(Int64(value)))) }
    func encode(_ value: Int32) { encoder.receive(.number(JSONNumber(Int64(value)))) }
    func encode(_ value: Int64) { encoder.receive(.number(JSONNumber(value))) }
    func encode(_ value: UInt) { encoder.receive(.number(JSONNumber(UInt64(value)))) }
    func encode(_ value: UInt8) { encoder.receive(.number(JSONNumber(UInt64(value)))) }
    func encode(_ value: UInt16) { encoder.receive(.number(JSONNumber(UInt64(value)))) }
    func encode(_ value: UInt32) { encoder.receive(.number(JSONNumber(UInt64(value)))) }
    func encode(_ value: UInt64) { encoder.receive(.number(JSONNumber(value))) }
    func encode(_ value: Double) throws { throw EncodingError.floatingPoint(Double.self, at: encoder.trail) }
    func encode(_ value: Float) throws { throw EncodingError.floatingPoint(Float.self, at: encoder.trail) }
    func encode(_ value: some Encodable) throws {
        encoder.slot = try JSONTreeEncoder.encode(value, at: encoder.trail)
    }
}

extension EncodingError {
    /// The value itself is left out of the error, which may be logged.
    static func refused(_ type: Any.Type, at trail: CodingTrail, _ reason: StaticString) -> EncodingError {
        .invalidValue(type, Context(codingPath: trail.codingPath, debugDescription: "\(reason)"))
    }

    static func floatingPoint(_ type: Any.Type, at trail: CodingTrail) -> EncodingError {
        refused(type, at: trail, "Floating point is refused.")
    }
}

extension Encodable {
    /// The value as JSON.
    ///
    /// - Throws: As `JSONValueEncoder.encode`.
    package func jsonValue() throws -> JSONValue { try JSONValueEncoder().encode(self) }
}
