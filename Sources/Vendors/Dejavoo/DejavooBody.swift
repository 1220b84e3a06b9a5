import Canonical

/// A document's body: an object; an object printed as text, or JSON in a string, as callbacks with a `String?` hand it
/// over; or a text that is neither, such as an error's.
enum DejavooBody {
    case fields(Fields)
    case text(String)

    /// - Throws: `malformedDocument` for lists and scalars.
    init(_ value: JSONValue) throws {
        switch value {
        case .object(let object): self = .fields(Fields(object))
        case .string(let text):
            if let first = text.utf8.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{"),
                case .object(let object)? = try? JSONValue(parsing: text)
            {
                self = .fields(Fields(object))
            } else if let object = PrintedText.object(in: text) {
                self = .fields(Fields(object))
            } else {
                self = .text(text)
            }
        default: throw Refusal(.malformedDocument, "The document is a JSON object, or a text.", pointer: "")
        }
    }

    /// The object.
    ///
    /// - Throws: `malformedDocument` for a text.
    func fields() throws -> Fields {
        guard case .fields(let fields) = self else {
            throw Refusal(.malformedDocument, "The text is neither JSON nor a printed dictionary.", pointer: "")
        }
        return fields
    }
}
