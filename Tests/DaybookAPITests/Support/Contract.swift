import Canonical
import DaybookAPI
import Foundation
import Operations

/// `docs/openapi.yaml`, against which every answer is checked.
struct Contract: Sendable {
    /// One method of one path.
    struct Operation: Sendable {
        let method: String
        let template: String
        let document: JSONValue
    }

    let document: JSONValue
    let operations: [Operation]

    /// The document embedded in the build.
    static let published = Result { Contract(try OpenAPIDocument.published()) }

    init(_ document: JSONValue) {
        self.document = document
        operations = (document["paths"]?.object?.members ?? [:]).flatMap { path in
            (path.value.object?.members ?? [:]).map { method in
                Operation(method: method.key.uppercased(), template: path.key, document: method.value)
            }
        }
    }

    /// The operation of a request: the matching one with the most literal segments.
    func operation(_ method: String, _ path: String) -> Operation? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let method = method == "HEAD" ? "GET" : method
        return operations.filter { operation in
            let pattern = operation.template.split(separator: "/", omittingEmptySubsequences: false)
            let takesRest = operation.document["x-takes-rest"]?.bool == true && segments.count > pattern.count
            return operation.method == method && (pattern.count == segments.count || takesRest)
                && zip(pattern, segments).allSatisfy { $0 == $1 || $0.hasPrefix("{") && !$1.isEmpty }
        }.min { $0.template.count { $0 == "{" } < $1.template.count { $0 == "{" } }
    }

    /// The status, media type, header fields and body members that the document does not allow.
    func faults(of answer: Answer) -> [String] {
        let operation = operation(answer.method, answer.path)
        guard let response = response(operation, answer) else {
            return ["\(answer.status) is not an answer to \(answer.method) \(answer.path)"]
        }
        return fieldFaults(answer, response) + bodyFaults(answer, response)
    }

    private func response(_ operation: Operation?, _ answer: Answer) -> JSONValue? {
        if answer.status == 405 { return deref(["$ref": "#/components/responses/NotAllowed"]) }
        // Without an operation the answer is a problem.
        guard let operation else {
            return ["NotFound", "Refused"].map { deref(["$ref": .string("#/components/responses/\($0)")]) }
                .first { bodyFaults(answer, $0 ?? .null).isEmpty } ?? nil
        }
        let responses = operation.document["responses"]
        return deref(responses?[String(answer.status)] ?? responses?["default"])
    }

    private func fieldFaults(_ answer: Answer, _ response: JSONValue) -> [String] {
        let documented = response["headers"]?.object?.members ?? [:]
        var faults: [String] = []
        for member in documented {
            let (name, header) = (member.key, deref(member.value))
            guard let value = answer.fields[name.lowercased()] else {
                if header?["required"]?.bool == true { faults.append("no \(name)") }
                continue
            }
            let schema = header?["schema"] ?? false
            let isNumber = schema["type"]?.string == "integer"
            let json = isNumber ? JSONNumber(literal: value).map(JSONValue.number) ?? .null : .string(value)
            faults += JSONSchema(document: document).faults(of: json, by: schema, at: name)
        }
        let known = Set(documented.map { $0.key.lowercased() }).union(Self.framing).union(Self.everywhere.keys)
        faults += answer.fields.keys.filter { !known.contains($0) }.map { "\($0) is not documented" }
        let varying = answer.fields["vary"]?.split(separator: ", ") ?? []
        if !documented.contains(where: { $0.key == "Vary" }), varying.contains(where: { $0 != "Accept-Encoding" }) {
            faults.append("Vary is not documented")
        }
        if let coding = answer.fields["content-encoding"], coding != "gzip" || !varying.contains("Accept-Encoding") {
            faults.append("the coding \(coding) is not negotiated")
        }
        let own = Set(documented.map { $0.key.lowercased() })
        for (name, value) in Self.everywhere where !own.contains(name) && answer.fields[name] != value {
            faults.append("\(name) is not set")
        }
        return faults
    }

    private static let framing: Set<String> = [
        "content-type", "content-length", "content-encoding", "transfer-encoding", "connection", "date", "vary",
    ]
    /// The header fields that the description of the document promises for every answer.
    private static let everywhere = [
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
    ]

    private func bodyFaults(_ answer: Answer, _ response: JSONValue) -> [String] {
        let contents = response["content"]?.object ?? [:]
        let type = answer.fields["content-type"]?.prefix { $0 != ";" }.lowercased()
        guard let type else { return contents.isEmpty && answer.body.isEmpty ? [] : ["no media type"] }
        guard let media = contents[type] else { return ["the media type \(type) is not documented"] }
        if answer.method == "HEAD" { return answer.body.isEmpty ? [] : ["HEAD with a body"] }
        let schema = JSONSchema(document: document)
        switch type {
        case "application/json", "application/problem+json":
            guard let json = try? answer.json else { return ["not JSON: \(answer.body)"] }
            var faults = schema.faults(of: json, by: media["schema"] ?? false)
            if type == "application/problem+json" { faults += problemFaults(json, answer) }
            return faults
        case "application/x-ndjson":
            return answer.lines.flatMap { line -> [String] in
                guard let json = try? JSONValue(parsing: line) else { return ["not JSON: \(line)"] }
                return schema.faults(of: json, by: media["x-itemSchema"] ?? false)
            }
        case "text/event-stream":
            return answer.events.flatMap { event -> [String] in
                guard let json = try? JSONValue(parsing: event.data) else { return ["not JSON: \(event.data)"] }
                let isConsistent =
                    json["position"]?.int64.map(String.init) == event.id?.split(separator: "-").last.map(String.init)
                return schema.faults(of: json, by: media["x-itemSchema"] ?? false)
                    + (isConsistent && json["type"]?.string == event.type ? [] : ["\(event) contradicts itself"])
            }
        case "application/octet-stream": return []
        default: return schema.faults(of: .string(answer.body), by: media["schema"] ?? false)
        }
    }

    /// The members of a problem must agree with its answer, which a schema cannot state.
    private func problemFaults(_ json: JSONValue, _ answer: Answer) -> [String] {
        var faults: [String] = []
        if json["status"]?.int64 != Int64(answer.status) { faults.append("two statuses") }
        if json["type"]?.string != json["code"]?.string.map({ "urn:daybook:problem:\($0)" }) { faults.append("type") }
        if json["correlation"]?.string != answer.fields["x-request-id"] { faults.append("two ids") }
        let wait = json["retryAfterSeconds"]?.int64.map(String.init)
        if wait != answer.fields["retry-after"] { faults.append("two times to wait") }
        return faults
    }

    func deref(_ value: JSONValue?) -> JSONValue? {
        guard let reference = value?["$ref"] else { return value }
        return JSONSchema(document: document).resolve(reference)
    }
}

/// Files of the repository that tests read.
enum RepositoryFile {
    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    static func json(_ path: String) throws -> JSONValue {
        try JSONValue(parsing: Array(Data(contentsOf: root.appending(path: path))))
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
