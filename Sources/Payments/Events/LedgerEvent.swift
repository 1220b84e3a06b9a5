package import Canonical

/// An event in its stable, versioned form. `type` and `schema` name the shape of `data`. Schema 1 is the shape in the
/// golden samples. A released shape never changes: a change gets the next schema number, and an upcaster reads the
/// older one.
package protocol LedgerEvent: Sendable, Hashable {
    /// The name of the event type, past tense: `AuthorizationApproved`.
    var type: String { get }
    /// The version of the type's shape, from 1.
    var schema: Int { get }
    /// The data, which is stored as JSON.
    var payload: any Encodable { get }
    /// Reads a stored event.
    ///
    /// - Throws: `UnknownEvent` for a type or schema this build does not know, `DecodingError` for data that does not
    ///   have the shape.
    init(type: String, schema: Int, data: JSONValue) throws
}

extension LedgerEvent {
    /// The canonical JSON text of the data, as stored.
    ///
    /// - Throws: As `JSONValueEncoder.encode`.
    package func text() throws -> String { try payload.jsonText() }

    /// The data as JSON.
    ///
    /// - Throws: As `JSONValueEncoder.encode`.
    package func data() throws -> JSONValue { try payload.jsonValue() }
}

/// A stored event whose type or schema this build does not know. It halts the reader, never the process.
package struct UnknownEvent: Error, Hashable {
    package let type: String
    package let schema: Int

    package init(type: String, schema: Int) {
        self.type = type
        self.schema = schema
    }
}

/// A stored event of a stream whose event types have one schema each. The name is read; the payload is still encoded.
package struct StoredEvent<Name: RawRepresentable<String>> {
    package let name: Name
    private let data: JSONValue

    /// - Throws: `UnknownEvent` for a type or schema this build does not know.
    package init(type: String, schema: Int, data: JSONValue) throws {
        guard schema == 1, let name = Name(rawValue: type) else { throw UnknownEvent(type: type, schema: schema) }
        self.name = name
        self.data = data
    }

    /// The decoded payload.
    ///
    /// - Throws: `DecodingError` for data that does not have the shape.
    package func payload<Payload: Decodable>(_: Payload.Type = Payload.self) throws -> Payload {
        try JSONValueDecoder().decode(Payload.self, from: data)
    }
}

/// A key of this transaction also leads to another transaction: the payload of `KeysLinked`.
package struct KeysLinked: Sendable, Hashable, Codable {
    /// The other transaction's stream.
    package var other: String
    /// The key that leads there.
    package var key: String

    package init(other: String, key: String) {
        self.other = other
        self.key = key
    }
}
