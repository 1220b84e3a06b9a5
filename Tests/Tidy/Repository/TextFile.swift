/// A text of the repository, split once into lines and words.
struct TextFile: Sendable {
    /// From the root of the repository, for example `Sources/Merkle/Tree.swift`.
    let path: String
    let lines: [String]
    let words: [Word]
    /// Swift with comments and literals overwritten by spaces; empty for other files.
    let code: [UInt8]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if path.hasSuffix(".swift") {
            var lexer = SwiftLexer(text)
            lexer.run()
            words = lexer.words
            code = lexer.code
        } else {
            words = Word.prose(text)
            code = []
        }
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    var isMarkdown: Bool { path.hasSuffix(".md") }

    /// The last component of the path, without its extension.
    var stem: String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    }

    /// The folder that ceilings are kept for: `Sources/X`, `Tests/X`, or the first component of any other path.
    var area: String {
        let parts = path.split(separator: "/")
        let depth = ["Sources", "Tests"].contains(parts[0]) && parts.count > 2 ? 2 : 1
        return parts.prefix(depth).joined(separator: "/")
    }

    var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }

    /// The lines of a Swift file with comments and literals overwritten by spaces.
    var codeLines: [String] {
        code.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// A word of letters, digits and underscores.
struct Word: Sendable {
    enum Kind: Sendable {
        case code, comment, literal
    }

    let text: String
    let kind: Kind
    /// From 1.
    let line: Int
    /// Of its first byte in the file.
    let offset: Int

    static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...0xFF: true
        default: false
        }
    }

    /// The words of a text that is not Swift. All are comments.
    static func prose(_ text: String) -> [Word] {
        let bytes = Array(text.utf8)
        var words: [Word] = []
        var line = 1
        var start: Int?
        for index in 0...bytes.count {
            if index < bytes.count, isPart(bytes[index]) {
                if start == nil { start = index }
                continue
            }
            if let first = start {
                let text = String(decoding: bytes[first..<index], as: UTF8.self)
                words.append(Word(text: text, kind: .comment, line: line, offset: first))
                start = nil
            }
            if index < bytes.count, bytes[index] == 0x0A { line += 1 }
        }
        return words
    }
}

extension TextFile {
    private static let importModifiers: Set = [
        "fileprivate", "internal", "package", "preconcurrency", "private", "public", "testable",
    ]

    /// The names of modules behind `import`, also behind `package import` and `@testable import`.
    var imports: [Word] {
        guard isSwift else { return [] }
        return words.indices.dropLast().compactMap { index in
            let word = words[index]
            guard word.text == "import", word.kind == .code,
                code[word.offset + word.text.utf8.count] == UInt8(ascii: " "),
                // A declaration and no function of this name: it begins its line.
                words[..<index].reversed().prefix(while: { $0.line == word.line })
                    .allSatisfy({ Self.importModifiers.contains($0.text) })
            else { return nil }
            return words[index + 1]
        }
    }
}
