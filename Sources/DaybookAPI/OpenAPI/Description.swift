import Access
package import Canonical
import HTTPEdge
import HTTPTypes
import Yams

extension API {
    /// Serves the OpenAPI document of `docs/openapi.yaml` as JSON.
    func addDescription(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/openapi.json") { _ in try Self.description.get() }
    }

    /// Made of the YAML at the first request: that takes longer than everything else that a server does at its start.
    private static let description = Result {
        var document = EdgeResponse.json(try OpenAPIDocument.published())
        // The document is the same for all clients, and changes only with a new version of the service.
        document.fields[.cacheControl] = "public, max-age=300"
        return document
    }
}

/// The OpenAPI document.
package enum OpenAPIDocument {
    struct Unreadable: Error {}

    /// The document of this build, as JSON.
    package static func published() throws -> JSONValue {
        try json(EmbeddedFiles.openapi_yaml)
    }

    /// YAML as JSON; key order is kept.
    static func json(_ yaml: String) throws -> JSONValue {
        guard let node = try Yams.compose(yaml: yaml) else { throw Unreadable() }
        return try json(node)
    }

    private static func json(_ node: Node) throws -> JSONValue {
        switch node {
        case .scalar(let scalar):
            // A quoted scalar is always a string.
            guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
            switch scalar.string {
            case "true": return .bool(true)
            case "false": return .bool(false)
            case "null", "~", "": return .null
            case let text: return JSONNumber(literal: text).map(JSONValue.number) ?? .string(text)
            }
        case .sequence(let sequence): return .array(try sequence.map(json))
        case .mapping(let mapping):
            var object = JSONObject()
            for (key, value) in mapping {
                guard let key = key.string else { throw Unreadable() }
                object[key] = try json(value)
            }
            return .object(object)
        case .alias: throw Unreadable()
        }
    }
}
