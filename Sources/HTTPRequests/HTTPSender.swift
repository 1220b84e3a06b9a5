import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends requests to one server with async-http-client. Nothing is repeated or redirected, and no answer is compressed.
package struct HTTPSender: Sendable {
    package enum Connections: Sendable {
        /// Kept for further requests. The server may close one at the moment it is used again.
        case kept
        /// A new one for each request.
        case separate
    }

    package struct Limits: Sendable {
        /// The longest time until the whole answer has arrived.
        package var time: Duration
        /// The largest body of an answer; nil for any.
        package var answerBytes: Int?

        package init(time: Duration = .seconds(120), answerBytes: Int? = nil) {
            self.time = time
            self.answerBytes = answerBytes
        }
    }

    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(10), read: .seconds(120)),
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        configuration.networkFrameworkWaitForConnectivity = false
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        return HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            configuration: configuration
        )
    }()

    private let base: String
    private let connections: Connections
    private let limits: Limits

    /// - Parameter base: An address such as `http://127.0.0.1:8080`, without a slash at its end.
    package init(base: String, connections: Connections, limits: Limits = Limits()) {
        self.base = base
        self.connections = connections
        self.limits = limits
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Throws: `Unreachable`, `CancellationError`.
    package func send(_ request: HTTPRequest) async throws -> HTTPAnswer {
        let message = message(request)
        return try await withThrowingTaskGroup(of: HTTPAnswer?.self) { group in
            group.addTask { try await exchange(message) }
            group.addTask {
                try await Task.sleep(for: limits.time)
                return nil
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() ?? nil else {
                throw Unreachable(reason: "no whole answer within \(limits.time)")
            }
            return answer
        }
    }

    private func exchange(_ message: HTTPClientRequest) async throws -> HTTPAnswer {
        var body: [UInt8] = []
        do {
            let response = try await Self.client.execute(message, timeout: TimeAmount(limits.time))
            for try await part in response.body {
                body += part.readableBytesView
                if let most = limits.answerBytes, body.count > most {
                    throw Unreachable(reason: "the answer has more than \(most) bytes")
                }
            }
            let fields = Dictionary(
                response.headers.map { ($0.name.lowercased(), $0.value) },
                uniquingKeysWith: { "\($0), \($1)" }
            )
            return HTTPAnswer(status: Int(response.status.code), fields: fields, body: body)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            if let error = error as? Unreachable { throw error }
            throw Unreachable(reason: (error as? HTTPClientError)?.description ?? "\(type(of: error))", body: body)
        }
    }

    private func message(_ request: HTTPRequest) -> HTTPClientRequest {
        var message = HTTPClientRequest(url: base + request.target)
        message.method = HTTPMethod(rawValue: request.method)
        for field in request.fields { message.headers.add(name: field.name, value: field.value) }
        if connections == .separate { message.headers.add(name: "Connection", value: "close") }
        if !request.body.isEmpty { message.body = .bytes(request.body) }
        return message
    }
}
