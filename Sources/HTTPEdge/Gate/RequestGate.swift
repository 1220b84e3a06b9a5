import HTTPTypes

/// Parses the bytes of one connection into requests, or refuses them.
///
/// A value without I/O: the same bytes give the same events however they are divided, because every decision is made on
/// a complete line or on a byte count, never on what happened to arrive together. It accepts a strict subset of RFC
/// 9112 in which there is one way to read a message, so that no intermediary can read it differently. It replaces a
/// lenient decoder and is not put in front of one, because two parsers in series could disagree.
package struct RequestGate: Sendable {
    /// The sizes above which a request is refused.
    package struct Limits: Sendable, Hashable {
        /// The request line with its line ending, in bytes; beyond it 414.
        package var requestLineBytes = 8 * 1024
        /// All header (or trailer) fields with their line endings, in bytes; beyond it 431.
        package var headerBytes = 16 * 1024
        /// The number of header (or trailer) fields; beyond it 431.
        package var fieldCount = 100

        package init() {}
    }

    /// The meaning of the bytes consumed.
    package enum Event: Sendable, Hashable {
        /// A complete header section.
        case head(RequestHead)
        /// The last `count` bytes consumed are part of the body.
        case body(count: Int)
        /// The request is complete.
        case end
        /// The request is refused: send this answer and close. Everything after it is discarded.
        case refused(GateRefusal)
    }

    private enum State: Sendable {
        case requestLine
        case fields(RequestHead.Line)
        case content(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case complete
        case refused
    }

    private let limits: Limits
    private var state = State.requestLine
    private var line: [UInt8] = []
    private var fields = HTTPFields()
    private var fieldCount = 0
    private var sectionBytes = 0
    private var hasSkippedBlankLine = false

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether no byte of the next request has arrived.
    package var isBetweenRequests: Bool {
        if case .requestLine = state { line.isEmpty && !hasSkippedBlankLine } else { false }
    }

    /// Whether a header section has begun but is not complete.
    package var isInsideHead: Bool {
        switch state {
        case .requestLine: !isBetweenRequests
        case .fields: true
        default: false
        }
    }

    /// Consumes some of `bytes`, up to the next event. Call it again with the rest until everything is consumed and no
    /// event is returned; an `end` may be returned without consuming a byte.
    package mutating func advance(over bytes: UnsafeRawBufferPointer) -> (consumed: Int, event: Event?) {
        do throws(GateRefusal) {
            return try step(bytes)
        } catch {
            state = .refused
            line = []
            return (bytes.count, .refused(error))
        }
    }

    private mutating func step(_ bytes: UnsafeRawBufferPointer) throws(GateRefusal) -> (consumed: Int, event: Event?) {
        switch state {
        case .complete:
            state = .requestLine
            return (0, .end)
        case .refused:
            return (bytes.count, nil)
        case .content(let remaining):
            let count = min(remaining, bytes.count)
            guard count > 0 else { return (0, nil) }
            state = count == remaining ? .complete : .content(remaining: remaining - count)
            return (count, .body(count: count))
        case .chunk(let remaining):
            let count = min(remaining, bytes.count)
            guard count > 0 else { return (0, nil) }
            state = count == remaining ? .chunkEnd : .chunk(remaining: remaining - count)
            return (count, .body(count: count))
        case .requestLine:
            let (consumed, whole) = try takeLine(bytes, limit: limits.requestLineBytes, beyond: .requestLineTooLong)
            return (consumed, try whole.flatMap { bytes throws(GateRefusal) in try requestLine(bytes) })
        case .fields, .trailers:
            let room = limits.headerBytes - sectionBytes
            let (consumed, whole) = try takeLine(bytes, limit: room, beyond: .headerTooLarge)
            return (consumed, try whole.flatMap { bytes throws(GateRefusal) in try field(bytes) })
        case .chunkSize:
            // 15 hexadecimal digits and the line ending. Chunk extensions are refused: they are not needed, and parsers
            // have disagreed on how to skip them.
            let (consumed, whole) = try takeLine(bytes, limit: 17, beyond: .chunkMalformed)
            if let whole { try chunkSize(whole) }
            return (consumed, nil)
        case .chunkEnd:
            let (consumed, whole) = try takeLine(bytes, limit: 2, beyond: .chunkMalformed)
            if let whole {
                guard whole.isEmpty else { throw .chunkMalformed }
                state = .chunkSize
            }
            return (consumed, nil)
        }
    }

    /// Collects a line of at most `limit` bytes, its CR LF included; nil while it is incomplete.
    private mutating func takeLine(
        _ bytes: UnsafeRawBufferPointer,
        limit: Int,
        beyond refusal: GateRefusal
    ) throws(GateRefusal) -> (consumed: Int, line: [UInt8]?) {
        let window = bytes.prefix(max(0, limit - line.count))
        guard let end = window.firstIndex(of: 0x0A) else {
            line.append(contentsOf: window)
            if line.count >= limit { throw refusal }
            return (window.count, nil)
        }
        line.append(contentsOf: window[..<end])
        guard line.popLast() == 0x0D else { throw .controlByte }
        guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { throw .controlByte }
        let whole = line
        line.removeAll(keepingCapacity: true)
        return (end + 1, whole)
    }

    private mutating func requestLine(_ bytes: [UInt8]) throws(GateRefusal) -> Event? {
        if bytes.isEmpty {
            // RFC 9112 section 2.2 allows one empty line before a request; more are refused.
            guard !hasSkippedBlankLine else { throw .malformedRequestLine }
            hasSkippedBlankLine = true
            return nil
        }
        hasSkippedBlankLine = false
        state = .fields(try RequestHead.line(bytes))
        fields = HTTPFields()
        fieldCount = 0
        sectionBytes = 0
        return nil
    }

    private mutating func field(_ bytes: [UInt8]) throws(GateRefusal) -> Event? {
        guard !bytes.isEmpty else { return try sectionEnd() }
        sectionBytes += bytes.count + 2
        fieldCount += 1
        guard fieldCount <= limits.fieldCount else { throw .tooManyFields }
        let field = try RequestHead.field(bytes)
        // Trailer fields are checked and dropped: nothing here reads them, and merging them has been used for attacks.
        if case .fields = state { fields.append(field) }
        return nil
    }

    private mutating func sectionEnd() throws(GateRefusal) -> Event? {
        guard case .fields(let line) = state else {
            state = .requestLine
            return .end
        }
        let head = try RequestHead(line: line, fields: fields)
        fields = HTTPFields()
        switch head.framing {
        case .none: state = .complete
        case .length(let count): state = .content(remaining: count)
        case .chunked: state = .chunkSize
        }
        return .head(head)
    }

    private mutating func chunkSize(_ digits: [UInt8]) throws(GateRefusal) {
        guard !digits.isEmpty else { throw .chunkMalformed }
        var size = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): size = size << 4 | Int(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): size = size << 4 | Int(digit - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): size = size << 4 | Int(digit - UInt8(ascii: "A") + 10)
            default: throw .chunkMalformed
            }
        }
        if size == 0 {
            state = .trailers
            fieldCount = 0
            sectionBytes = 0
        } else {
            state = .chunk(remaining: size)
        }
    }
}
