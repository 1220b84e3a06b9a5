/// Reads a document piece by piece, within limits. It reads elements, attributes, texts, CDATA sections and comments of
/// well-formed XML 1.0; it refuses document types and entities that are not predefined.
/// Prefixes of elements are removed without looking for their namespaces.
package struct XMLReader: Sendable {
    package enum Piece: Sendable, Hashable {
        /// The line is that of the tag's first character. Names of attributes have their prefixes.
        case start(name: String, attributes: [String: String], line: Int)
        /// Several may follow one another.
        case text(String)
        case end(name: String, line: Int)
    }

    private struct OpenElement {
        /// The name with its prefix.
        let name: ArraySlice<UInt8>
        var textBytes = 0

        var localName: String {
            String(decoding: name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name, as: UTF8.self)
        }
    }

    private let limits: XMLLimits
    private let bytes: [UInt8]
    private var place = 0
    private var line: Int
    private var lineStart = 0
    private var open: [OpenElement] = []
    private var elements = 0
    /// True after the tag of an empty element, whose end comes next.
    private var isAtEmptyEnd = false

    /// - Parameter firstLine: The number of the document's first line.
    /// - Throws: `encoding`, `longDocument`, and `malformed` for an incomplete declaration.
    package init(_ document: [UInt8], limits: XMLLimits = .message, firstLine: Int = 1) throws(XMLProblem) {
        self.limits = limits
        line = firstLine
        guard document.count <= limits.longestDocument else {
            throw XMLProblem(kind: .longDocument, line: firstLine, column: 1)
        }
        guard let bytes = XMLText.utf8(document) else { throw XMLProblem(kind: .encoding, line: firstLine, column: 1) }
        self.bytes = bytes
        skipBlanks()
        if starts(with: "<?xml"), place + 5 < bytes.count, XMLText.isBlank(bytes[place + 5]) { try skip(past: "?>") }
    }

    /// The next piece; nil after the end of the document.
    package mutating func next() throws(XMLProblem) -> Piece? {
        if isAtEmptyEnd {
            isAtEmptyEnd = false
            return close()
        }
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<") else {
                if let text = try text() { return text }
                continue
            }
            switch place + 1 < bytes.count ? bytes[place + 1] : 0 {
            case UInt8(ascii: "/"): return try endTag()
            case UInt8(ascii: "?"):
                guard limits.skipsInstructions else { throw problem(.processingInstruction) }
                try skip(past: "?>")
            case UInt8(ascii: "!"):
                if let text = try aside() { return text }
            default: return try startTag()
            }
        }
        guard open.isEmpty, elements > 0 else { throw problem(.truncated) }
        return nil
    }

    // MARK: Places

    private func problem(_ kind: XMLProblem.Kind) -> XMLProblem {
        XMLProblem(kind: kind, line: line, column: place - lineStart + 1)
    }

    /// The problem of a byte that is not the expected one.
    private var unexpected: XMLProblem { problem(place < bytes.count ? .malformed : .truncated) }

    private mutating func advance(to next: Int) {
        while place < next {
            if bytes[place] == 0x0A {
                line += 1
                lineStart = place + 1
            }
            place += 1
        }
    }

    private func starts(with mark: StaticString) -> Bool {
        guard place + mark.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<mark.utf8CodeUnitCount).allSatisfy { bytes[place + $0] == mark.utf8Start[$0] }
    }

    private mutating func skip(past mark: StaticString) throws(XMLProblem) {
        while !starts(with: mark) {
            guard place < bytes.count else { throw problem(.truncated) }
            advance(to: place + 1)
        }
        advance(to: place + mark.utf8CodeUnitCount)
    }

    private mutating func skipBlanks() {
        while place < bytes.count, XMLText.isBlank(bytes[place]) { advance(to: place + 1) }
    }

    private mutating func take(_ byte: UInt8) throws(XMLProblem) {
        guard place < bytes.count, bytes[place] == byte else { throw unexpected }
        place += 1
    }

    // MARK: Tags

    private mutating func name() throws(XMLProblem) -> ArraySlice<UInt8> {
        guard place < bytes.count, XMLText.beginsName(bytes[place]) else { throw unexpected }
        let start = place
        while place < bytes.count, XMLText.continuesName(bytes[place]) { place += 1 }
        let name = bytes[start..<place]
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return name }
        guard colon > start, colon + 1 < place, colon == name.lastIndex(of: UInt8(ascii: ":")) else {
            throw problem(.malformed)
        }
        return name
    }

    private mutating func startTag() throws(XMLProblem) -> Piece {
        guard elements == 0 || !open.isEmpty else { throw problem(.malformed) }
        elements += 1
        guard elements <= limits.mostElements else { throw problem(.tooManyElements) }
        guard open.count < limits.deepest else { throw problem(.tooDeep) }
        let first = line
        place += 1
        let element = OpenElement(name: try name())
        let attributes = try attributes()
        if bytes[place] == UInt8(ascii: "/") {
            place += 1
            isAtEmptyEnd = true
        }
        try take(UInt8(ascii: ">"))
        open.append(element)
        return .start(name: element.localName, attributes: attributes, line: first)
    }

    /// Reads the attributes. The byte that ends the tag, `>` or `/`, is not consumed.
    private mutating func attributes() throws(XMLProblem) -> [String: String] {
        var attributes: [String: String] = [:]
        while true {
            let start = place
            skipBlanks()
            guard place < bytes.count else { throw problem(.truncated) }
            if bytes[place] == UInt8(ascii: ">") || bytes[place] == UInt8(ascii: "/") { return attributes }
            guard place > start else { throw problem(.malformed) }
            let name = String(decoding: try name(), as: UTF8.self)
            skipBlanks()
            try take(UInt8(ascii: "="))
            skipBlanks()
            guard attributes.updateValue(try attributeValue(), forKey: name) == nil else { throw problem(.malformed) }
        }
    }

    private mutating func attributeValue() throws(XMLProblem) -> String {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") else {
            throw unexpected
        }
        let quote = bytes[place]
        place += 1
        let value = try content(of: .attribute(quote: quote))
        try take(quote)
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func endTag() throws(XMLProblem) -> Piece {
        let first = place
        place += 2
        let name = try name()
        guard let element = open.last, element.name == name else {
            guard place < bytes.count else { throw problem(.truncated) }
            place = first
            throw problem(.malformed)
        }
        skipBlanks()
        try take(UInt8(ascii: ">"))
        return close()
    }

    private mutating func close() -> Piece { .end(name: open.removeLast().localName, line: line) }

    // MARK: Texts

    private enum Place {
        case text, section, attribute(quote: UInt8)
    }

    /// Nil for blanks outside of the root.
    private mutating func text() throws(XMLProblem) -> Piece? {
        guard open.isEmpty else { return try counted(.text) }
        skipBlanks()
        guard place == bytes.count || bytes[place] == UInt8(ascii: "<") else { throw problem(.malformed) }
        return nil
    }

    /// A CDATA section; nil for a comment. Nothing else may begin like them.
    private mutating func aside() throws(XMLProblem) -> Piece? {
        if starts(with: "<!--") {
            advance(to: place + 4)
            try skip(past: "--")
            try take(UInt8(ascii: ">"))
            return nil
        }
        if starts(with: "<![CDATA["), !open.isEmpty {
            place += 9
            let section = try counted(.section)
            try skip(past: "]]>")
            return section
        }
        let isCut = bytes.count - place < 9
        throw problem(starts(with: "<!DOCTYPE") ? .documentType : isCut ? .truncated : .malformed)
    }

    private mutating func counted(_ kind: Place) throws(XMLProblem) -> Piece {
        let text = try content(of: kind)
        // Blanks between elements are not counted: a long list has many.
        if !text.allSatisfy(XMLText.isBlank) { open[open.count - 1].textBytes += text.count }
        guard open[open.count - 1].textBytes <= limits.longestText else { throw problem(.longText) }
        return .text(String(decoding: text, as: UTF8.self))
    }

    /// Reads up to the mark that ends the text, which is left, or the end of the document. References are replaced by
    /// their characters, line ends by LF, and in an attribute blanks by spaces.
    private mutating func content(of kind: Place) throws(XMLProblem) -> [UInt8] {
        var content: [UInt8] = []
        var isAttribute: Bool { if case .attribute = kind { true } else { false } }
        while place < bytes.count, !isAtEnd(of: kind) {
            let byte = bytes[place]
            switch (byte, kind) {
            case (UInt8(ascii: "&"), .text), (UInt8(ascii: "&"), .attribute):
                content += Array(String(try reference()).utf8)
                continue
            case (UInt8(ascii: "<"), .attribute): throw problem(.malformed)
            case (UInt8(ascii: "]"), .text) where starts(with: "]]>"): throw problem(.malformed)
            case (0x0D, _) where place + 1 < bytes.count && bytes[place + 1] == 0x0A: break
            case (0x0D, _), (0x0A, _), (0x09, _):
                content.append(isAttribute ? 0x20 : byte == 0x0D ? 0x0A : byte)
            case (0..<0x20, _): throw problem(.malformed)
            case (0xEF, _) where starts(with: "\u{FFFE}") || starts(with: "\u{FFFF}"): throw problem(.malformed)
            default: content.append(byte)
            }
            advance(to: place + 1)
            guard content.count <= limits.longestText else { throw problem(.longText) }
        }
        return content
    }

    private func isAtEnd(of kind: Place) -> Bool {
        switch kind {
        case .text: bytes[place] == UInt8(ascii: "<")
        case .section: bytes[place] == UInt8(ascii: "]") && starts(with: "]]>")
        case .attribute(let quote): bytes[place] == quote
        }
    }

    private mutating func reference() throws(XMLProblem) -> Unicode.Scalar {
        // Ten bytes are more than any reference that is read.
        let text = bytes[(place + 1)...].prefix(10).prefix { $0 == UInt8(ascii: "#") || XMLText.continuesName($0) }
        guard text.endIndex < bytes.count else { throw problem(.truncated) }
        guard bytes[text.endIndex] == UInt8(ascii: ";"), let scalar = XMLText.character(of: text) else {
            throw problem(.entity)
        }
        place = text.endIndex + 1
        return scalar
    }
}
