import DaybookTestKit
import Foundation
import Synchronization

/// A proxy between the log writer and the server that removes the answer to one commit: to a COMMIT, or to a call of
/// the append function that is its own transaction. Blocking, on separate threads.
final class CommitProxy: Sendable {
    enum Fault: Sendable {
        /// The COMMIT is executed, and its answer never arrives.
        case answerLost
        /// The COMMIT never arrives.
        case requestLost
        /// The COMMIT is executed, and nothing more arrives on the connection, which stays open.
        case answerSwallowed
        /// The COMMIT never arrives, and the connection stays open.
        case requestSwallowed

        /// The outcome of the request, and of the answer.
        fileprivate var fates: (request: RecordOutcome, answer: RecordOutcome) {
            switch self {
            case .answerLost: (.pass, .hangUp)
            case .requestLost: (.hangUp, .hangUp)
            case .answerSwallowed: (.pass, .swallow)
            case .requestSwallowed: (.swallow, .pass)
            }
        }
    }

    fileprivate enum RecordOutcome: Int, Sendable {
        case pass, swallow, hangUp
    }

    /// The directory to connect to in place of the server's.
    let directory: String
    private let upstream: String
    private let listener: Int32
    private let state = Mutex<(fault: Fault?, sockets: [Int32])>((nil, []))

    /// True once the fault has happened.
    var isSpent: Bool { state.withLock { $0.fault == nil } }

    /// Applies `fault` to the next commit only.
    func arm(_ fault: Fault) { state.withLock { $0.fault = fault } }

    static func with<R>(upstreamDirectory: String, _ body: (CommitProxy) async throws -> R) async throws -> R {
        try await withTemporaryDirectory { directory in
            let proxy = try CommitProxy(directory, upstreamDirectory)
            Thread.detachNewThread { proxy.acceptAll() }
            defer { proxy.close() }
            return try await body(proxy)
        }
    }

    private init(_ directory: String, _ upstreamDirectory: String) throws {
        self.directory = directory
        upstream = "\(upstreamDirectory)/.s.PGSQL.5432"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = Self.withAddress("\(directory)/.s.PGSQL.5432") { bind(listener, $0, $1) }
        guard listener >= 0, bound == 0, listen(listener, 16) == 0 else { throw TestKitError("proxy: \(errno)") }
    }

    private func close() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        for socket in state.withLock({ $0.sockets }) { _ = shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            state.withLock { $0.sockets += [client, server] }
            guard Self.withAddress(upstream, { connect(server, $0, $1) }) == 0 else { return close() }
            let hangUp = { @Sendable in
                _ = shutdown(client, Int32(SHUT_RDWR))
                _ = shutdown(server, Int32(SHUT_RDWR))
            }
            let answers = AnswerOutcome()
            Thread.detachNewThread {
                var watch = CommitWatch()
                var recordOutcome = RecordOutcome.pass
                Self.pump(from: client, to: server) { bytes in
                    guard recordOutcome == .pass, watch.commits(bytes) else { return recordOutcome }
                    let fault = self.state.withLock { state in
                        defer { state.fault = nil }
                        return state.fault
                    }
                    guard let fault else { return .pass }
                    answers.become(fault.fates.answer)
                    // Anything after a swallowed request is swallowed too.
                    if fault.fates.request == .swallow { recordOutcome = .swallow }
                    return fault.fates.request
                }
                hangUp()
            }
            Thread.detachNewThread {
                Self.pump(from: server, to: client) { _ in answers.recordOutcome }
                hangUp()
            }
        }
    }

    /// Recognises commits in the bytes of the wire protocol.
    private struct CommitWatch {
        private var appendStatement: [UInt8]?
        private var isInTransaction = false

        mutating func commits(_ bytes: ArraySlice<UInt8>) -> Bool {
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains("BEGIN ISOLATION") { isInTransaction = true }
            // With its terminating zero, because BEGIN names the level READ COMMITTED.
            if text.contains("COMMIT\u{0}") {
                isInTransaction = false
                return true
            }
            if text.contains("ROLLBACK\u{0}") { isInTransaction = false }
            if bytes.first == UInt8(ascii: "P"), text.contains("ledger.append(") {
                appendStatement = Array(bytes.dropFirst(5).prefix { $0 != 0 })
            }
            // Bind: an unnamed portal, and the statement's name.
            guard bytes.first == UInt8(ascii: "B"), let appendStatement, !isInTransaction else { return false }
            return bytes.dropFirst(5).starts(with: [0] + appendStatement + [0])
        }
    }

    private final class AnswerOutcome: Sendable {
        private let current = Atomic(RecordOutcome.pass.rawValue)
        var recordOutcome: RecordOutcome {
            RecordOutcome(rawValue: current.load(ordering: .sequentiallyConsistent)) ?? .hangUp
        }
        func become(_ recordOutcome: RecordOutcome) {
            current.store(recordOutcome.rawValue, ordering: .sequentiallyConsistent)
        }
    }

    /// Forwards or swallows what arrives, as `recordOutcome` decides, until it or one side hangs up.
    private static func pump(
        from source: Int32,
        to target: Int32,
        recordOutcome: (ArraySlice<UInt8>) -> RecordOutcome
    ) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            switch recordOutcome(buffer[..<count]) {
            case .pass: break
            case .swallow: continue
            case .hangUp: return
            }
            var sent = 0
            while sent < count {
                let step = buffer[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard step > 0 else { return }
                sent += step
            }
        }
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
