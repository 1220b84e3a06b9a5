/// JSON passes through `JSONValueEncoder`, `JSONTextEncoder` and `JSONValueDecoder` unchanged. Other coders could not
/// preserve the text of numbers and the order of members, and are refused.
extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? JSONTreeDecoder else {
            throw DecodingError.invalid("JSON can only be read by JSONValueDecoder.", for: decoder)
        }
        self = decoder.value
    }

    package func encode(to encoder: any Encoder) throws {
        switch encoder {
        case let encoder as JSONTextWriter: encoder.receive(self)
        case let encoder as JSONTreeEncoder: encoder.receive(self)
        default:
            let reason = "JSON can only be written by JSONValueEncoder and JSONTextEncoder."
            throw EncodingError.invalidValue(
                JSONValue.self,
                .init(codingPath: encoder.codingPath, debugDescription: reason)
            )
        }
    }
}

extension JSONObject: Codable {
    package init(from decoder: any Decoder) throws {
        guard let object = try JSONValue(from: decoder).object else {
            throw DecodingError.invalid("An object is expected.", for: decoder)
        }
        self = object
    }

    package func encode(to encoder: any Encoder) throws {
        try JSONValue.object(self).encode(to: encoder)
    }
}

extension JSONNumber: Codable {
    package init(from decoder: any Decoder) throws {
        guard let number = try JSONValue(from: decoder).number else {
            throw DecodingError.invalid("A number is expected.", for: decoder)
        }
        self = number
    }

    package func encode(to encoder: any Encoder) throws {
        try JSONValue.number(self).encode(to: encoder)
    }
}

/// JSON that is kept as canonical text. It is encoded as it is.
package struct StoredJSON: Encodable, Sendable {
    package var text: String

    package init(_ text: String) { self.text = text }

    package func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? JSONTextWriter { return encoder.receive(canonical: text) }
        try JSONValue(parsing: text.utf8).encode(to: encoder)
    }
}
