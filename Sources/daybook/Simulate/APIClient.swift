import Canonical
import HTTPRequests
import Operations
import Payments

/// A small client of the HTTP API for the demonstration and the simulator.
struct APIClient: Sendable {
    let base: String
    private let key: String
    private let sender: HTTPSender

    /// An answer with a status other than success.
    struct Refused: Error {
        var status: Int
        /// The `code` of the problem; nil when the answer is not a problem document.
        var code: String?
        var detail: String?
        /// From `Retry-After`.
        var retryAfterSeconds: Int?
        /// True when the same request may succeed later.
        var isRetryable: Bool
    }

    typealias Unreachable = HTTPRequests.Unreachable

    /// - Parameters:
    ///   - base: An address such as `http://127.0.0.1:8080`, with or without a slash at its end.
    init(base: String, key: String) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.key = key
        sender = HTTPSender(base: self.base, connections: .kept)
    }

    func get(_ path: String) async throws -> JSONValue {
        try JSONValue(parsing: try await send(HTTPRequest(target: path)))
    }

    func get<Document: Decodable>(_ path: String, as type: Document.Type) async throws -> Document {
        try JSONValueDecoder().decode(type, from: try await get(path))
    }

    func text(_ path: String) async throws -> String {
        let request = HTTPRequest(target: path, fields: [("Accept", "text/plain")])
        return String(decoding: try await send(request), as: UTF8.self)
    }

    /// Checks before any work that the server answers and accepts the key.
    ///
    /// - Throws: `Failure`.
    func greet() async throws {
        do {
            _ = try await patiently(attempts: 3) { try await get("/v1/transactions?limit=1") }
        } catch let error as Refused where error.status == 401 {
            throw Failure(error)
        } catch is Refused {
            // A key without the right to read may have the right to write.
        } catch let error as Unreachable {
            throw Failure(error, at: base)
        }
    }

    /// Posts lines and returns the lines of the answer.
    ///
    /// - Throws: `Refused` or `Unreachable`. The outcome of each line is then unknown until the request is repeated.
    func post(_ path: String, lines: [UInt8]) async throws -> [JSONValue] {
        let answer = try await send(Self.request("POST", path, lines, as: "application/x-ndjson"))
        // An incomplete line counts as missing.
        return answer.split(separator: 0x0A).compactMap { try? JSONValue(parsing: $0) }
    }

    /// Posts a file.
    ///
    /// - Throws: `Refused` or `Unreachable`.
    func post(_ path: String, _ file: [UInt8], as mediaType: String) async throws -> JSONValue {
        try JSONValue(parsing: try await send(Self.request("POST", path, file, as: mediaType)))
    }

    /// Replaces a document.
    ///
    /// - Throws: `Refused` or `Unreachable`.
    func put(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        try JSONValue(parsing: try await send(Self.request("PUT", path, body.canonicalBytes, as: "application/json")))
    }

    /// Reads every item of a list, page by page. Repeats the request while a read model is behind.
    func pages<Item: Codable & Sendable & Hashable>(
        _ path: String,
        as type: Item.Type,
        _ take: (Item) async throws -> Void
    ) async throws {
        var cursor: String?
        repeat {
            let separator = path.contains("?") ? "&" : "?"
            let page = try await patiently {
                try await get(
                    path + "\(separator)limit=1000" + (cursor.map { "&cursor=\($0)" } ?? ""),
                    as: PageJSON<Item>.self
                )
            }
            for item in page.items { try await take(item) }
            cursor = page.next
        } while cursor != nil
    }

    /// Retries temporary failures. Waits as `Retry-After` requests, or longer each time when the server is unreachable.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, 1 or more.
    ///   - failed: Called with each failure that is retried.
    func patiently<Result>(
        attempts: Int = 30,
        failed: (any Error) -> Void = { _ in },
        _ work: () async throws -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            do {
                return try await work()
            } catch let error as Refused where error.isRetryable && attempt < attempts {
                failed(error)
                try await Task.sleep(for: .seconds(min(30, max(1, error.retryAfterSeconds ?? 1))))
            } catch let error as Unreachable where attempt < attempts {
                failed(error)
                try await Task.sleep(for: .milliseconds(min(5_000, 100 << min(attempt, 6))))
            }
            attempt += 1
        }
    }

    private static func request(
        _ method: String,
        _ path: String,
        _ body: [UInt8],
        as mediaType: String
    ) -> HTTPRequest {
        HTTPRequest(method: method, target: path, fields: [("Content-Type", mediaType)], body: body)
    }

    private func send(_ request: HTTPRequest) async throws -> [UInt8] {
        guard base.hasPrefix("http://") || base.hasPrefix("https://") else {
            throw Failure(
                "The address \(base) is not well-formed.",
                hint: "Use an address such as http://127.0.0.1:8080."
            )
        }
        var request = request
        request.fields.append(("Authorization", "Bearer \(key)"))
        let answer = try await sender.send(request)
        guard (200..<300).contains(answer.status) else {
            let problem = try? JSONValueDecoder().decode(ReportedProblem.self, from: JSONValue(parsing: answer.body))
            throw Refused(
                status: answer.status,
                code: problem?.code,
                detail: problem?.detail ?? problem?.title,
                retryAfterSeconds: answer.fields["retry-after"].flatMap { Int($0) },
                isRetryable: problem?.retryable ?? (answer.status == 503)
            )
        }
        return answer.body
    }
}

/// What the client needs of a problem document. A proxy may send less than the API.
private struct ReportedProblem: Decodable {
    let code: String?
    let title: String?
    let detail: String?
    let retryable: Bool?
}

extension Failure {
    /// The failure of a request, as text for the operator.
    init(_ refused: APIClient.Refused) {
        self.init(
            "The API refused: \(refused.code ?? "status \(refused.status)"). \(refused.detail ?? "")",
            hint: refused.status == 401
                ? "Create a key with `daybook keys create`; --scopes sets its scopes."
                : refused.code == "insufficient-scope"
                    ? "`daybook keys create --scopes ...` creates a key with the scope." : nil
        )
    }

    init(_ unreachable: Unreachable, at base: String) {
        self.init(
            "There is no answer from \(base) (\(unreachable.reason)).",
            hint: "Is `daybook serve` running there?"
        )
    }
}

/// An amount of the API as text: `13.40 USD`.
struct MoneyText {
    let text: String

    init(_ value: Int64, _ currency: String) {
        text = Currency(alpha: currency).map { Money(value, $0).description } ?? "\(value) \(currency)"
    }
}
