import Foundation
import Synchronization

#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

/// A private directory of this process, with a path short enough for sockets.
package struct TemporaryDirectory: Sendable {
    package let path: String

    /// - Parameters:
    ///   - parent: The directory in which it is made.
    ///   - mode: Applies whatever the umask; 0711 lets other accounts traverse it, as a server's account must.
    package init(prefix: String = "dbk", in parent: String = "/tmp", mode: mode_t = 0o711) throws {
        var template = Array("\(parent)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestKitError("mkdtemp: \(String(cString: strerror(errno)))") }
        path = template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        guard chmod(path, mode) == 0 else { throw TestKitError("chmod: \(String(cString: strerror(errno)))") }
    }

    private static let ofProcess = Mutex<[String]>([])

    /// A directory that several tests share, removed when this process exits.
    package static func shared(prefix: String) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory(prefix: prefix)
        let isFirst = ofProcess.withLock { paths in
            paths.append(directory.path)
            return paths.count == 1
        }
        if isFirst {
            atexit {
                for path in TemporaryDirectory.ofProcess.withLock({ $0 }) {
                    try? FileManager.default.removeItem(atPath: path)
                }
            }
        }
        return directory
    }

    /// `/dev/shm` if at least 4 GiB are free there, otherwise `/tmp`.
    package static var inMemory: String {
        var status = statvfs()
        let path = "/dev/shm"
        guard statvfs(path, &status) == 0, access(path, W_OK) == 0,
            UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 4 << 30
        else { return "/tmp" }
        return path
    }

    /// Removes it with everything in it.
    package func remove() async throws {
        let result = try await ChildProgram.run("/bin/rm", ["-rf", "--", path])
        guard result.succeeded else { throw TestKitError("rm \(path): \(result.standardError)") }
    }
}

/// Makes a directory, runs the body in it, and removes it in any case.
package func withTemporaryDirectory<Result>(
    prefix: String = "dbk",
    mode: mode_t = 0o711,
    _ body: (String) async throws -> Result
) async throws -> Result {
    let directory = try TemporaryDirectory(prefix: prefix, mode: mode)
    do {
        let result = try await body(directory.path)
        try await directory.remove()
        return result
    } catch {
        // The body's own failure is the one to report.
        try? await directory.remove()
        throw error
    }
}

/// Something a test needs could not be set up.
package struct TestKitError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
