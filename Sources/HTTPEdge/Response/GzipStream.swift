import CZlib

/// Compresses one body in the gzip format (RFC 1952). One task at a time.
final class GzipStream {
    /// zlib failed, which only happens when memory is short.
    struct Failure: Error {
        /// One of zlib's codes, such as `Z_MEM_ERROR`.
        let code: Int32
    }

    /// On the heap, because zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>

    /// One of 1...9; see docs/decisions/0030-compression.md.
    private static let level: Int32 = 3
    /// The largest window, plus 16 to select gzip's header and checksum.
    private static let windowBits: Int32 = 15 + 16
    private static let memoryLevel: Int32 = 8
    /// The number of bytes compressed before other tasks may run.
    private static let turnBytes = 64 * 1024
    private static let outputBytes = 16 * 1024

    init() throws(Failure) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = deflateInit2_(
            stream,
            Self.level,
            Z_DEFLATED,
            Self.windowBits,
            Self.memoryLevel,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard code == Z_OK else {
            stream.deallocate()
            throw Failure(code: code)
        }
        self.stream = stream
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses a piece so that its reader can decode all of it at once.
    func compress(_ piece: [UInt8]) throws(Failure) -> [UInt8] { try deflate(piece, Z_SYNC_FLUSH) }

    /// Ends the body. Nothing may be compressed after it.
    func finish() throws(Failure) -> [UInt8] { try deflate([], Z_FINISH) }

    /// Compresses a whole body. Lets other tasks run in between.
    static func compress(whole body: [UInt8]) async throws(Failure) -> [UInt8] {
        let stream = try GzipStream()
        var output: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: turnBytes) {
            output += try stream.deflate(Array(body[start..<min(start + turnBytes, body.count)]), Z_NO_FLUSH)
            await Task.yield()
        }
        return try output + stream.finish()
    }

    private func deflate(_ piece: [UInt8], _ flush: Int32) throws(Failure) -> [UInt8] {
        try piece.withUnsafeBufferPointer { input throws(Failure) -> [UInt8] in
            // zlib only reads from this address.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            defer { stream.pointee.next_in = nil }
            var output: [UInt8] = []
            var code = Z_OK
            repeat {
                output += [UInt8](unsafeUninitializedCapacity: Self.outputBytes) { buffer, count in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(Self.outputBytes)
                    code = CZlib.deflate(stream, flush)
                    count = Self.outputBytes - Int(stream.pointee.avail_out)
                }
                // `Z_BUF_ERROR`: the previous buffer was filled exactly, and nothing was left.
                guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw Failure(code: code) }
            } while stream.pointee.avail_out == 0
            return output
        }
    }
}
