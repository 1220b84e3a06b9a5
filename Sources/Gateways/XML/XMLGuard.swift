/// Checks an XML text before it is parsed.
///
/// Gateways' answers need no document type, no own entities, no processing instructions and little depth. Anything else
/// is refused, so that neither entity bombs nor deep nesting reach the parser.
struct XMLGuard {
    /// More than the depth of any answer, and far less than what overflows a recursive parser.
    static let deepest = 16
    /// The maximum number of elements in a text.
    static let mostElements = 1_024

    /// The text without its declaration, reduced to elements and their content. The declared encoding is ignored:
    /// gateways declare `utf-16` for text that is sent in UTF-8.
    let utf8: [UInt8]
    /// The name of the root element without its prefix.
    let root: String

    /// - Throws: `malformed`.
    init(_ bytes: [UInt8]) throws(GatewayFailure) {
        var text = try Self.text(of: bytes)
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        var utf8 = Array(text.utf8.drop { Self.isBlank($0) })
        if utf8.starts(with: "<?xml".utf8) {
            guard let end = Self.firstIndex(of: "?>", in: utf8, from: 0) else { throw Self.broken("a declaration") }
            utf8.removeSubrange(0..<end + 2)
        }
        let scan = try Self.scan(utf8)
        self.utf8 = scan.kept
        root = scan.root ?? ""
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func broken(_ what: String) -> GatewayFailure {
        GatewayFailure(.malformed, "The answer is not readable XML: \(what).")
    }

    // MARK: Encoding

    /// The bytes read as UTF-16 if they look like it, else as UTF-8.
    private static func text(of bytes: [UInt8]) throws(GatewayFailure) -> String {
        let isLittle = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0x3C, 0x00])
        let isBig = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0x00, 0x3C])
        guard isLittle || isBig else {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw broken("bytes that are not text") }
            return text
        }
        guard bytes.count.isMultiple(of: 2) else { throw broken("half a character") }
        let units = stride(from: 0, to: bytes.count, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw broken("bytes that are not text") }
        return text
    }

    // MARK: Structure

    /// The reduced text: elements by their local names, without attributes, comments and prefixes, and their content.
    /// Gateways' answers use nothing else.
    private struct Scan {
        var kept: [UInt8] = []
        var root: String?
    }

    private static func scan(_ bytes: [UInt8]) throws(GatewayFailure) -> Scan {
        var scan = Scan()
        var depth = 0
        var elements = 0
        var index = 0
        func keep(_ text: String) { scan.kept += Array(text.utf8) }
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "&"):
                let end = try endOfReference(bytes, at: index)
                scan.kept += bytes[index..<end]
                index = end
            case UInt8(ascii: "<"):
                let next = index + 1 < bytes.count ? bytes[index + 1] : 0
                switch next {
                case UInt8(ascii: "!"):
                    let end = try endOfMarkup(bytes, at: index)
                    if let text = plainText(bytes[index..<end]) { scan.kept += text }
                    index = end
                case UInt8(ascii: "?"): throw broken("a processing instruction")
                case UInt8(ascii: "/"):
                    depth -= 1
                    let tag = try endOfTag(bytes, at: index)
                    keep("</\(name(bytes[index + 2..<tag.next]))>")
                    index = tag.next
                default:
                    let tag = try endOfTag(bytes, at: index)
                    let name = name(bytes[index + 1..<tag.next])
                    elements += 1
                    guard elements <= mostElements else { throw broken("too many elements") }
                    if scan.root == nil { scan.root = name }
                    if !tag.isEmpty { depth += 1 }
                    guard depth <= deepest else { throw broken("too deep") }
                    keep(tag.isEmpty ? "<\(name)/>" : "<\(name)>")
                    index = tag.next
                }
            default:
                scan.kept.append(bytes[index])
                index += 1
            }
        }
        guard depth == 0, let root = scan.root, !root.isEmpty else { throw broken("it is cut off") }
        return scan
    }

    /// The content of a CDATA section as escaped text; nil for a comment.
    private static func plainText(_ markup: ArraySlice<UInt8>) -> [UInt8]? {
        let start = "<![CDATA["
        guard markup.starts(with: start.utf8) else { return nil }
        return markup.dropFirst(start.utf8.count).dropLast(3).flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "&"): Array("&amp;".utf8)
            case UInt8(ascii: "<"): Array("&lt;".utf8)
            case UInt8(ascii: ">"): Array("&gt;".utf8)
            default: [byte]
            }
        }
    }

    /// The index after a comment or a CDATA section. A document type is neither and is refused.
    private static func endOfMarkup(_ bytes: [UInt8], at index: Int) throws(GatewayFailure) -> Int {
        for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>")] where bytes[index...].starts(with: start.utf8) {
            guard let close = firstIndex(of: end, in: bytes, from: index + start.utf8.count) else {
                throw broken("it is cut off")
            }
            return close + end.utf8.count
        }
        throw broken("a document type")
    }

    /// The index after a reference. Only the predefined references are accepted.
    private static func endOfReference(_ bytes: [UInt8], at index: Int) throws(GatewayFailure) -> Int {
        let reference = bytes[(index + 1)...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
        let name = String(decoding: reference, as: UTF8.self)
        guard index + 1 + reference.count < bytes.count, bytes[index + 1 + reference.count] == UInt8(ascii: ";"),
            ["amp", "lt", "gt", "quot", "apos"].contains(name) || name.hasPrefix("#")
        else { throw broken("an entity") }
        return index + reference.count + 2
    }

    /// The index after a tag; quoted values are taken into account.
    private static func endOfTag(_ bytes: [UInt8], at index: Int) throws(GatewayFailure) -> (next: Int, isEmpty: Bool) {
        var quote: UInt8?
        var position = index + 1
        while position < bytes.count {
            let byte = bytes[position]
            if let open = quote {
                if byte == open { quote = nil }
                if byte == UInt8(ascii: "&") { position = try endOfReference(bytes, at: position) - 1 }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return (position + 1, bytes[position - 1] == UInt8(ascii: "/"))
            } else if byte == UInt8(ascii: "<") {
                throw broken("a tag within a tag")
            }
            position += 1
        }
        throw broken("it is cut off")
    }

    private static func name(_ tag: ArraySlice<UInt8>) -> String {
        let name = tag.prefix { !isBlank($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        return String(decoding: name, as: UTF8.self).split(separator: ":").last.map(String.init) ?? ""
    }

    private static func firstIndex(of mark: String, in bytes: [UInt8], from start: Int) -> Int? {
        let mark = Array(mark.utf8)
        guard start <= bytes.count - mark.count else { return nil }
        return (start...bytes.count - mark.count).first { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
    }
}
