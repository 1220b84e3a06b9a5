/// Splits Swift into words of code, comments and literals. Knows raw and multi-line strings, interpolation and regular
/// expressions on one line; knows no block comments, which the formatter forbids.
struct SwiftLexer {
    private enum Frame {
        /// Code in an interpolation ends where its parentheses are closed.
        case code(parentheses: Int)
        case string(hashes: Int, isMultiline: Bool)
    }

    private(set) var words: [Word] = []
    private(set) var code: [UInt8]

    private let bytes: [UInt8]
    private var frames: [Frame] = [.code(parentheses: 0)]
    private var index = 0
    private var line = 1

    init(_ text: String) {
        bytes = Array(text.utf8)
        code = bytes
    }

    mutating func run() {
        while index < bytes.count {
            switch frames[frames.count - 1] {
            case .code(let parentheses): readCode(parentheses)
            case .string(let hashes, let isMultiline): readString(hashes, isMultiline)
            }
        }
    }

    private mutating func readCode(_ parentheses: Int) {
        let byte = bytes[index]
        if Word.isPart(byte) { return readWord(.code) }
        switch byte {
        case UInt8(ascii: "/") where at(1) == byte: readLineComment()
        case UInt8(ascii: "/") where beginsRegularExpression: readRegularExpression()
        case UInt8(ascii: "\""): beginString()
        case UInt8(ascii: "("):
            frames[frames.count - 1] = .code(parentheses: parentheses + 1)
            index += 1
        case UInt8(ascii: ")"):
            if parentheses == 0, frames.count > 1 {
                frames.removeLast()
            } else {
                frames[frames.count - 1] = .code(parentheses: parentheses - 1)
            }
            index += 1
        default: skip(1)
        }
    }

    private mutating func readLineComment() {
        while index < bytes.count, bytes[index] != 0x0A {
            if Word.isPart(bytes[index]) {
                readWord(.comment)
            } else {
                blank(1)
            }
        }
    }

    /// Whether a slash here begins a regular expression: by the bytes around it.
    private var beginsRegularExpression: Bool {
        guard let next = at(1), ![0x20, 0x0A, UInt8(ascii: ")"), UInt8(ascii: "=")].contains(next) else { return false }
        var before = index - 1
        while before >= 0, bytes[before] == 0x20 { before -= 1 }
        return before >= 0 && "(,=[:".utf8.contains(bytes[before])
    }

    private mutating func readRegularExpression() {
        blank(1)
        while index < bytes.count, bytes[index] != 0x0A {
            let byte = bytes[index]
            blank(byte == UInt8(ascii: "\\") ? 2 : 1)
            if byte == UInt8(ascii: "/") { return }
        }
    }

    private mutating func beginString() {
        var hashes = 0
        while index > hashes, bytes[index - hashes - 1] == UInt8(ascii: "#") { hashes += 1 }
        for place in (index - hashes)..<index { code[place] = 0x20 }
        let quote = UInt8(ascii: "\"")
        let isMultiline = at(1) == quote && at(2) == quote
        blank(isMultiline ? 3 : 1)
        frames.append(.string(hashes: hashes, isMultiline: isMultiline))
    }

    private mutating func readString(_ hashes: Int, _ isMultiline: Bool) {
        let byte = bytes[index]
        if Word.isPart(byte) { return readWord(.literal) }
        switch byte {
        case UInt8(ascii: "\\") where areHashes(at: 1, hashes):
            if at(1 + hashes) == UInt8(ascii: "(") {
                blank(2 + hashes)
                frames.append(.code(parentheses: 0))
            } else {
                blank(at(1 + hashes) == 0x0A ? 1 + hashes : 2 + hashes)
            }
        case UInt8(ascii: "\""):
            let quotes = isMultiline ? 3 : 1
            if (0..<quotes).allSatisfy({ at($0) == byte }), areHashes(at: quotes, hashes) {
                blank(quotes + hashes)
                frames.removeLast()
            } else {
                blank(1)
            }
        default: blank(1)
        }
    }

    private func areHashes(at offset: Int, _ count: Int) -> Bool {
        (0..<count).allSatisfy { at(offset + $0) == UInt8(ascii: "#") }
    }

    private mutating func readWord(_ kind: Word.Kind) {
        let first = index
        while index < bytes.count, Word.isPart(bytes[index]) {
            if kind != .code { code[index] = 0x20 }
            index += 1
        }
        let text = String(decoding: bytes[first..<index], as: UTF8.self)
        words.append(Word(text: text, kind: kind, line: line, offset: first))
    }

    private func at(_ offset: Int) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    private mutating func blank(_ count: Int) {
        for place in index..<min(index + count, bytes.count) where bytes[place] != 0x0A { code[place] = 0x20 }
        skip(count)
    }

    private mutating func skip(_ count: Int) {
        for _ in 0..<count where index < bytes.count {
            if bytes[index] == 0x0A { line += 1 }
            index += 1
        }
    }
}
