import Canonical

/// A document's body as an object. It is sent as an object, as printed text, or as JSON in a string; callbacks with a
/// `String?` send the latter.
enum DejavooBody {
    /// - Throws: `malformedDocument`.
    static func fields(of value: JSONValue) throws -> Fields {
        switch value {
        case .object(let object): return Fields(object)
        case .string(let text):
            if let object = embedded(in: text) ?? PrintedText.object(in: text) { return Fields(object) }
            throw Refusal(.malformedDocument, "The text is neither JSON nor a printed dictionary.", pointer: "")
        default: throw Refusal(.malformedDocument, "The document is a JSON object, or a text.", pointer: "")
        }
    }

    /// The JSON object in a string; nil if the string contains anything else.
    static func embedded(in text: String) -> JSONObject? {
        guard text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
            case .object(let object)? = try? JSONValue(parsing: text)
        else { return nil }
        return object
    }
}
