import Canonical
import DaybookTestKit
import Gunzip
import Testing

/// An answer with its request.
struct Answer: Sendable {
    let method: String
    /// The path, without the query.
    let path: String
    let response: RawResponse

    var status: Int { response.status }
    /// By lower-case name.
    var fields: [String: String] { response.fields }
    var body: String { response.body }
    var json: JSONValue { get throws { try JSONValue(parsing: body) } }

    /// The lines of newline-delimited JSON.
    var lines: [String] { body.split(separator: "\n").map(String.init) }

    /// The stable code of a problem.
    var code: String? { (try? json)?["code"]?.string }

    /// The events of an event stream, without comments.
    var events: [StreamedEvent] { StreamedEvent.all(in: body) }
}

/// One server-sent event.
struct StreamedEvent: Sendable, Hashable {
    var id: String?
    var type: String?
    var data = ""

    static func all(in text: String) -> [StreamedEvent] {
        text.split(separator: "\n\n").compactMap { block in
            var event = StreamedEvent()
            for line in block.split(separator: "\n") {
                if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                if line.hasPrefix("event: ") { event.type = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { event.data += String(line.dropFirst(6)) }
            }
            return event.data.isEmpty ? nil : event
        }
    }
}

/// A client with or without a key. Every answer is checked against the OpenAPI document.
struct Caller: Sendable {
    let port: Int
    let contract: Contract
    var key: String?

    /// Sends one request on its own connection.
    ///
    /// - Parameter target: path and query, as written on the wire.
    func send(
        _ method: String,
        _ target: String,
        _ fields: [String: String] = [:],
        body: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let client = try await RawClient.connect(port: port)
        // The server may refuse and close the connection before the whole body is sent.
        await client.sendAnyway(request(method, target, fields, body: body))
        return try await receive(from: client, method, target, location)
    }

    /// The bytes of a request.
    func request(_ method: String, _ target: String, _ fields: [String: String] = [:], body: String? = nil) -> String {
        var fields = fields
        if let key, fields["Authorization"] == nil { fields["Authorization"] = "Bearer \(key)" }
        if let body, fields["Content-Length"] == nil { fields["Content-Length"] = String(body.utf8.count) }
        let head = fields.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
        return "\(method) \(target) HTTP/1.1\r\nHost: daybook.test\r\n\(head)\r\n\(body ?? "")"
    }

    /// Reads and checks the next answer on a connection. Its body is decompressed.
    func receive(
        from client: RawClient,
        _ method: String,
        _ target: String,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        var response = try await client.readResponse(toHead: method == "HEAD")
        if response.fields["content-encoding"] == "gzip", method != "HEAD" {
            response.bytes = try GunzipStream.read(whole: response.bytes)
        }
        let path = String(target.prefix { $0 != "?" })
        let answer = Answer(method: method, path: path, response: response)
        let faults = contract.faults(of: answer)
        #expect(faults.isEmpty, "\(method) \(target): \(answer.status) \(answer.body)", sourceLocation: location)
        return answer
    }

    func get(
        _ target: String,
        _ fields: [String: String] = [:],
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await send("GET", target, fields, location)
    }

    /// Posts a record.
    func post(
        _ vendor: String,
        _ record: JSONValue,
        _ fields: [String: String] = [:],
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let fields = fields.merging(["Content-Type": "application/json"]) { given, _ in given }
        return try await send("POST", "/v1/intake/\(vendor)", fields, body: record.text, location)
    }

    /// Posts a record that must be accepted, and returns the answer.
    func take(
        _ vendor: String,
        _ record: JSONValue,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> JSONValue {
        let answer = try await post(vendor, record, [:], location)
        #expect(answer.status == 201, "\(answer.body)", sourceLocation: location)
        return try answer.json
    }
}
