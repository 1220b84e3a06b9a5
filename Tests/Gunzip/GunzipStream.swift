import CZlib

/// Reads the received part of a body in the gzip format.
package final class GunzipStream {
    package struct Failure: Error {
        package let code: Int32
    }

    private let stream: UnsafeMutablePointer<z_stream>
    /// Whether the end was read, and its length and checksum were right.
    package private(set) var isFinished = false

    package init() throws {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw Failure(code: code) }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// The meaning of the next bytes. Bytes after the end are a failure.
    package func read(_ bytes: [UInt8]) throws -> [UInt8] {
        var input = bytes
        var output: [UInt8] = []
        try input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            var piece = [UInt8](repeating: 0, count: 65_536)
            repeat {
                let count = try piece.withUnsafeMutableBufferPointer { piece in
                    stream.pointee.next_out = piece.baseAddress
                    stream.pointee.avail_out = UInt32(piece.count)
                    let code = inflate(stream, Z_SYNC_FLUSH)
                    guard code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END else { throw Failure(code: code) }
                    if code == Z_STREAM_END { isFinished = true }
                    return piece.count - Int(stream.pointee.avail_out)
                }
                output += piece.prefix(count)
            } while stream.pointee.avail_out == 0 && !isFinished
            guard stream.pointee.avail_in == 0 else { throw Failure(code: Z_DATA_ERROR) }
        }
        return output
    }

    /// A whole body.
    package static func read(whole bytes: [UInt8]) throws -> [UInt8] {
        let stream = try GunzipStream()
        let output = try stream.read(bytes)
        guard stream.isFinished else { throw Failure(code: Z_DATA_ERROR) }
        return output
    }
}
