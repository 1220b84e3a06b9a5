import BenchReport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads a whole list over HTTP as lines, without keeping them, over a bare socket like `LoadGenerator`.
struct ListReading: Sendable {
    struct Outcome: Sendable {
        var lines = 0
        var bytes = 0
        var seconds = 0.0
    }

    var outcome: Outcome
    /// The peak memory of the service, in MiB.
    var memory: Int
    /// The peak memory while a tenth of the list was read.
    var memoryOfTenth: Int

    var row: BenchRow {
        let rate = Double(outcome.lines) / outcome.seconds
        let isConstant = memory <= memoryOfTenth + 16
        return BenchRow(
            line: "f",
            what: "export of \(Figure.grouped(outcome.lines)) transactions as NDJSON",
            figure: "\(Figure.rate(rate, "rows")); \(Int(Double(outcome.bytes) / outcome.seconds) >> 20) MiB/s",
            memory: "\(memory) MiB; \(memoryOfTenth) MiB for a tenth of them",
            target: "\(Figure.rate(50_000, "rows")): \(rate >= 50_000 ? "reached" : "missed"), "
                + "constant memory: \(isConstant ? "reached" : "missed")"
        )
    }

    /// Reads until the last chunk, or until this number of lines.
    static func run(_ port: Int, _ key: String, _ path: String, lines limit: Int = .max) throws -> Outcome {
        let descriptor = try connectedSocket(port)
        defer { close(descriptor) }
        let request = Array(
            """
            GET \(path) HTTP/1.1\r\nHost: bench\r\nAccept: application/x-ndjson\r\nAuthorization: Bearer \(key)\r\n\
            Connection: close\r\n\r\n
            """.utf8
        )
        guard send(descriptor, request, request.count, 0) == request.count else {
            throw LoadFailure("nothing was sent")
        }
        var reader = ChunkReader()
        var outcome = Outcome()
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        let start = LoadGenerator.now()
        while !reader.isAtEnd, reader.lines < limit {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { throw LoadFailure("a list ended before its last chunk") }
            try piece.withUnsafeBytes { try reader.take(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        outcome.lines = reader.lines
        outcome.bytes = reader.bytes
        outcome.seconds = Double(LoadGenerator.now() - start) / 1e6
        return outcome
    }
}

/// Parses a chunked answer and counts its lines.
private struct ChunkReader {
    private(set) var lines = 0
    private(set) var bytes = 0
    private(set) var isAtEnd = false
    private var head: [UInt8] = []
    private var isInBody = false
    /// The rest of the chunk; nil while its length is read.
    private var left: Int?
    private var digits: [UInt8] = []

    mutating func take(_ piece: UnsafeRawBufferPointer) throws {
        var position = 0
        while position < piece.count, !isAtEnd {
            if !isInBody {
                head.append(piece[position])
                position += 1
                if head.suffix(4).elementsEqual("\r\n\r\n".utf8) { try begin() }
            } else if let rest = left, rest > 0 {
                let part = UnsafeRawBufferPointer(rebasing: piece[position..<min(piece.count, position + rest)])
                count(part)
                position += part.count
                left = rest - part.count
            } else {
                // The line with the length, and the line end of the previous chunk.
                let byte = piece[position]
                position += 1
                if byte != 0x0A { digits.append(byte) } else { readLength() }
            }
        }
    }

    private mutating func begin() throws {
        isInBody = true
        let text = String(decoding: head, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200"), text.lowercased().contains("transfer-encoding: chunked") else {
            throw LoadFailure("a list was answered with \(text.prefix { $0 != "\r\n" })")
        }
    }

    private mutating func readLength() {
        defer { digits.removeAll(keepingCapacity: true) }
        let text = String(decoding: digits.filter { $0 != 0x0D }, as: UTF8.self)
        guard !text.isEmpty else { return }
        left = Int(text, radix: 16) ?? 0
        isAtEnd = left == 0
    }

    private mutating func count(_ part: UnsafeRawBufferPointer) {
        bytes += part.count
        guard let start = part.baseAddress else { return }
        var position = 0
        while position < part.count, let found = memchr(start + position, 0x0A, part.count - position) {
            lines += 1
            position = UnsafeRawPointer(found) - start + 1
        }
    }
}
