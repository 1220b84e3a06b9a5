import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

package struct GatewayTimeouts: Sendable, Hashable {
    /// Until the connection is made, TLS included. All limits are in milliseconds.
    package var connectMilliseconds: Int64
    /// Between two bytes of the answer, and before the first.
    package var readMilliseconds: Int64
    /// For the whole call, from the name lookup to the last byte; it also ends an answer that arrives very slowly. Not
    /// less than each of the others, so that a sent request can be answered.
    package var totalMilliseconds: Int64

    package init(
        connectMilliseconds: Int64 = 10_000,
        readMilliseconds: Int64 = 60_000,
        totalMilliseconds: Int64 = 90_000
    ) {
        self.connectMilliseconds = connectMilliseconds
        self.readMilliseconds = readMilliseconds
        self.totalMilliseconds = totalMilliseconds
    }
}

/// Sends requests with async-http-client, each over a new connection.
///
/// The gateway may close a kept connection at the moment it is used again; then it is unknown whether the request was
/// read. Calls to gateways are few and each may move money, so none of them shares a connection. The client never
/// repeats a request: redirects are off, and so is HTTP/2, whose connections the server may close. Its retries concern
/// only the making of connections; they are off as well, so that a refused connection is reported at once.
///
/// The error does not decide whether something was sent: the client requests the body only when there is a connection
/// to write it to, and the transport notes when it does. A gateway cannot act on a request without its body.
struct HTTPTransport: WireTransport {
    let endpoint: GatewayEndpoint
    let egress: EgressPolicy
    let timeouts: GatewayTimeouts
    let resolver: any NameResolver
    /// The maximum number of bytes read of an answer.
    let answerLimitBytes: Int
    /// PEM file with the trusted certificates, replacing the system's; nil for the system's.
    let trustRootsFile: String?

    init(
        endpoint: GatewayEndpoint,
        egress: EgressPolicy,
        timeouts: GatewayTimeouts = .init(),
        resolver: any NameResolver = SystemResolver(),
        answerLimitBytes: Int = 1 << 20,
        trustRootsFile: String? = nil
    ) {
        self.endpoint = endpoint
        self.egress = egress
        self.timeouts = timeouts
        self.resolver = resolver
        self.answerLimitBytes = answerLimitBytes
        self.trustRootsFile = trustRootsFile
    }

    private static let mostAddresses = 3

    var longestMilliseconds: Int64 { timeouts.totalMilliseconds }

    func send(_ request: WireRequest, by deadline: ContinuousClock.Instant) async -> WireOutcome {
        let deadline = min(deadline, .now.advanced(by: .milliseconds(timeouts.totalMilliseconds)))
        // A name lookup that hangs delays the caller, not the gateway: nothing is sent after it.
        let found = await resolver.addresses(of: endpoint.host)
        guard !found.isEmpty else {
            return .notSent(GatewayFailure(.nameNotResolved, "The gateway's name leads to no address."))
        }
        let permitted = found.filter(egress.permits)
        guard !permitted.isEmpty else {
            return .notSent(
                GatewayFailure(.addressRefused, "The gateway's name leads to an address that may not be called.")
            )
        }
        var outcome = WireOutcome.notSent(GatewayFailure(.notConnected, "No connection came about."))
        for address in permitted.prefix(Self.mostAddresses) {
            outcome = await send(request, to: address, by: deadline)
            // Another address belongs to the same attempt only if no connection was made.
            guard case .notSent(let failure) = outcome, [.notConnected, .connectTimeout].contains(failure.code) else {
                break
            }
        }
        return outcome
    }

    static let late = GatewayFailure(.waitedTooLong, "There is no time left for an answer.")

    private func send(
        _ request: WireRequest,
        to address: NetworkAddress,
        by deadline: ContinuousClock.Instant
    ) async -> WireOutcome {
        // A gateway may still be processing a request sent after this time when the call ends.
        let latest = deadline.advanced(by: .milliseconds(-timeouts.readMilliseconds))
        guard ContinuousClock.now <= latest else { return .notSent(Self.late) }
        let client = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            configuration: configuration(for: address)
        )
        let body = request.body.map { BodyOnce($0, until: latest) }
        let outcome: WireOutcome
        do {
            let response = try await withDeadline(deadline) { try await exchange(request, body, client, deadline) }
            outcome = .response(response)
        } catch {
            outcome = Self.outcome(of: error, wasSent: body?.wasTaken)
        }
        // Fails only if the client is already shut down.
        try? await client.shutdown()
        return outcome
    }

    private func configuration(for address: NetworkAddress) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.certificateVerification = .fullVerification
        if let trustRootsFile { tls.trustRoots = .file(trustRootsFile) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: .milliseconds(timeouts.connectMilliseconds),
                read: .milliseconds(timeouts.readMilliseconds)
            ),
            proxy: nil,
            ignoreUncleanSSLShutdown: false,
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        configuration.maximumUsesPerConnection = 1
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
        // Connects to the checked address; the certificate is still verified for the name.
        configuration.dnsOverride = [endpoint.host: address.text]
        return configuration
    }

    private func exchange(
        _ request: WireRequest,
        _ body: BodyOnce?,
        _ client: HTTPClient,
        _ deadline: ContinuousClock.Instant
    ) async throws -> WireResponse {
        var message = HTTPClientRequest(url: endpoint.url(request))
        message.method = request.method == .get ? .GET : .POST
        for header in request.headers { message.headers.add(name: header.name, value: header.value) }
        message.headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        message.headers.replaceOrAdd(name: "User-Agent", value: "daybook")
        if let body { message.body = .stream(body, length: .known(Int64(body.count))) }
        let response = try await client.execute(
            message,
            deadline: .now() + TimeAmount(ContinuousClock.now.duration(to: deadline))
        )
        if let coding = response.headers.first(name: "Content-Encoding"), coding.lowercased() != "identity" {
            throw GatewayFailure(.malformed, "The answer is compressed, which was not requested.")
        }
        if let reported = response.headers.first(name: "Content-Length").flatMap(Int.init), reported > answerLimitBytes
        {
            throw Self.oversized
        }
        var bytes: [UInt8] = []
        for try await part in response.body {
            guard bytes.count + part.readableBytes <= answerLimitBytes else { throw Self.oversized }
            bytes.append(contentsOf: part.readableBytesView)
        }
        let type = response.headers.first(name: "Content-Type")?.split(separator: ";").first
        return WireResponse(status: Int(response.status.code), contentType: type.map { $0.lowercased() }, body: bytes)
    }

    private static let oversized = GatewayFailure(.oversized, "The answer is longer than any answer is.")

    /// The client's own deadline covers only the head of the answer.
    private func withDeadline(
        _ deadline: ContinuousClock.Instant,
        _ exchange: @escaping @Sendable () async throws -> WireResponse
    ) async throws -> WireResponse {
        try await withThrowingTaskGroup(of: WireResponse.self) { group in
            group.addTask { try await exchange() }
            group.addTask {
                try await Task.sleep(until: deadline, clock: .continuous)
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw HTTPClientError.cancelled }
            return response
        }
    }

    // MARK: Errors

    /// - Parameter wasSent: Whether the body was passed to a connection; nil without a body, when the error decides.
    private static func outcome(of error: any Error, wasSent: Bool?) -> WireOutcome {
        let failure = failure(of: error)
        if let wasSent { return wasSent ? .unanswered(failure) : .notSent(failure) }
        switch failure.code {
        case .notConnected, .connectTimeout, .tlsFailed: return .notSent(failure)
        default: return .unanswered(failure)
        }
    }

    private static func failure(of error: any Error) -> GatewayFailure {
        switch error {
        case let failure as GatewayFailure: return failure
        case is CancellationError: return GatewayFailure(.cancelled, "The call was called off.")
        case is NIOConnectionError, is NIOCore.IOError, is ChannelError: return failure(ofConnection: error)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            return GatewayFailure(.tlsFailed, "No trusted connection came about.")
        case let error as HTTPClientError: return failure(of: error)
        default: return GatewayFailure(.connectionLost, "The connection was lost, or the answer is not HTTP.")
        }
    }

    private static func failure(ofConnection error: any Error) -> GatewayFailure {
        if case ChannelError.connectTimeout? = error as? ChannelError {
            return GatewayFailure(.connectTimeout, "No connection came about in time.")
        }
        if error is NIOConnectionError { return GatewayFailure(.notConnected, "No connection came about.") }
        if let error = error as? NIOCore.IOError, [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode) {
            return GatewayFailure(.notConnected, "No connection came about.")
        }
        return GatewayFailure(.connectionLost, "The connection was lost.")
    }

    private static func failure(of error: HTTPClientError) -> GatewayFailure {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout:
            GatewayFailure(.connectTimeout, "No connection came about in time.")
        case .tlsHandshakeTimeout: GatewayFailure(.tlsFailed, "No trusted connection came about in time.")
        case .readTimeout, .deadlineExceeded: GatewayFailure(.readTimeout, "No answer came in time.")
        case .cancelled: GatewayFailure(.cancelled, "The call was called off.")
        default: GatewayFailure(.connectionLost, "The connection was lost, or the answer is not HTTP.")
        }
    }
}

/// A body that notes when it is taken, and is not provided too late.
final class BodyOnce: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let bytes: [UInt8]
    private let latest: ContinuousClock.Instant
    private let taken = Atomic(false)

    init(_ bytes: [UInt8], until latest: ContinuousClock.Instant) {
        self.bytes = bytes
        self.latest = latest
    }

    var count: Int { bytes.count }

    /// True once a connection has requested it.
    var wasTaken: Bool { taken.load(ordering: .sequentiallyConsistent) }

    struct AsyncIterator: AsyncIteratorProtocol {
        let body: BodyOnce
        var isDone = false

        mutating func next() async throws -> ByteBuffer? {
            guard !isDone else { return nil }
            isDone = true
            guard ContinuousClock.now <= body.latest else { throw HTTPTransport.late }
            body.taken.store(true, ordering: .sequentiallyConsistent)
            return ByteBuffer(bytes: body.bytes)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }
}
