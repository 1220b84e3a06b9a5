import Canonical
import Foundation
import FoundationNetworking
import Payments

/// A client of the HTTP API, as small as the demonstration and the simulator need it.
struct APIClient: Sendable {
    let base: String
    let key: String

    /// An answer that is no success.
    struct Refused: Error {
        var status: Int
        /// The problem's `code`; nil where the answer was no problem document.
        var code: String?
        var detail: String?
        /// From `Retry-After`.
        var retryAfterSeconds: Int?
        /// True where the same request may succeed later.
        var isRetryable: Bool
    }

    /// There was no answer, or not a whole one.
    struct Unreachable: Error {
        var reason: String
    }

    /// - Parameters:
    ///   - base: `http://127.0.0.1:8080`, with or without a slash at its end.
    init(base: String, key: String) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.key = key
    }

    func get(_ path: String) async throws -> JSONValue {
        try JSONValue(parsing: try await send(try request(path)))
    }

    func text(_ path: String) async throws -> String {
        var request = try request(path)
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        return String(decoding: try await send(request), as: UTF8.self)
    }

    /// Finds out before any work that somebody answers there, and knows the key.
    ///
    /// - Throws: `Failure`.
    func greet() async throws {
        do {
            _ = try await patiently(attempts: 3) { try await get("/v1/transactions?limit=1") }
        } catch let error as Refused where error.status == 401 {
            throw Failure(error)
        } catch is Refused {
            // What it may not read it may be allowed to write.
        } catch let error as Unreachable {
            throw Failure(error, at: base)
        }
    }

    /// Posts lines and gives the lines of the answer.
    ///
    /// - Throws: `Refused` or `Unreachable`; in both cases nothing is known of any line but what a repeat will tell.
    func post(_ path: String, lines: [UInt8]) async throws -> [JSONValue] {
        var request = try request(path)
        request.httpMethod = "POST"
        request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(lines)
        // A line that was cut off is as good as none.
        return try await send(request).split(separator: 0x0A).compactMap { try? JSONValue(parsing: $0) }
    }

    /// Posts a file.
    ///
    /// - Throws: `Refused` or `Unreachable`.
    func post(_ path: String, _ file: [UInt8], as mediaType: String) async throws -> JSONValue {
        var request = try request(path)
        request.httpMethod = "POST"
        request.setValue(mediaType, forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(file)
        return try JSONValue(parsing: try await send(request))
    }

    /// Puts a document in the place of another one.
    ///
    /// - Throws: `Refused` or `Unreachable`.
    func put(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        var request = try request(path)
        request.httpMethod = "PUT"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(body.canonicalBytes)
        return try JSONValue(parsing: try await send(request))
    }

    /// Every item of a list, a page at a time. A read model that is behind is asked again.
    func pages(_ path: String, _ take: (JSONValue) async throws -> Void) async throws {
        var cursor: String?
        repeat {
            let separator = path.contains("?") ? "&" : "?"
            let page = try await patiently {
                try await get(path + "\(separator)limit=1000" + (cursor.map { "&cursor=\($0)" } ?? ""))
            }
            for item in page["items"]?.array ?? [] { try await take(item) }
            cursor = page["next"]?.string
        } while cursor != nil
    }

    /// Tries again what failed for a while only: honours `Retry-After`, and waits longer each time elsewhere.
    ///
    /// - Parameters:
    ///   - attempts: How often in all, 1 or more.
    ///   - failed: Told of each failure that is tried again.
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

    private func request(_ path: String) throws -> URLRequest {
        guard let url = URL(string: base + path), url.scheme?.hasPrefix("http") == true else {
            throw Failure("The address \(base) is not well-formed.", hint: "It looks like http://127.0.0.1:8080.")
        }
        var request = URLRequest(url: url)
        request.timeoutInterval = 120
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        // URLSession asks for compressed answers otherwise, which costs more than it saves beside the server.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return request
    }

    private func send(_ request: URLRequest) async throws -> [UInt8] {
        let (data, response): (Data, URLResponse)
        do {
            // A request that is cancelled may never come back from the library; without that it ends by its time limit.
            (data, response) = try await Task { try await URLSession.shared.data(for: request) }.value
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw Unreachable(reason: (error as? URLError).map { "error \($0.code.rawValue)" } ?? "no answer")
        }
        let bytes = [UInt8](data)
        guard let answer = response as? HTTPURLResponse else { throw Unreachable(reason: "no HTTP answer") }
        guard (200..<300).contains(answer.statusCode) else {
            let problem = try? JSONValue(parsing: bytes)
            throw Refused(
                status: answer.statusCode,
                code: problem?["code"]?.string,
                detail: problem?["detail"]?.string ?? problem?["title"]?.string,
                retryAfterSeconds: answer.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) },
                isRetryable: problem?["retryable"]?.bool ?? (answer.statusCode == 503)
            )
        }
        return bytes
    }
}

extension Failure {
    /// What went wrong with a request, in words for people.
    init(_ refused: APIClient.Refused) {
        self.init(
            "The API refused: \(refused.code ?? "status \(refused.status)"). \(refused.detail ?? "")",
            hint: refused.status == 401
                ? "Make a key with `daybook keys create`; --scopes says what it may do."
                : refused.code == "insufficient-scope"
                    ? "`daybook keys create --scopes ...` makes a key that may." : nil
        )
    }

    init(_ unreachable: APIClient.Unreachable, at base: String) {
        self.init(
            "There is no answer from \(base) (\(unreachable.reason)).",
            hint: "Is `daybook serve` running there?"
        )
    }
}

/// An amount of the API for people: `13.40 USD`.
struct MoneyText {
    let text: String

    init(_ value: Int64, _ currency: String) {
        text = Currency(alpha: currency).map { Money(value, $0).description } ?? "\(value) \(currency)"
    }
}
