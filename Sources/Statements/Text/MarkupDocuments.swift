import Foundation

/// Collects an XML file and converts it to UTF-8, whatever its declared encoding. A file may contain several documents
/// one after another.
struct MarkupDocuments: Sendable {
    /// The largest file that is read, in bytes.
    static let largestFile = 64 << 20
    /// The largest document in UTF-8: a byte of Windows-1252 becomes three bytes at the most.
    static let largestDocument = 3 * largestFile

    struct Document {
        var bytes: [UInt8]
        /// The physical line of the file on which it begins.
        var firstLine: Int
        /// True if text was read as Windows-1252 although the declaration does not name it.
        var isEncodingAssumed: Bool
    }

    private var bytes: [UInt8] = []

    mutating func read(_ bytes: ArraySlice<UInt8>) throws(StatementProblem) {
        guard self.bytes.count + bytes.count <= Self.largestFile else {
            throw StatementProblem(.tooLarge, line: 0, "A file of XML has \(Self.largestFile >> 20) MiB at the most.")
        }
        self.bytes += bytes
    }

    /// The documents in the file.
    ///
    /// - Throws: `.empty` and `.badEncoding`.
    mutating func finish() throws -> [Document] {
        let file = bytes
        bytes = []
        guard file.contains(where: { $0 > 0x20 }) else {
            throw StatementProblem(.empty, line: 0, "The file is empty.")
        }
        // Marks of UTF-16 are checked first, because its declaration cannot be read before decoding.
        let isUTF16 = file.starts(with: [0xFF, 0xFE]) || file.starts(with: [0xFE, 0xFF])
        let pieces = Self.split(isUTF16 ? try Self.decoded(file).bytes : file).flatMap { Self.splitRoots($0) }
        var documents: [Document] = []
        var line = 1
        for piece in pieces {
            let document = try Self.document(piece, line: line, isDecoded: isUTF16)
            if document.bytes.contains(where: { $0 > 0x20 }) { documents.append(document) }
            line += piece.count { $0 == 0x0A }
        }
        return documents
    }

    /// Splits at every declaration except the first. A declaration cannot occur within a document.
    private static func split(_ file: [UInt8]) -> [[UInt8]] {
        let mark = Array("<?xml ".utf8)
        var pieces: [[UInt8]] = []
        var start = 0
        var place = 0
        while let found = file[place...].firstIndex(of: mark[0]) {
            place = found + 1
            guard file[found...].starts(with: mark), file[start..<found].contains(where: { $0 > 0x20 && $0 < 0x80 })
            else { continue }
            pieces.append(Array(file[start..<found]))
            start = found
        }
        pieces.append(Array(file[start...]))
        return pieces
    }

    /// Splits where a `Document` ends and another element begins: files joined without declarations. Text around
    /// documents is left unchanged.
    private static func splitRoots(_ piece: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        var root: [UInt8]?
        var place = 0
        while let found = piece[place...].firstIndex(of: UInt8(ascii: "<")) {
            place = found + 1
            if root == nil { root = name(piece[place...]) }
            guard place < piece.count, piece[place] == UInt8(ascii: "/"), root == documentName,
                endsDocument(piece[place...]), let end = piece[place...].firstIndex(of: UInt8(ascii: ">")),
                // Skips blanks, and the bytes of a byte order mark.
                let next = piece[(end + 1)...].firstIndex(where: { $0 > 0x20 && $0 < 0x80 }),
                piece[next] == UInt8(ascii: "<"), name(piece[(next + 1)...]) != nil
            else { continue }
            pieces.append(Array(piece[start...end]))
            (start, place, root) = (end + 1, next, nil)
        }
        pieces.append(Array(piece[start...]))
        return pieces
    }

    /// True for the rest of an end tag of a `Document`.
    private static func endsDocument(_ text: ArraySlice<UInt8>) -> Bool {
        text.prefix(128).prefix { $0 != UInt8(ascii: ">") && $0 > 0x20 }.suffix(documentName.count)
            .elementsEqual(documentName)
    }

    private static let documentName = Array("Document".utf8)

    /// The name of an element, without its prefix; nil if no name begins here.
    private static func name(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let whole = text.prefix(128).prefix {
            let letter = $0 | 0x20
            return letter >= 0x61 && letter <= 0x7A || $0 &- 0x30 < 10 || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E
                || $0 == 0x3A || $0 >= 0x80
        }
        guard let first = whole.first, first &- 0x30 >= 10, first != 0x2D, first != 0x2E else { return nil }
        return Array(whole.lastIndex(of: 0x3A).map { whole[($0 + 1)...] } ?? whole)
    }

    private static func document(_ piece: [UInt8], line: Int, isDecoded: Bool) throws -> Document {
        let (declaration, encoding) = Self.declaration(piece)
        if isDecoded {
            return Document(bytes: blank(declaration, of: piece), firstLine: line, isEncodingAssumed: false)
        }
        switch encoding {
        case "", "utf-8", "utf8", "us-ascii", "ascii", "utf-16":
            // Some files declare UTF-16 but contain single bytes.
            var (bytes, isAssumed) = try decoded(piece)
            bytes = blank(Self.declaration(bytes).length, of: bytes)
            return Document(bytes: bytes, firstLine: line, isEncodingAssumed: isAssumed)
        case "iso-8859-1", "latin1", "iso-8859-15", "windows-1252", "cp1252":
            // A byte that cannot begin a UTF-8 character makes the decoder read everything after it as Windows-1252.
            let (bytes, _) = try decoded([0x80] + piece)
            let text = Array(bytes.drop { $0 >= 0x80 })
            return Document(
                bytes: blank(Self.declaration(text).length, of: text),
                firstLine: line,
                isEncodingAssumed: encoding == "iso-8859-15"
            )
        default:
            throw StatementProblem(
                .badEncoding,
                line: line,
                "The encoding that is declared is not read: UTF-8, UTF-16, ISO-8859-1 and Windows-1252 are."
            )
        }
    }

    private static func decoded(_ bytes: [UInt8]) throws -> (bytes: [UInt8], isAssumed: Bool) {
        var input = DecodedInput()
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        try input.read(bytes[...]) { output += $0 }
        try input.finish { output += $0 }
        return (output, input.isWindows1252)
    }

    /// The length of the declaration with the bytes before it, and the encoding it names, in lower case.
    private static func declaration(_ bytes: [UInt8]) -> (length: Int, encoding: String) {
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[start]) { start += 1 }
        guard bytes[start...].starts(with: Array("<?xml".utf8)),
            let end = bytes[start...].prefix(512).firstIndex(of: UInt8(ascii: ">"))
        else { return (0, "") }
        let text = String(decoding: bytes[start...end], as: UTF8.self)
        guard let name = text.range(of: "encoding") else { return (end + 1, "") }
        let value = text[name.upperBound...].drop { $0 == " " || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return (end + 1, "") }
        return (end + 1, value.dropFirst().prefix { $0 != quote }.lowercased())
    }

    /// Replaces the declaration with blanks, so that lines keep their numbers.
    private static func blank(_ length: Int, of bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for place in 0..<min(length, bytes.count) where bytes[place] != 0x0A && bytes[place] != 0x0D {
            bytes[place] = 0x20
        }
        return bytes
    }
}
