import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes a file as a whole or not at all: it gets its name when everything is on the disk.
package struct OutputFile: Sendable {
    private let descriptor: FileDescriptor
    private let path: FilePath
    private let thread: FileThread

    private var partial: FilePath { FilePath(path.string + ".partial") }

    /// Makes a file, and gives it its name when `body` returns. A failed attempt leaves `PATH.partial`, which is
    /// removed.
    ///
    /// - Throws: `Errno`, and the errors of `body`.
    package static func with<Result>(
        _ path: String,
        _ body: (OutputFile) async throws -> Result
    ) async throws -> Result {
        let thread = FileThread()
        let file = try await thread.run {
            OutputFile(
                descriptor: try FileDescriptor.open(
                    FilePath(path + ".partial"),
                    .writeOnly,
                    options: [.create, .truncate],
                    permissions: [.ownerReadWrite]
                ),
                path: FilePath(path),
                thread: thread
            )
        }
        do {
            let result = try await body(file)
            try await thread.run { try file.finish() }
            return result
        } catch {
            await thread.run { file.abandon() }
            throw error
        }
    }

    /// The program's standard output, which is not renamed.
    package static var standardOutput: OutputFile {
        OutputFile(descriptor: .standardOutput, path: "/dev/stdout", thread: FileThread())
    }

    package func write(_ bytes: [UInt8]) async throws {
        try await thread.run { [descriptor] in _ = try descriptor.writeAll(bytes) }
    }
}

extension OutputFile {
    private func finish() throws {
        guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
        try descriptor.close()
        guard rename(partial.string, path.string) == 0 else { throw Errno(rawValue: errno) }
        // The name is durable when the directory is synchronised.
        let directory = path.removingLastComponent()
        let parent = try FileDescriptor.open(directory.isEmpty ? "." : directory, .readOnly)
        let isDone = fsync(parent.rawValue) == 0
        let reason = Errno(rawValue: errno)
        try parent.close()
        guard isDone else { throw reason }
    }

    private func abandon() {
        try? descriptor.close()
        unlink(partial.string)
    }
}
