import Canonical

/// A place in a document: the path of member names.
struct DocumentPlaces: CustomStringConvertible {
    let path: [String]

    var description: String { path.map { "/" + $0 }.joined() }

    /// Every member, containers included.
    static func all(in value: JSONValue, below path: [String] = []) -> [DocumentPlaces] {
        guard case .object(let object) = value else { return [] }
        return object.members.flatMap { member in
            [DocumentPlaces(path: path + [member.key])] + all(in: member.value, below: path + [member.key])
        }
    }

    /// Every object, starting with the document itself if it is one.
    static func objects(in value: JSONValue) -> [DocumentPlaces] {
        ([DocumentPlaces(path: [])] + all(in: value)).filter { $0.value(in: value)?.object != nil }
    }

    private func value(in document: JSONValue) -> JSONValue? {
        path.reduce(document as JSONValue?) { $0?[$1] }
    }

    func replacing(in document: JSONValue, with value: JSONValue) -> JSONValue {
        change(document, path[...]) { _ in value }
    }

    func removing(from document: JSONValue) -> JSONValue {
        change(document, path[...]) { _ in nil as JSONValue? }
    }

    func adding(_ name: String, _ value: JSONValue, to document: JSONValue) -> JSONValue {
        change(document, path[...]) { old in
            guard case .object(var object)? = old else { return old }
            object[name] = value
            return .object(object)
        }
    }

    private func change(
        _ document: JSONValue,
        _ path: ArraySlice<String>,
        _ edit: (JSONValue?) -> JSONValue?
    ) -> JSONValue {
        guard let first = path.first else { return edit(document) ?? .null }
        guard case .object(var object) = document else { return document }
        if path.count == 1 {
            object[first] = edit(object[first])
        } else if let inner = object[first] {
            object[first] = change(inner, path.dropFirst(), edit)
        }
        return .object(object)
    }
}
