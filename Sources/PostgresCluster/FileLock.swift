#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An advisory `flock` on a file, held for the lifetime of the value. The kernel releases it when the process dies in
/// any way, so there is never a stale one. Lock files stay empty and are never removed.
struct FileLock: ~Copyable, Sendable {
    enum Mode: Sendable {
        case shared
        case exclusive
    }

    private let descriptor: CInt

    deinit {
        // Closing alone is not enough: a child that another thread is starting at this moment holds a copy of the
        // descriptor, and with it the lock, until it executes its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Acquires the lock if no other holder conflicts.
    ///
    /// - Throws: `PostgresClusterError` with code `fileSystem` when the file cannot be used.
    static func tryAcquire(_ path: String, _ mode: Mode) throws(PostgresClusterError) -> FileLock? {
        while true {
            let descriptor = try PrivateFiles.openLockFile(path)
            let lock = FileLock(descriptor: descriptor)
            while flock(descriptor, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
                if errno == EINTR { continue }
                if errno == EWOULDBLOCK { return nil }
                throw PrivateFiles.error("lock", path)
            }
            // The whole directory may have been removed between opening and locking; other processes would then lock
            // another file of the same name.
            if PrivateFiles.isSameFile(descriptor, path) { return lock }
        }
    }

    /// Acquires the lock, waiting for other holders without blocking a thread.
    ///
    /// - Throws: `PostgresClusterError` with code `lockTimedOut` or `fileSystem`; `CancellationError`.
    static func acquire(_ path: String, _ mode: Mode, timeout: Duration) async throws -> FileLock {
        var backOff = BackOff(limit: timeout)
        while true {
            if let lock = try tryAcquire(path, mode) { return lock }
            guard try await backOff.wait() else { break }
        }
        let holders = holders(of: path)
        throw PostgresClusterError(
            .lockTimedOut,
            "Another process held \(path) for longer than \(timeout)\(describe(holders))",
            hint: "Wait for it to finish, or end it, and try again."
        )
    }

    /// The processes that hold the lock, as far as the kernel shows them to this process.
    static func holders(of path: String) -> [Int] {
        guard let inode = PrivateFiles.inode(of: path), let table = PrivateFiles.text(of: "/proc/locks") else {
            return []
        }
        // Example: "12: FLOCK  ADVISORY  WRITE 4711 fe:00:123456 0 EOF"
        let holders = table.split(whereSeparator: \.isNewline).compactMap { line -> Int? in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 6, fields[1] == "FLOCK", fields[5].split(separator: ":").last == "\(inode)",
                let pid = Int(fields[4]), pid > 0
            else { return nil }
            return pid
        }
        return Set(holders).sorted()
    }

    static func describe(_ holders: [Int]) -> String {
        switch holders.count {
        case 0: ""
        case 1: " (process \(holders[0]))"
        default: " (processes \(holders.map(String.init).joined(separator: ", ")))"
        }
    }
}

/// Growing pauses up to a total time, for conditions the operating system has no event for.
struct BackOff: Sendable {
    private let deadline: ContinuousClock.Instant
    private var pause: Duration = .milliseconds(5)

    init(limit: Duration) {
        deadline = .now + limit
    }

    /// Pauses; returns false once the time is used up.
    ///
    /// - Throws: `CancellationError`.
    mutating func wait() async throws -> Bool {
        let now = ContinuousClock.now
        guard now < deadline else {
            try Task.checkCancellation()
            return false
        }
        try await Task.sleep(until: min(now + pause, deadline), clock: .continuous)
        pause = min(pause * 2, .milliseconds(200))
        return true
    }

    /// The remaining time, never negative.
    var remaining: Duration { max(.zero, deadline - .now) }
}
