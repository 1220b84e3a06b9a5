package import Canonical
import Dispatch
package import Simulator
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Passes one call at a time to the handler, and writes the new entries of the books before the call is answered.
package actor Bookkeeper {
    /// File operations block, so the actor runs on its own queue.
    private nonisolated let executor = QueueExecutor()
    private let clock: any WallClock
    private var handler: GatewayHandler
    private var file: FileDescriptor?
    /// The error of a failed write. After it all calls are refused, because the file may end within a line.
    private var failure: Errno?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - path: The file of the books, created if it does not exist; nil to keep the books in memory only.
    /// - Throws: `BooksProblem` if they cannot be opened or read, or if another process uses them.
    package init(options: GatewayOptions, path: String?, clock: any WallClock = SystemClock()) async throws {
        self.clock = clock
        handler = GatewayHandler(options: options)
        if let path { try open(FilePath(path)) }
    }

    deinit { if let file { Self.release(file) } }

    /// Releases the books for another process. All further calls are refused.
    package func close() {
        guard let file else { return }
        Self.release(file)
        self.file = nil
        failure = .badFileDescriptor
    }

    /// The lock is released explicitly: a child process that is being started has a copy of the file descriptor, and
    /// with it the lock.
    private static func release(_ file: FileDescriptor) {
        _ = flock(file.rawValue, LOCK_UN)
        try? file.close()
    }

    private func open(_ path: FilePath) throws {
        let file: FileDescriptor
        var bytes: [UInt8] = []
        do {
            file = try FileDescriptor.open(
                path,
                .readWrite,
                options: [.create, .append, .closeOnExec],
                permissions: [.ownerReadWrite]
            )
        } catch let error as Errno {
            throw BooksProblem(path: path.string, reason: "\(error)")
        }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            try? file.close()
            throw BooksProblem(path: path.string, reason: "another process keeps these books")
        }
        self.file = file
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw BooksProblem(path: path.string, reason: "it is no file")
        }
        do {
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = try piece.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
                bytes += piece[..<count]
            }
            // A line that was cut off when the writer ended was never answered.
            let whole = bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            if whole < bytes.count { try file.resize(to: Int64(whole)) }
            handler = GatewayHandler(options: handler.options, books: try GatewayBooks(ndjson: bytes))
        } catch let error as UnreadableBooks {
            throw BooksProblem(path: path.string, reason: "line \(error.line) is none of a gateway's books")
        } catch let error as Errno {
            throw BooksProblem(path: path.string, reason: "\(error)")
        }
    }

    /// Passes a call to the handler. On return its lines are in the file, but not yet on the disk: they survive the
    /// process, not the machine.
    ///
    /// - Throws: `Errno` if they cannot be written; then the result must not be reported.
    func take<Result: Sendable>(
        _ call: @Sendable (inout GatewayHandler, Timestamp) -> Result
    ) throws -> Result {
        if let failure { throw failure }
        let result = call(&handler, clock.now())
        let added = handler.takeAdded()
        if let file {
            var lines: [UInt8] = []
            for entry in added { try entry.append(to: &lines) }
            do {
                _ = try file.writeAll(lines)
            } catch let error as Errno {
                failure = error
                throw error
            }
        }
        return result
    }

    package func read<Result: Sendable>(_ body: @Sendable (GatewayBooks) throws -> Result) rethrows -> Result {
        try body(handler.books)
    }
}

/// The reason why books cannot be kept in a file.
package struct BooksProblem: Error, Hashable {
    package let path: String
    package let reason: String
}

/// Runs an actor's jobs on a dispatch queue.
private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "daybook.gateway-books")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
