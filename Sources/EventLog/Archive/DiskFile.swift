import Dispatch

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Blocking file operations, run outside Swift's cooperative pool.
enum Disk {
    private static let queue = DispatchQueue(label: "daybook.archive", attributes: .concurrent)

    /// The id of this process.
    static var process: Int32 { getpid() }

    static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }

    static func makeDirectory(_ path: String) throws(DiskError) {
        guard mkdir(path, 0o750) != 0, errno != EEXIST else { return }
        // Its parent may be missing as well.
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { throw DiskError() }
        try makeDirectory(String(path[..<slash]))
        guard mkdir(path, 0o750) == 0 || errno == EEXIST else { throw DiskError() }
    }

    static func rename(_ path: String, to other: String) throws(DiskError) {
        #if canImport(Darwin)
        guard Darwin.rename(path, other) == 0 else { throw DiskError() }
        #else
        guard Glibc.rename(path, other) == 0 else { throw DiskError() }
        #endif
    }

    /// Makes the file names in a directory durable.
    static func synchronizeDirectory(_ path: String) throws(DiskError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw DiskError() }
    }
}

/// The system's error number at the time the error is created.
struct DiskError: Error, Hashable {
    let number: Int32

    init() { number = errno }

    var isMissing: Bool { number == ENOENT }
}

/// An open file. Every call may block.
final class DiskFile: Sendable {
    /// Differs after every change of the file, and for another file under the same name.
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let changedSeconds: Int
        let changedNanoseconds: Int
    }

    private let descriptor: Int32

    init(reading path: String) throws(DiskError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError() }
    }

    /// Creates the file, or empties it.
    init(creating path: String) throws(DiskError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw DiskError() }
    }

    deinit { close(descriptor) }

    func identity() throws(DiskError) -> Identity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError() }
        #if canImport(Darwin)
        let changed = status.st_ctimespec
        #else
        let changed = status.st_ctim
        #endif
        return Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            changedSeconds: changed.tv_sec,
            changedNanoseconds: changed.tv_nsec
        )
    }

    /// Up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(DiskError) -> [UInt8] {
        var failure: DiskError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = 0
            while filled < count {
                let got = pread(
                    descriptor,
                    buffer.baseAddress?.advanced(by: filled),
                    count - filled,
                    off_t(offset + Int64(filled))
                )
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    failure = DiskError()
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws(DiskError) {
        var failure: DiskError?
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                #if canImport(Darwin)
                let count = Darwin.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                #else
                let count = Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                #endif
                if count >= 0 {
                    written += count
                } else if errno != EINTR {
                    failure = DiskError()
                    return
                }
            }
        }
        if let failure { throw failure }
    }

    /// Makes what was written durable, and drops it from the page cache so that later reads come from the disk.
    func synchronize() throws(DiskError) {
        guard fsync(descriptor) == 0 else { throw DiskError() }
        #if canImport(Glibc)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }
}
