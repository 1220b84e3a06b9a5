package import NIOCore

/// Splits a stream of bytes into lines, and holds at most one line and one piece in memory.
package struct LineReader {
    /// One line. A line that is too long does not end the reading, so that the lines after it are still answered.
    package enum Line: Sendable, Hashable {
        case bytes([UInt8])
        case tooLong
    }

    private let lineLimit: Int
    private let read: () async throws -> ByteBuffer?
    private var piece = ByteBuffer()
    private var partial: [UInt8] = []
    private var isTooLong = false
    private var isAtEnd = false

    /// - Parameters:
    ///   - lineLimit: the largest number of bytes of a line without its end.
    ///   - read: returns the next piece; nil at the end.
    package init(lineLimit: Int, read: @escaping () async throws -> ByteBuffer?) {
        self.lineLimit = lineLimit
        self.read = read
    }

    /// The next line without its LF or CR LF; nil at the end. Empty lines are skipped, and the last line needs no line
    /// end.
    package mutating func next() async throws -> Line? {
        while true {
            if let end = piece.readableBytesView.firstIndex(of: 0x0A) {
                let line = complete(piece.readSlice(length: end - piece.readerIndex))
                piece.moveReaderIndex(forwardBy: 1)
                if let line { return line }
                continue
            }
            keep(piece.readSlice(length: piece.readableBytes))
            if isAtEnd { return complete(nil) }
            if let more = try await read() { piece = more } else { isAtEnd = true }
        }
    }

    private mutating func keep(_ slice: ByteBuffer?) {
        guard let slice, !isTooLong else { return }
        // The one byte beyond the limit may be the CR of the line end.
        guard partial.count + slice.readableBytes <= lineLimit + 1 else {
            isTooLong = true
            partial = []
            return
        }
        partial.append(contentsOf: slice.readableBytesView)
    }

    private mutating func complete(_ slice: ByteBuffer?) -> Line? {
        keep(slice)
        defer {
            partial = []
            isTooLong = false
        }
        if partial.last == 0x0D { partial.removeLast() }
        if isTooLong || partial.count > lineLimit { return .tooLong }
        return partial.isEmpty ? nil : .bytes(partial)
    }
}
