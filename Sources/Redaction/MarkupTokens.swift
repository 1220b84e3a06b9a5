/// The tags and texts of HTML or XML in order, without balancing or validation. The time is linear in the length of the
/// text.
package struct MarkupTokens: Sequence, IteratorProtocol {
    package enum Token: Hashable {
        /// Text with character references decoded.
        case text(String)
        /// Names as written, with character references in values decoded.
        case open(String, attributes: [Attribute], isSelfClosing: Bool)
        case close(String)
        /// A comment, a declaration or a processing instruction.
        case aside
    }

    package struct Attribute: Hashable {
        package var name: String
        package var value: String
    }

    /// Elements whose content HTML does not read as markup.
    private static let rawElements: Set<String> = ["script", "style", "textarea", "title", "xmp"]

    private let source: [Unicode.Scalar]
    private var place = 0
    /// The raw element whose end tag comes next.
    private var rawElement: String?

    package init(_ text: String) {
        source = Array(text.unicodeScalars)
    }

    package mutating func next() -> Token? {
        if let name = rawElement {
            rawElement = nil
            if let text = rawText(upTo: name) { return text }
        }
        guard place < source.count else { return nil }
        return isTag(at: place) ? tag() : text()
    }

    // MARK: Texts

    private mutating func text() -> Token {
        let start = place
        repeat { place += 1 } while place < source.count && !isTag(at: place)
        return .text(Self.decoded(source[start..<place]))
    }

    private mutating func rawText(upTo name: String) -> Token? {
        let start = place
        while place < source.count, !isEnd(of: name, at: place) { place += 1 }
        return place == start ? nil : .text(Self.string(source[start..<place]))
    }

    private func isEnd(of name: String, at start: Int) -> Bool {
        guard scalar(start) == "<", scalar(start + 1) == "/" else { return false }
        var place = start + 2
        for expected in name.unicodeScalars {
            guard let found = scalar(place), Self.lowered(found) == expected else { return false }
            place += 1
        }
        return scalar(place).map { !Self.isName($0) } ?? true
    }

    // MARK: Tags

    /// `<` begins a tag only before a letter, `/`, `!` or `?`; elsewhere it is a less-than sign.
    private func isTag(at start: Int) -> Bool {
        guard scalar(start) == "<", let next = scalar(start + 1) else { return false }
        return Self.isLetter(next) || next == "!" || next == "?" || next == "/"
    }

    private mutating func tag() -> Token {
        place += 1
        switch scalar(place) {
        case "!", "?": return aside()
        case "/":
            place += 1
            let name = readName()
            skip { $0 != ">" }
            place += 1
            return name.isEmpty ? .aside : .close(name)
        default: return openingTag()
        }
    }

    private mutating func aside() -> Token {
        let isComment = scalar(place + 1) == "-" && scalar(place + 2) == "-"
        if isComment {
            place += 3
            while place < source.count,
                !(scalar(place) == ">" && scalar(place - 1) == "-" && scalar(place - 2) == "-")
            { place += 1 }
        } else {
            skip { $0 != ">" }
        }
        place += 1
        return .aside
    }

    private mutating func openingTag() -> Token {
        let name = readName()
        var attributes: [Attribute] = []
        var isSelfClosing = false
        while let next = scalar(place), next != ">" {
            if Self.isBlank(next) || next == "/" {
                isSelfClosing = next == "/"
                place += 1
            } else {
                isSelfClosing = false
                attributes.append(attribute())
            }
        }
        place += 1
        if Self.rawElements.contains(name.lowercased()), !isSelfClosing { rawElement = name.lowercased() }
        return .open(name, attributes: attributes, isSelfClosing: isSelfClosing)
    }

    private mutating func attribute() -> Attribute {
        let start = place
        // The first character always belongs to the name, so that reading advances.
        place += 1
        skip { !Self.isBlank($0) && $0 != "=" && $0 != ">" && $0 != "/" }
        let name = Self.string(source[start..<place])
        skip(while: Self.isBlank)
        guard scalar(place) == "=" else { return Attribute(name: name, value: "") }
        place += 1
        skip(while: Self.isBlank)
        guard let quote = scalar(place), quote == "\"" || quote == "'" else {
            let start = place
            skip { !Self.isBlank($0) && $0 != ">" }
            return Attribute(name: name, value: Self.decoded(source[start..<place]))
        }
        place += 1
        let valueStart = place
        skip { $0 != quote }
        let value = Self.decoded(source[valueStart..<place])
        place += 1
        return Attribute(name: name, value: value)
    }

    private mutating func readName() -> String {
        let start = place
        skip(while: Self.isName)
        return Self.string(source[start..<place])
    }

    // MARK: Characters

    private func scalar(_ index: Int) -> Unicode.Scalar? {
        index >= 0 && index < source.count ? source[index] : nil
    }

    private mutating func skip(while belongs: (Unicode.Scalar) -> Bool) {
        while place < source.count, belongs(source[place]) { place += 1 }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        (0x41...0x5A).contains(scalar.value) || (0x61...0x7A).contains(scalar.value)
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        isLetter(scalar) || (0x30...0x39).contains(scalar.value) || ["-", "_", ":", "."].contains(scalar)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(scalar.value)
    }

    private static func lowered(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        (0x41...0x5A).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value + 0x20)) : scalar
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    // MARK: Character references

    private static let named: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "pound": "£", "euro": "€",
        "yen": "¥", "cent": "¢", "copy": "©", "reg": "®", "ndash": "–", "mdash": "—", "middot": "·",
    ]

    private static func decoded(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        guard scalars.contains("&") else { return string(scalars) }
        var text = String.UnicodeScalarView()
        var index = scalars.startIndex
        while index < scalars.endIndex {
            if scalars[index] == "&", let (scalar, end) = reference(in: scalars, at: index) {
                text.append(scalar)
                index = end
            } else {
                text.append(scalars[index])
                index += 1
            }
        }
        return String(text)
    }

    /// Accepts `&amp;`, `&#52;` and `&#x34;`; browsers do not require the semicolon after a number.
    private static func reference(
        in scalars: ArraySlice<Unicode.Scalar>,
        at start: Int
    ) -> (scalar: Unicode.Scalar, end: Int)? {
        var index = start + 1
        var name = ""
        while index < scalars.endIndex, name.utf8.count < 12,
            scalars[index] == "#" && name.isEmpty || isName(scalars[index])
        {
            name.unicodeScalars.append(scalars[index])
            index += 1
        }
        let hasSemicolon = index < scalars.endIndex && scalars[index] == ";"
        let end = hasSemicolon ? index + 1 : index
        if name.hasPrefix("#") {
            let digits = name.dropFirst()
            let isHexadecimal = digits.first == "x" || digits.first == "X"
            let value = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let value, let scalar = Unicode.Scalar(value) else { return nil }
            let isControl = value < 0x20 && ![0x09, 0x0A, 0x0D].contains(value) || value == 0x7F
            return (isControl ? "\u{FFFD}" : scalar, end)
        }
        guard hasSemicolon, let scalar = named[name] else { return nil }
        return (scalar, end)
    }
}
