import Canonical

/// The JSON that a `Decodable` type reads, as far as a schema describes it.
indirect enum Shape: Sendable, Hashable {
    /// One of these texts; nil if the type does not know them.
    case text(Set<String>?)
    case integer
    case boolean
    case list(Shape)
    case object([String: Member])
    /// An object with members of any name.
    case dictionary(Shape)
    /// Any JSON.
    case any

    struct Member: Sendable, Hashable {
        var shape: Shape
        var isRequired: Bool
    }
}

extension JSONSchema {
    /// The places where a component allows other JSON than a shape.
    func differences(from shape: Shape, inComponent name: String) -> [String] {
        differences(from: shape, in: ["$ref": .string("#/components/schemas/\(name)")], at: name)
    }

    /// The components of objects that are neither typed nor exempt, and names that should not be in either list.
    func objectsWithout(_ typed: [String], except exempt: Set<String>) -> [String] {
        let schemas = document["components"]?["schemas"]?.object ?? [:]
        let typed = Set(typed)
        let unknown = typed.union(exempt).filter { schemas[$0] == nil }.map { "\($0): not in the document" }
        let both = typed.intersection(exempt).map { "\($0): has a type and a reason for none" }
        let missing = schemas.members.filter { member in
            merged(member.value)["type"]?.string == "object" && !typed.contains(member.key)
                && !exempt.contains(member.key)
        }
        return (unknown + both + missing.map { "\($0.key): no type" }).sorted()
    }

    /// The places where a schema allows other JSON than a shape.
    func differences(from shape: Shape, in schema: JSONValue, at path: String) -> [String] {
        let schema = merged(schema)
        let type = schema["type"]?.string ?? (schema["const"]?.string).map { _ in "string" }
        func expect(_ expected: String) -> [String] {
            type == expected ? [] : ["\(path): the schema has \(type ?? "no type"), the code \(expected)"]
        }
        switch shape {
        case .any: return []
        case .integer: return expect("integer")
        case .boolean: return expect("boolean")
        case .text(let names):
            guard let names, let listed = choices(schema) else { return expect("string") }
            let (code, published) = (names.subtracting(listed).sorted(), listed.subtracting(names).sorted())
            return expect("string") + code.map { "\(path): \($0) is not in the schema" }
                + published.map { "\(path): \($0) is not in the code" }
        case .list(let element):
            return expect("array") + differences(from: element, in: schema["items"] ?? true, at: "\(path)[]")
        case .dictionary(let element):
            let values = schema["additionalProperties"] ?? true
            return expect("object") + differences(from: element, in: values, at: "\(path){}")
        case .object(let members): return expect("object") + differences(from: members, in: schema, at: path)
        }
    }

    private func differences(from members: [String: Shape.Member], in schema: JSONValue, at path: String) -> [String] {
        let properties = schema["properties"]?.object ?? [:]
        let required = Set(schema["required"]?.strings ?? [])
        var found: [String] = []
        if schema["additionalProperties"]?.bool != false { found.append("\(path): the schema allows other members") }
        for property in properties where members[property.key] == nil {
            found.append("\(path)/\(property.key): not in the code")
        }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            guard let property = properties[name] else {
                found.append("\(path)/\(name): not in the schema")
                continue
            }
            if member.isRequired != required.contains(name) {
                found.append("\(path)/\(name): \(member.isRequired ? "optional" : "required") in the schema only")
            }
            found += differences(from: member.shape, in: property, at: "\(path)/\(name)")
        }
        return found
    }

    /// The texts that a schema lists; nil if it allows any.
    private func choices(_ schema: JSONValue) -> Set<String>? {
        (schema["enum"]?.strings ?? schema["const"]?.string.map { [$0] }).map(Set.init)
    }

    /// A schema with everything that it refers to: the members of all parts of an `allOf`, and of `oneOf` and `anyOf`
    /// those of all choices, of which only the members that all choices require are required.
    private func merged(_ schema: JSONValue) -> JSONValue {
        var rules = schema.object ?? [:]
        func add(_ part: JSONValue, required: [String]) {
            for member in part.object ?? [:] where rules[member.key] == nil && member.key != "required" {
                rules[member.key] = member.value
            }
            var properties = rules["properties"]?.object ?? [:]
            for property in part["properties"]?.object ?? [:] where properties[property.key] == nil {
                properties[property.key] = property.value
            }
            if !properties.isEmpty { rules["properties"] = .object(properties) }
            let all = Set((rules["required"]?.strings ?? []) + required)
            if !all.isEmpty { rules["required"] = .array(all.sorted().map(JSONValue.string)) }
        }
        if let reference = rules["$ref"] {
            rules["$ref"] = nil
            let target = merged(resolve(reference) ?? false)
            add(target, required: target["required"]?.strings ?? [])
        }
        if let parts = rules["allOf"]?.array {
            rules["allOf"] = nil
            for part in parts.map(merged) { add(part, required: part["required"]?.strings ?? []) }
        }
        for keyword in ["oneOf", "anyOf"] {
            // A member that may be null has the members of its other choice.
            guard let choices = rules[keyword]?.array?.map(merged).filter({ $0["type"]?.string != "null" }) else {
                continue
            }
            rules[keyword] = nil
            let always = choices.map { Set($0["required"]?.strings ?? []) }.reduce(nil as Set<String>?) {
                $0?.intersection($1) ?? $1
            }
            for choice in choices { add(choice, required: []) }
            add([:], required: Array(always ?? []))
        }
        return .object(rules)
    }
}
