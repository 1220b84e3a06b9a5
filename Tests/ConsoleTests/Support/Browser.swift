import DaybookTestKit
import Foundation
import Synchronization
import Testing

/// A browser without scripts: it keeps cookies, sends forms and follows redirects.
final class Browser: Sendable {
    let port: Int
    private let jar = Mutex<[String: String]>([:])

    init(port: Int) {
        self.port = port
    }

    /// Its cookies by name.
    var cookies: [String: String] {
        get { jar.withLock { $0 } }
        set { jar.withLock { $0 = newValue } }
    }

    /// Sends one request on its own connection.
    func send(
        _ method: String,
        _ target: String,
        form: [(String, String)]? = nil,
        fields: [String: String] = [:]
    ) async throws -> RawResponse {
        let client = try await RawClient.connect(port: port)
        var head = ["Host": "localhost", "Connection": "close"].merging(fields) { _, given in given }
        let cookies = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        if !cookies.isEmpty { head["Cookie"] = cookies }
        var body = ""
        if let form {
            body = form.map { "\(Self.escaped($0.0))=\(Self.escaped($0.1))" }.joined(separator: "&")
            head["Content-Type"] = "application/x-www-form-urlencoded"
            head["Content-Length"] = "\(body.utf8.count)"
        }
        let lines = head.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
        await client.sendAnyway("\(method) \(target) HTTP/1.1\r\n\(lines)\r\n\(body)")
        let response = try await client.readResponse(toHead: method == "HEAD")
        keep(response)
        return response
    }

    func get(_ target: String) async throws -> RawResponse { try await send("GET", target) }

    /// Reads a page and follows redirects.
    func page(_ target: String) async throws -> (address: String, response: RawResponse) {
        var address = target
        for _ in 0..<5 {
            let response = try await get(address)
            guard response.status == 303, let next = response.fields["location"] else { return (address, response) }
            address = next
        }
        throw RawClient.Failure(description: "\(target) leads round in circles")
    }

    func signIn(_ key: String, back: String? = nil) async throws -> RawResponse {
        let form = try await get("/console/sign-in")
        let token = try #require(Self.formToken(form.body))
        return try await send(
            "POST",
            "/console/sign-in",
            form: [("form", token), ("key", key)] + (back.map { [("back", $0)] } ?? [])
        )
    }

    /// The hidden token of the first form that has one.
    static func formToken(_ page: String) -> String? {
        let mark = "name=\"form\" value=\""
        guard let range = page.range(of: mark) else { return nil }
        return String(page[range.upperBound...].prefix { $0 != "\"" })
    }

    /// The form of the page with this action, as a browser sends it, with these fields filled in.
    static func form(
        _ page: String,
        _ action: String,
        _ filled: KeyValuePairs<String, String>
    ) throws -> [(String, String)] {
        let markup = Markup(page)
        #expect(markup.faults.isEmpty, "\(markup.faults)")
        let start = try #require(
            markup.elements.firstIndex { $0.attributes["action"] == action && $0.attributes["method"] == "post" },
            "\(action)"
        )
        let rest = markup.elements[(start + 1)...].prefix { $0.name != "form" }
        let known = Set(filled.map(\.key))
        return rest.compactMap { element in
            guard element.name == "input", let name = element.attributes["name"], !known.contains(name) else {
                return nil
            }
            // A checkbox is sent only if checked.
            let isBox = element.attributes["type"] == "checkbox"
            guard !isBox || element.attributes["checked"] != nil else { return nil }
            return (name, element.attributes["value"] ?? "")
        } + filled.map { ($0.key, $0.value) }
    }

    private func keep(_ response: RawResponse) {
        // The HTTP client joins header fields of one name with a comma, which none of these cookies contains.
        for cookie in (response.fields["set-cookie"] ?? "").split(separator: ",") {
            let parts = cookie.split(separator: ";").map { $0.drop { $0 == " " } }
            guard let pair = parts.first?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false),
                pair.count == 2
            else { continue }
            let isGone = parts.contains("Max-Age=0")
            jar.withLock { $0[String(pair[0])] = isGone ? nil : String(pair[1]) }
        }
    }

    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
    }
}
