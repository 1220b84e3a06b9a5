package import Canonical
package import HTTPRequests

/// A client of one server with one key.
package struct APIClient: Sendable {
    package let port: Int
    package let key: String?
    private let sender: HTTPSender

    /// - Parameter connections: A kept connection ends with its server, which tests of failures replace.
    package init(port: Int, key: String?, connections: HTTPSender.Connections = .separate) {
        self.port = port
        self.key = key
        sender = HTTPSender(base: "http://127.0.0.1:\(port)", connections: connections)
    }

    /// - Throws: `Unreachable`, `CancellationError`.
    package func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
        var request = request
        if let key, !request.fields.contains(where: { $0.name == "Authorization" }) {
            request.fields.append(("Authorization", "Bearer \(key)"))
        }
        return try await sender.send(request)
    }

    /// The JSON at a path. The request is repeated while the read model is behind; the test's time limit ends that.
    ///
    /// - Throws: `TestKitError` with the answer when it is not a success.
    package func get(_ target: String) async throws -> JSONValue {
        var answer = try await send(HTTPRequest(target: target))
        while answer.status == 503, answer.text.contains("projection-behind") {
            try Task.checkCancellation()
            answer = try await send(HTTPRequest(target: target))
        }
        guard answer.status == 200 else { throw TestKitError("\(target): \(answer.status) \(answer.text)") }
        return try JSONValue(parsing: answer.body)
    }

    /// Every item of a list, page after page.
    package func all(_ target: String) async throws -> [JSONValue] {
        var items: [JSONValue] = []
        var cursor: String?
        repeat {
            let page = try await get(target + (cursor.map { "&cursor=\($0)" } ?? ""))
            items += page["items"]?.array ?? []
            cursor = page["next"]?.string
        } while cursor != nil
        return items
    }
}
