#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The directory in which a witness keeps what it has cosigned. One process uses it at a time.
///
/// A file is replaced as a whole: the new contents are written under another name and synced, then the file is renamed
/// and the directory synced. So a crash leaves the old contents or the new ones.
package final class WitnessDirectory: Sendable {
    /// The directory or a file in it could not be used. In words.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package var description: String
    }

    package let path: String
    private let lock: CInt
    /// More than any note has.
    private static let mostBytes = 1 << 20

    /// Opens a directory, and creates it if it is missing.
    ///
    /// - Throws: `Failure`, also if another process uses it.
    package init(path: String) throws(Failure) {
        self.path = path
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.failure("create", path) }
        let file = path + "/lock"
        lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Self.failure("open", file) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let isUsed = errno == EWOULDBLOCK
            let failure = Self.failure("lock", file)
            close(lock)
            throw isUsed ? Failure(description: "another process uses \(path)") : failure
        }
    }

    deinit {
        // A program that is being started has a copy of the descriptor for a moment, and would keep the lock.
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// The contents of a file; nil if it is missing. Blocks.
    package func read(_ name: String) throws(Failure) -> [UInt8]? {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("open", file)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = systemRead(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("read", file) }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
            guard bytes.count <= Self.mostBytes else { throw Failure(description: "\(file) is too long") }
        }
    }

    /// Replaces the contents of a file. They are on disk when this returns. Blocks.
    package func write(_ bytes: [UInt8], to name: String) throws(Failure) {
        let file = "\(path)/\(name)"
        let new = file + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("create", new) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw Self.failure("write", new) }
            rest = rest.dropFirst(max(0, count))
        }
        guard fsync(descriptor) == 0 else { throw Self.failure("sync", new) }
        guard rename(new, file) == 0 else { throw Self.failure("replace", file) }
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw Self.failure("open", path) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw Self.failure("sync", path) }
    }

    private static func failure(_ action: String, _ path: String) -> Failure {
        Failure(description: "could not \(action) \(path): \(String(cString: strerror(errno)))")
    }
}

// Functions with the names of the methods above.
private let systemRead = read
private let systemWrite = write
