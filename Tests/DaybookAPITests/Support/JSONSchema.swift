import Canonical
import Synchronization

/// Validates JSON with the part of JSON Schema 2020-12 that the OpenAPI document uses. An unknown keyword is a fault,
/// because its rule would not be checked.
struct JSONSchema {
    /// The document that `$ref` refers to.
    let document: JSONValue

    /// The faults of `value`, as path and reason.
    func faults(of value: JSONValue, by schema: JSONValue, at path: String = "") -> [String] {
        if let always = schema.bool { return always ? [] : ["\(path): nothing is allowed here"] }
        guard let rules = schema.object else { return ["\(path): the schema is no object"] }
        return rules.members.flatMap { member in
            faults(of: value, by: member.value, keyword: member.key, beside: rules, at: path)
        }
    }

    /// Keywords of the schema and its subschemas that are not checked.
    func unknownKeywords(in schema: JSONValue, at path: String) -> [String] {
        guard let rules = schema.object else { return schema.bool == nil ? ["\(path): no schema"] : [] }
        return rules.members.flatMap { member -> [String] in
            let (keyword, rule) = (member.key, member.value)
            let place = "\(path)/\(keyword)"
            switch keyword {
            case "$ref": return resolve(rule) == nil ? ["\(place): leads nowhere"] : []
            case "items", "not": return unknownKeywords(in: rule, at: place)
            case "additionalProperties": return unknownKeywords(in: rule, at: place)
            case "allOf", "anyOf", "oneOf":
                return (rule.array ?? []).enumerated().flatMap { unknownKeywords(in: $1, at: "\(place)/\($0)") }
            case "properties":
                return (rule.object?.members ?? [:]).flatMap { unknownKeywords(in: $0.value, at: "\(place)/\($0.key)") }
            case "format": return Self.formats.contains(rule.string ?? "") ? [] : ["\(place): unknown format"]
            default: return Self.assertions.contains(keyword) || Self.notes.contains(keyword) ? [] : [place]
            }
        }
    }

    /// Keywords without a rule.
    private static let notes: Set<String> = ["description", "title", "default", "example", "examples"]
    private static let assertions: Set<String> = [
        "type", "required", "enum", "const", "pattern", "minimum", "maximum", "minItems", "maxItems", "minLength",
        "maxLength",
    ]
    private static let formats: Set<String> = ["int64", "date-time"]

    private func faults(
        of value: JSONValue,
        by rule: JSONValue,
        keyword: String,
        beside rules: JSONObject,
        at path: String
    ) -> [String] {
        func check(_ holds: Bool) -> [String] { holds ? [] : ["\(path): not \(keyword) \(rule)"] }
        switch keyword {
        case "$ref":
            guard let target = resolve(rule) else { return ["\(path): \(rule) leads nowhere"] }
            return faults(of: value, by: target, at: path)
        case "allOf": return (rule.array ?? []).flatMap { faults(of: value, by: $0, at: path) }
        case "anyOf", "oneOf":
            let results = (rule.array ?? []).map { faults(of: value, by: $0, at: path) }
            let valid = results.count { $0.isEmpty }
            if valid == 1 || valid > 1 && keyword == "anyOf" { return [] }
            let nearest = results.min { $0.count < $1.count } ?? []
            return ["\(path): \(valid) of \(keyword) hold"] + (valid == 0 ? nearest : [])
        case "not": return check(!faults(of: value, by: rule, at: path).isEmpty)
        case "type": return check(isOf(rule, value))
        case "enum": return check(rule.array?.contains(value) ?? false)
        case "const": return check(rule == value)
        case "required":
            guard let object = value.object else { return [] }
            return (rule.array ?? []).compactMap(\.string).filter { object[$0] == nil }.map { "\(path): no \($0)" }
        case "properties":
            guard let object = value.object else { return [] }
            return (rule.object?.members ?? [:]).flatMap { member in
                object[member.key].map { faults(of: $0, by: member.value, at: "\(path)/\(member.key)") } ?? []
            }
        case "additionalProperties":
            guard let object = value.object else { return [] }
            return object.members.filter { rules["properties"]?[$0.key] == nil }
                .flatMap { faults(of: $0.value, by: rule, at: "\(path)/\($0.key)") }
        case "items":
            return (value.array ?? []).enumerated().flatMap { faults(of: $1, by: rule, at: "\(path)/\($0)") }
        case "pattern":
            guard let text = value.string else { return [] }
            guard let found = Self.match(text, rule) else { return ["\(path): bad \(rule)"] }
            return check(found)
        case "minimum": return check(value.int64.map { $0 >= rule.int64 ?? .max } ?? true)
        case "maximum": return check(value.int64.map { $0 <= rule.int64 ?? .min } ?? true)
        case "minItems": return check(value.array.map { $0.count >= rule.int64 ?? .max } ?? true)
        case "maxItems": return check(value.array.map { $0.count <= rule.int64 ?? .min } ?? true)
        case "minLength": return check(value.string.map { $0.unicodeScalars.count >= rule.int64 ?? .max } ?? true)
        case "maxLength": return check(value.string.map { $0.unicodeScalars.count <= rule.int64 ?? .min } ?? true)
        case "format": return check(hasFormat(rule, value))
        default: return Self.notes.contains(keyword) ? [] : ["\(path): unknown keyword \(keyword)"]
        }
    }

    /// Compiled once: compiling takes most of the time of checking an answer.
    private static let patterns = Mutex<[String: Regex<AnyRegexOutput>]>([:])

    /// Nil if the rule is no pattern.
    private static func match(_ text: String, _ rule: JSONValue) -> Bool? {
        guard let pattern = rule.string else { return nil }
        return patterns.withLock { patterns in
            guard let regex = try? patterns[pattern] ?? Regex(pattern) else { return nil }
            patterns[pattern] = regex
            return text.firstMatch(of: regex) != nil
        }
    }

    private func isOf(_ type: JSONValue, _ value: JSONValue) -> Bool {
        if let types = type.array { return types.contains { isOf($0, value) } }
        return switch (type.string, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object): true
        case ("number", .number): true
        case ("integer", .number(let number)): number.int64 != nil
        default: false
        }
    }

    private func hasFormat(_ format: JSONValue, _ value: JSONValue) -> Bool {
        switch format.string {
        case "int64": value.number == nil || value.int64 != nil
        case "date-time": value.string.map { Timestamp(rfc3339: $0) != nil } ?? true
        default: false
        }
    }

    /// The value at a reference such as `#/a/b`.
    func resolve(_ reference: JSONValue) -> JSONValue? {
        guard let text = reference.string, text.hasPrefix("#/") else { return nil }
        return text.dropFirst(2).split(separator: "/").reduce(document as JSONValue?) { $0?[String($1)] }
    }
}
