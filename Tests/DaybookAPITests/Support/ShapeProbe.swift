import Canonical
import Payments
import Projections

/// Finds the shape of a `Decodable` type: a decoder that notes what the type requests, and answers with samples.
enum ShapeProbe {
    /// The reason why a type has no shape.
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    static func shape(of type: (some Decodable).Type) throws -> Shape { try sample(of: type, within: []).shape }

    /// Types that are encoded as one JSON value, each with a sample.
    private static let scalars: [(any Decodable & Sendable, Shape)] = [
        (true, .boolean), ("text", .text(nil)), (UUID128(high: 1, low: 1), .text(nil)),
        (Timestamp(microsecondsSince1970: 0), .text(nil)), (Currency.usd, .text(nil)), (Zone.utc, .text(nil)),
        (ReportedTime.instant(Timestamp(microsecondsSince1970: 0)), .text(nil)),
        (LocalTime(shown: Timestamp(microsecondsSince1970: 0)), .text(nil)),
        (JSONValue.null, .any), (JSONObject(), .dictionary(.any)),
    ]

    /// A value of a type with its shape.
    ///
    /// - Parameter outer: The types that contain it. A type within itself has no end.
    fileprivate static func sample<Value: Decodable>(
        of type: Value.Type,
        within outer: [ObjectIdentifier]
    ) throws -> (value: Value, shape: Shape) {
        for (sample, shape) in scalars {
            if let value = sample as? Value, Swift.type(of: sample) == type { return (value, shape) }
        }
        if type is any BinaryFloatingPoint.Type { throw Fault(description: "\(type) is floating point") }
        if let integer = type as? any FixedWidthInteger.Type, let value = one(of: integer) as? Value {
            return (value, .integer)
        }
        if let choice = type as? any (CaseIterable & RawRepresentable).Type, let (first, names) = names(of: choice) {
            guard let value = first as? Value else { throw Fault(description: "\(type) has no case") }
            return (value, .text(names))
        }
        guard !outer.contains(ObjectIdentifier(type)) else { throw Fault(description: "\(type) contains itself") }
        let notes = Notes(outer: outer + [ObjectIdentifier(type)])
        let value = try Value(from: ProbingDecoder(notes: notes))
        return (value, try notes.shape(of: type))
    }

    private static func one<Integer: FixedWidthInteger>(of type: Integer.Type) -> Any { Integer(1) }

    private static func names<Choice: CaseIterable & RawRepresentable>(
        of type: Choice.Type
    ) -> (first: Any, names: Set<String>)? {
        let names = type.allCases.compactMap { $0.rawValue as? String }
        guard let first = type.allCases.first, names.count == type.allCases.count else { return nil }
        return (first, Set(names))
    }
}

/// What one value has requested.
private final class Notes {
    let outer: [ObjectIdentifier]
    var members: [String: Shape.Member]?
    /// The members whose presence was checked first.
    var optional: Set<String> = []
    /// The shape of a value that is no object.
    var shape: Shape?

    init(outer: [ObjectIdentifier]) { self.outer = outer }

    func shape(of type: Any.Type) throws -> Shape {
        if let members {
            if type is any KeyedByText.Type, let element = members.first { return .dictionary(element.value.shape) }
            return .object(members)
        }
        guard let shape else { throw ShapeProbe.Fault(description: "\(type) requests nothing") }
        return shape
    }
}

private protocol KeyedByText {}
extension Dictionary: KeyedByText where Key == String {}

private struct ProbingDecoder: Decoder {
    let notes: Notes
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        if notes.members == nil { notes.members = [:] }
        return KeyedDecodingContainer(ProbedMembers(notes: notes))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { ProbedElements(notes: notes) }
    func singleValueContainer() -> any SingleValueDecodingContainer { ProbedValue(notes: notes) }
}

private struct ProbedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let notes: Notes
    var codingPath: [any CodingKey] { [] }
    /// The keys of a dictionary.
    var allKeys: [Key] { [Key(stringValue: "name")].compactMap { $0 } }

    func contains(_ key: Key) -> Bool {
        notes.optional.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let sample = try ShapeProbe.sample(of: type, within: notes.outer)
        let isChecked = notes.optional.remove(key.stringValue) != nil
        let isRequired = !isChecked || notes.members?[key.stringValue]?.isRequired == true
        notes.members?[key.stringValue] = Shape.Member(shape: sample.shape, isRequired: isRequired)
        return sample.value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw untyped
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw untyped }
    func superDecoder() -> any Decoder { ProbingDecoder(notes: notes) }
    func superDecoder(forKey key: Key) -> any Decoder { ProbingDecoder(notes: notes) }
}

/// A list of one element.
private struct ProbedElements: UnkeyedDecodingContainer {
    let notes: Notes
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var isAtEnd: Bool { currentIndex > 0 }

    init(notes: Notes) { self.notes = notes }

    func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        currentIndex += 1
        let sample = try ShapeProbe.sample(of: type, within: notes.outer)
        notes.shape = .list(sample.shape)
        return sample.value
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        throw untyped
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw untyped }
    func superDecoder() -> any Decoder { ProbingDecoder(notes: notes) }
}

private struct ProbedValue: SingleValueDecodingContainer {
    let notes: Notes
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let sample = try ShapeProbe.sample(of: type, within: notes.outer)
        notes.shape = sample.shape
        return sample.value
    }
}

private let untyped = ShapeProbe.Fault(description: "a value is read without a type")
