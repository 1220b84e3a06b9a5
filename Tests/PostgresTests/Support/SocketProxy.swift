import DaybookTestKit
import Foundation
import Postgres
import Synchronization

/// A proxy between client and server on a Unix socket that misbehaves on demand. Blocking, on separate threads.
final class SocketProxy: Sendable {
    enum Fault: Sendable {
        case none
        /// Forwards a COMMIT, waits for its answer, and hangs up instead of forwarding the answer.
        case swallowCommitAnswer
        /// Hangs up instead of forwarding a COMMIT.
        case swallowCommit
        /// Accepts connections and never sends anything.
        case silent
    }

    private let upstream: String
    private let listener: Int32
    private let fault: Mutex<Fault>
    private let sockets = Mutex<[Int32]>([])

    /// The directory to use as `host`.
    let directory: String

    private init(directory: String, upstream: String, fault: Fault) throws {
        self.directory = directory
        self.upstream = upstream
        self.fault = Mutex(fault)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = Self.withAddress("\(directory)/.s.PGSQL.5432") { bind(listener, $0, $1) }
        guard listener >= 0, bound == 0, listen(listener, 16) == 0 else { throw TestKitError("proxy: \(errno)") }
    }

    static func with<R>(
        upstreamDirectory: String,
        fault: Fault,
        _ body: (SocketProxy) async throws -> R
    ) async throws -> R {
        try await withTemporaryDirectory { directory in
            let proxy = try SocketProxy(
                directory: directory,
                upstream: "\(upstreamDirectory)/.s.PGSQL.5432",
                fault: fault
            )
            Thread.detachNewThread { proxy.acceptAll() }
            defer { proxy.close() }
            return try await body(proxy)
        }
    }

    /// Returns once a client has connected.
    func waitForClient() async {
        await withCheckedContinuation { continuation in
            let isThere = arrival.withLock { arrival in
                if !arrival.isThere { arrival.waiting = continuation }
                return arrival.isThere
            }
            if isThere { continuation.resume() }
        }
    }

    private struct Arrival {
        var isThere = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let arrival = Mutex(Arrival())

    private func close() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        for socket in sockets.withLock({ $0 }) { _ = shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            sockets.withLock { $0.append(client) }
            let waiting = arrival.withLock { arrival in
                arrival.isThere = true
                defer { arrival.waiting = nil }
                return arrival.waiting
            }
            waiting?.resume()
            if case .silent = fault.withLock({ $0 }) { continue }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            guard Self.withAddress(upstream, { connect(server, $0, $1) }) == 0 else { return }
            sockets.withLock { $0.append(server) }
            let isCommitting = Atomic<Bool>(false)
            let shared = Pair(client: client, server: server, isCommitting: isCommitting)
            Thread.detachNewThread { self.pump(shared, toServer: true) }
            Thread.detachNewThread { self.pump(shared, toServer: false) }
        }
    }

    private final class Pair: Sendable {
        let client: Int32
        let server: Int32
        let isCommitting: Atomic<Bool>

        init(client: Int32, server: Int32, isCommitting: consuming Atomic<Bool>) {
            self.client = client
            self.server = server
            self.isCommitting = isCommitting
        }

        func hangUp() {
            _ = shutdown(client, Int32(SHUT_RDWR))
            _ = shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private func pump(_ pair: Pair, toServer: Bool) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(toServer ? pair.client : pair.server, &buffer, buffer.count, 0)
            guard count > 0 else { return pair.hangUp() }
            let fault = self.fault.withLock { $0 }
            if toServer, String(decoding: buffer[..<count], as: UTF8.self).contains("COMMIT\0") {
                if case .swallowCommit = fault { return pair.hangUp() }
                pair.isCommitting.store(true, ordering: .sequentiallyConsistent)
            }
            if !toServer, case .swallowCommitAnswer = fault, pair.isCommitting.load(ordering: .sequentiallyConsistent) {
                return pair.hangUp()
            }
            var sent = 0
            while sent < count {
                let step = buffer.withUnsafeBytes { bytes in
                    send(
                        toServer ? pair.server : pair.client,
                        bytes.baseAddress?.advanced(by: sent),
                        count - sent,
                        Int32(MSG_NOSIGNAL)
                    )
                }
                guard step > 0 else { return pair.hangUp() }
                sent += step
            }
        }
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { field in
            for (index, byte) in path.utf8.prefix(field.count - 1).enumerated() { field[index] = byte }
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
