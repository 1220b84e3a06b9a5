import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// A client that sends and receives raw bytes. Each call runs on a new thread, so that blocking calls block no others.
/// A call that would block for a minute fails, which only happens with a broken server.
package final class RawClient: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private let descriptor: Int32
    private let received = Mutex<[UInt8]>([])

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { _ = Glibc.close(descriptor) }

    package static func connect(port: Int, receiveBufferBytes: Int32? = nil) async throws -> RawClient {
        try await blocking {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
            let client = RawClient(descriptor: descriptor)
            if var size = receiveBufferBytes {
                setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
            var waitLimit = timeval(tv_sec: 60, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(descriptor, SOL_SOCKET, option, &waitLimit, socklen_t(MemoryLayout<timeval>.size))
            }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw Failure(description: "connect: \(errno)") }
            return client
        }
    }

    package func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) async throws {
        try await Self.blocking { [self] in
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { buffer in
                    Glibc.send(descriptor, buffer.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failure(description: "send: \(errno)") }
                sent += count
            }
        }
    }

    /// Sends text that may come too late: the server may have closed the connection.
    package func sendAnyway(_ text: String) async { try? await send(text) }

    package func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Everything up to the end of the connection.
    package func readToEnd() async throws -> String {
        while try await readMore() {}
        return String(decoding: take(received.withLock(\.count)), as: UTF8.self)
    }

    /// Whether the server has closed the connection without sending anything more.
    package func isClosed() async throws -> Bool {
        try await !readMore()
    }

    /// The next answer, with its body by Content-Length or chunks.
    package func readResponse(toHead: Bool = false) async throws -> RawResponse {
        let separator = Array("\r\n\r\n".utf8)
        let head = String(decoding: try await read(through: separator), as: UTF8.self)
        var response = try RawResponse(head: head)
        if toHead || response.status < 200 { return response }
        if response.fields["transfer-encoding"] == "chunked" {
            while let chunk = try await readChunk() { response.bytes += chunk }
        } else if let length = response.fields["content-length"].flatMap({ Int($0) }) {
            response.bytes = try await read(count: length)
        }
        return response
    }

    /// The next chunk of a chunked body; nil for the last one.
    package func readChunk() async throws -> [UInt8]? {
        let line = String(decoding: try await read(through: Array("\r\n".utf8)).dropLast(2), as: UTF8.self)
        guard let size = Int(line, radix: 16) else { throw Failure(description: "chunk \(line)") }
        let chunk = try await read(count: size + 2).dropLast(2)
        return size == 0 ? nil : Array(chunk)
    }

    /// The bytes up to and including a mark.
    package func read(through mark: [UInt8]) async throws -> [UInt8] {
        while true {
            let end: Int? = received.withLock { bytes in
                bytes.indices.dropLast(mark.count - 1).first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
            }
            if let end { return take(end) }
            guard try await readMore() else { throw Failure(description: "closed: \(rest)") }
        }
    }

    private func read(count: Int) async throws -> [UInt8] {
        while received.withLock({ $0.count < count }) {
            guard try await readMore() else { throw Failure(description: "closed: \(rest)") }
        }
        return take(count)
    }

    private var rest: String { received.withLock { String(decoding: $0, as: UTF8.self) } }

    private func take(_ count: Int) -> [UInt8] {
        received.withLock { bytes in
            defer { bytes.removeFirst(count) }
            return Array(bytes.prefix(count))
        }
    }

    private func readMore() async throws -> Bool {
        let bytes = try await Self.blocking { [descriptor] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Failure(description: "recv: \(errno)") }
            return Array(buffer.prefix(count))
        }
        received.withLock { $0 += bytes }
        return !bytes.isEmpty
    }

    private static func blocking<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
        }
    }
}

/// An answer as it was received.
package struct RawResponse: Sendable {
    package let status: Int
    /// By lower-case name.
    package let fields: [String: String]
    package var bytes: [UInt8] = []
    /// The body as text.
    package var body: String { String(decoding: bytes, as: UTF8.self) }

    package init(head: String) throws {
        var lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        guard let first = lines.first, let status = Int(first.split(separator: " ").dropFirst().first ?? "") else {
            throw RawClient.Failure(description: "not an answer: \(head)")
        }
        self.status = status
        lines.removeFirst()
        fields = Dictionary(
            lines.map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
            },
            uniquingKeysWith: { "\($0), \($1)" }
        )
    }
}
