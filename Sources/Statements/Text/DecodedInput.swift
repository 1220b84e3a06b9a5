/// Converts the bytes of a file to UTF-8. The input is UTF-8 with or without a byte order mark, UTF-16 with one or,
/// from the first byte that cannot be UTF-8, Windows-1252, which includes Latin-1. ASCII is unchanged. Byte order marks
/// within the text, which occur where files were joined, are removed.
struct DecodedInput: Sendable {
    private enum Encoding {
        case utf8, windows1252, utf16(isBigEndian: Bool)
    }

    private var encoding: Encoding?
    /// Bytes of an incomplete mark or character.
    private var held: [UInt8] = []
    private var highSurrogate: UInt16?
    private var output: [UInt8] = []

    /// True once a byte was found that is not UTF-8.
    private(set) var isWindows1252 = false
    /// The number of bytes read.
    private(set) var count = 0

    /// Passes on what can be decoded so far.
    ///
    /// - Throws: `.badEncoding` for bytes that are not text, and the errors of `body`.
    mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        count += bytes.count
        if encoding == nil {
            held += bytes
            guard held.count >= 3 else { return }
            let start = begin()
            let rest = held[start...]
            held = []
            return try decode(rest, body)
        }
        if held.isEmpty { return try decode(bytes, body) }
        let joined = held + bytes
        held = []
        try decode(joined[...], body)
    }

    /// Passes on the rest.
    ///
    /// - Throws: As `read` does; `.truncated` for half a character of UTF-16.
    mutating func finish(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
        if encoding == nil {
            let start = begin()
            let rest = held[start...]
            held = []
            try decode(rest, body)
        }
        guard !held.isEmpty || highSurrogate != nil else { return }
        if case .utf16 = encoding {
            throw StatementProblem(.truncated, line: 0, "The file ends within a character of UTF-16.")
        }
        // The incomplete UTF-8 character at the end is not one.
        let rest = held
        held = []
        encoding = .windows1252
        isWindows1252 = true
        try decode(rest[...], body)
    }

    /// The byte order mark in UTF-8.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Selects the encoding by the mark; returns the mark's length in bytes.
    private mutating func begin() -> Int {
        if held.starts(with: Self.mark) {
            encoding = .utf8
            return 3
        }
        if held.starts(with: [0xFF, 0xFE]) || held.starts(with: [0xFE, 0xFF]) {
            encoding = .utf16(isBigEndian: held[0] == 0xFE)
            return 2
        }
        encoding = .utf8
        return 0
    }

    private mutating func decode(_ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        switch encoding {
        case .utf16(let isBigEndian):
            output.removeAll(keepingCapacity: true)
            try decodeUTF16(bytes, isBigEndian: isBigEndian)
            if !output.isEmpty { try body(output[...]) }
        case .windows1252:
            output.removeAll(keepingCapacity: true)
            for byte in bytes { Self.append(windows1252: byte, to: &output) }
            try Self.refuseNull(bytes)
            if !output.isEmpty { try body(output[...]) }
        case .utf8, nil: try decodeUTF8(bytes, body)
        }
    }

    private mutating func decodeUTF8(_ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        try Self.refuseNull(bytes)
        var (start, place) = (bytes.startIndex, bytes.startIndex)
        while true {
            guard let high = Self.firstHigh(bytes[place...]) else { break }
            place = high
            guard let length = Self.length(bytes[place...]) else {
                if place > start { try body(bytes[start..<place]) }
                encoding = .windows1252
                isWindows1252 = true
                return try decode(bytes[place...], body)
            }
            if length == 0 {
                held = Array(bytes[place...])
                break
            }
            if bytes[place...].starts(with: Self.mark) {
                if place > start { try body(bytes[start..<place]) }
                start = place + length
            }
            place += length
        }
        let end = bytes.endIndex - held.count
        if end > start { try body(bytes[start..<end]) }
    }

    private static func firstHigh(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            var place = 0
            while place + 8 <= buffer.count {
                var word: UInt64 = 0
                withUnsafeMutableBytes(of: &word) {
                    $0.copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[place..<place + 8])
                    )
                }
                if word & 0x8080_8080_8080_8080 != 0 { break }
                place += 8
            }
            while place < buffer.count {
                if buffer[place] >= 0x80 { return bytes.startIndex + place }
                place += 1
            }
            return nil
        }
    }

    /// The length of the character that begins here; 0 if more bytes are needed to decide, nil if it is not a
    /// character.
    private static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        let (length, second): (Int, ClosedRange<UInt8>)
        switch first {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        for (offset, byte) in bytes.dropFirst().prefix(length - 1).enumerated() {
            guard (offset == 0 ? second : 0x80...0xBF).contains(byte) else { return nil }
        }
        return bytes.count < length ? 0 : length
    }

    private mutating func decodeUTF16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) throws {
        var place = bytes.startIndex
        while place + 1 < bytes.endIndex {
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            place += 2
            try append(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        if place < bytes.endIndex { held = [bytes[place]] }
    }

    private mutating func append(_ unit: UInt16) throws {
        let scalar: Unicode.Scalar?
        if let high = highSurrogate {
            highSurrogate = nil
            guard (0xDC00...0xDFFF).contains(unit) else { throw Self.badUTF16 }
            scalar = Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00))
        } else if (0xD800...0xDBFF).contains(unit) {
            highSurrogate = unit
            return
        } else {
            scalar = Unicode.Scalar(unit)
        }
        guard let scalar, scalar.value != 0 else { throw Self.badUTF16 }
        if scalar.value == 0xFEFF { return }
        output.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
    }

    private static let badUTF16 = StatementProblem(
        .badEncoding,
        line: 0,
        "The file begins with the mark of UTF-16 and is not UTF-16."
    )

    private static func refuseNull(_ bytes: ArraySlice<UInt8>) throws {
        let hasNull = bytes.withUnsafeBufferPointer { buffer in
            buffer.contains(0)
        }
        if hasNull {
            throw StatementProblem(
                .badEncoding,
                line: 0,
                "The file has zero bytes, which no text has. UTF-16 is read only with a byte order mark at the start."
            )
        }
    }

    private static func append(windows1252 byte: UInt8, to bytes: inout [UInt8]) {
        guard byte >= 0x80 else {
            bytes.append(byte)
            return
        }
        let value = byte < 0xA0 ? Self.windows1252[Int(byte - 0x80)] : UInt16(byte)
        guard let scalar = Unicode.Scalar(value) else { return }
        bytes.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
    }

    /// The characters 0x80 to 0x9F; the five undefined ones are read as the C1 controls of Latin-1.
    private static let windows1252: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    ]
}
