import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads a file line by line, in bounded memory.
package struct LineFile: Sendable {
    private static let pieceBytes = 1 << 20
    /// The longest line accepted; no record is that long.
    package static let longestLine = 64 << 20

    package struct LineTooLong: Error {}

    private let descriptor: FileDescriptor
    private let thread: FileThread
    /// The size of the file in bytes.
    package let size: Int64

    /// Opens a file and closes it after `body`.
    ///
    /// - Throws: `Errno`, and the errors of `body`.
    package static func with<Result>(_ path: String, _ body: (LineFile) async throws -> Result) async throws -> Result {
        let thread = FileThread()
        let file = try await thread.run {
            let descriptor = try FileDescriptor.open(FilePath(path), .readOnly)
            let size = try descriptor.seek(offset: 0, from: .end)
            _ = try descriptor.seek(offset: 0, from: .start)
            return LineFile(descriptor: descriptor, thread: thread, size: size)
        }
        do {
            let result = try await body(file)
            await thread.run { try? file.descriptor.close() }
            return result
        } catch {
            await thread.run { try? file.descriptor.close() }
            throw error
        }
    }

    /// Passes on pieces of whole lines, from the beginning of the file.
    ///
    /// - Parameter body: Receives lines with their line feeds; only the last piece may end without one.
    package func pieces(_ body: ([UInt8], _ bytesRead: Int64) async throws -> Void) async throws {
        var rest: [UInt8] = []
        var offset: Int64 = 0
        while true {
            let position = offset
            let before = rest
            let (piece, count) = try await thread.run { [descriptor] in
                var piece = before
                let start = piece.count
                piece.append(contentsOf: repeatElement(0, count: Self.pieceBytes))
                let count = try piece.withUnsafeMutableBytes { bytes in
                    try descriptor.read(
                        fromAbsoluteOffset: position,
                        into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                    )
                }
                piece.removeLast(Self.pieceBytes - count)
                return (piece, count)
            }
            offset += Int64(count)
            if count == 0 {
                if !piece.isEmpty { try await body(piece, offset) }
                return
            }
            guard let end = piece.lastIndex(of: UInt8(ascii: "\n")) else {
                guard piece.count <= Self.longestLine else { throw LineTooLong() }
                rest = piece
                continue
            }
            rest = Array(piece[(end + 1)...])
            try await body(Array(piece[...end]), offset)
        }
    }
}

extension [UInt8] {
    /// Calls `body` with each line, without its line feed, and whether it ended with one.
    package func forEachLine<Failure: Error>(
        _ body: (UnsafeBufferPointer<UInt8>, _ isEnded: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            var start = 0
            while start < bytes.count, failure == nil {
                let found = memchr(base + start, 0x0A, bytes.count - start)
                let end = found.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) } ?? bytes.count
                do throws(Failure) {
                    try body(UnsafeBufferPointer(rebasing: bytes[start..<end]), found != nil)
                } catch {
                    failure = error
                }
                start = end + 1
            }
        }
        if let failure { throw failure }
    }
}
