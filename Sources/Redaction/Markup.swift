/// Passive HTML: no scripts, no event handlers, no references to other resources, only structure and text. Reading the
/// written HTML gives the same result.
package struct Markup {
    private enum Piece {
        case text(String)
        case open(String, [MarkupTokens.Attribute])
        case close(String)
    }

    private var pieces: [Piece] = []
    /// True if active content or a reference was removed.
    private(set) var isReduced = false

    /// Elements that stay, with the attributes named in `attributes`.
    private static let elements: Set<String> = [
        "html", "body", "head", "div", "span", "p", "br", "hr", "b", "i", "u", "s", "strong", "em", "small", "big",
        "center", "font", "tt", "pre", "code", "sub", "sup", "blockquote", "address", "section", "header", "footer",
        "article", "h1", "h2", "h3", "h4", "h5", "h6", "table", "caption", "colgroup", "col", "thead", "tbody", "tfoot",
        "tr", "td", "th", "ul", "ol", "li", "dl", "dt", "dd",
    ]
    private static let attributes: Set<String> = [
        "id", "class", "align", "valign", "width", "height", "colspan", "rowspan", "border", "cellpadding",
        "cellspacing", "dir", "lang", "color", "face", "size", "style",
    ]
    /// Elements that are removed with their content.
    private static let containers: Set<String> = [
        "script", "style", "iframe", "object", "embed", "applet", "noscript", "template", "svg", "math", "textarea",
        "title", "select", "audio", "video", "canvas", "frameset", "noframes", "xmp",
    ]
    private static let empty: Set<String> = ["br", "hr", "col"]
    /// Elements that begin a new line.
    private static let blocks: Set<String> = [
        "html", "body", "head", "div", "p", "center", "pre", "blockquote", "address", "section", "header", "footer",
        "article", "h1", "h2", "h3", "h4", "h5", "h6", "table", "caption", "tr", "ul", "ol", "li", "dl", "dt", "dd",
    ]
    /// The maximum depth. Deeper elements lose their tags, not their text.
    private static let deepest = 64

    package init(_ source: String) {
        var open: [String] = []
        // The element that is being removed with its content, and the number of elements with its name open inside it.
        var skipped: (name: String, depth: Int)?
        for token in MarkupTokens(source) {
            if let current = skipped {
                switch token {
                case .open(let name, _, let isSelfClosing) where !isSelfClosing && name.lowercased() == current.name:
                    skipped?.depth += 1
                case .close(let name) where name.lowercased() == current.name:
                    skipped = current.depth == 0 ? nil : (current.name, current.depth - 1)
                default: break
                }
                continue
            }
            switch token {
            case .text(let text): pieces.append(.text(text))
            case .aside: break
            case .close(let name):
                guard let index = open.lastIndex(of: name.lowercased()) else { continue }
                while open.count > index { pieces.append(.close(open.removeLast())) }
            case .open(let name, let attributes, let isSelfClosing):
                let name = name.lowercased()
                if Self.containers.contains(name) {
                    isReduced = true
                    if !isSelfClosing, name != "embed" { skipped = (name, 0) }
                } else if !Self.elements.contains(name) {
                    isReduced = true
                } else if Self.empty.contains(name) {
                    pieces.append(.open(name, kept(attributes)))
                } else if open.count < Self.deepest {
                    pieces.append(.open(name, kept(attributes)))
                    open.append(name)
                }
            }
        }
        while let name = open.popLast() { pieces.append(.close(name)) }
    }

    private mutating func kept(_ attributes: [MarkupTokens.Attribute]) -> [MarkupTokens.Attribute] {
        var kept: [MarkupTokens.Attribute] = []
        for attribute in attributes {
            let name = attribute.name.lowercased()
            guard Self.attributes.contains(name), name != "style" || Self.isPlainStyle(attribute.value) else {
                isReduced = true
                continue
            }
            guard !kept.contains(where: { $0.name == name }) else { continue }
            kept.append(.init(name: name, value: attribute.value))
        }
        return kept
    }

    /// Style rules load resources through functions and escaped names; values without brackets and backslashes have
    /// neither.
    private static func isPlainStyle(_ value: String) -> Bool {
        value.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x20, 0x23, 0x25, 0x2C, 0x2D, 0x2E, 0x3A, 0x3B: true
            default: false
            }
        }
    }

    /// Changes every text and every attribute value.
    mutating func mapTexts(_ change: (String) -> String) {
        pieces = pieces.map { piece in
            switch piece {
            case .text(let text): .text(change(text))
            case .open(let name, let attributes):
                .open(name, attributes.map { .init(name: $0.name, value: change($0.value)) })
            case .close: piece
            }
        }
    }

    /// Markup of this text alone.
    init(preformatted text: String) {
        pieces = [.open("pre", []), .text(text), .close("pre")]
    }

    // MARK: Writing

    var html: String {
        var html = ""
        for piece in pieces {
            switch piece {
            case .text(let text): Self.escape(text, into: &html)
            case .close(let name): html += "</\(name)>"
            case .open(let name, let attributes):
                html += "<\(name)"
                for attribute in attributes {
                    html += " \(attribute.name)=\""
                    Self.escape(attribute.value, into: &html)
                    html += "\""
                }
                html += ">"
            }
        }
        return html
    }

    private static func escape(_ text: String, into html: inout String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            default: html.unicodeScalars.append(scalar)
            }
        }
    }

    /// The visible text, line by line, without empty lines; runs of white space become one blank.
    package var text: String {
        var text = ""
        var gap = Gap.none
        var preformatted = 0
        func widen(to wider: Gap) { if wider.rawValue > gap.rawValue { gap = wider } }
        for piece in pieces {
            switch piece {
            case .text(let content):
                for scalar in content.unicodeScalars {
                    if scalar.properties.isWhitespace {
                        widen(to: preformatted > 0 && scalar == "\n" ? .line : .blank)
                        continue
                    }
                    if !text.isEmpty, gap != .none { text += gap == .line ? "\n" : " " }
                    gap = .none
                    text.unicodeScalars.append(scalar)
                }
            case .open(let name, _):
                if name == "pre" { preformatted += 1 }
                widen(to: Self.gap(at: name))
            case .close(let name):
                if name == "pre" { preformatted -= 1 }
                widen(to: Self.gap(at: name))
            }
        }
        return text
    }

    /// The separator between two words of the text.
    private enum Gap: Int {
        case none, blank, line
    }

    private static func gap(at name: String) -> Gap {
        if name == "br" || name == "hr" || blocks.contains(name) { return .line }
        return name == "td" || name == "th" ? .blank : .none
    }
}
