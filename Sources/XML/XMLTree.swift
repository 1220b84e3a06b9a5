/// An element with its content. Names of elements have no prefixes.
package struct XMLTree: Sendable, Hashable {
    package let name: String
    /// The line on which it begins, from 1.
    package let line: Int
    package var text = ""
    package var attributes: [String: String] = [:]
    package var children: [XMLTree] = []

    package init(_ name: String, line: Int = 1, _ text: String = "", attributes: [String: String] = [:]) {
        self.name = name
        self.line = line
        self.text = text
        self.attributes = attributes
    }

    package init(_ name: String, _ children: [XMLTree]) {
        self.init(name)
        self.children = children
    }

    /// The first child with this name.
    package subscript(name: String) -> XMLTree? { children.first { $0.name == name } }

    /// The first element on the path of these names.
    package func at(_ path: String...) -> XMLTree? {
        var found = self
        for name in path {
            guard let next = found[name] else { return nil }
            found = next
        }
        return found
    }

    package func all(_ name: String) -> [XMLTree] { children.filter { $0.name == name } }

    /// The text without blanks around it.
    package var value: String {
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { !XMLText.isBlank($0) }),
            let last = bytes.lastIndex(where: { !XMLText.isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}

extension XMLTree {
    /// Reads a whole document.
    package init(parsing document: [UInt8], limits: XMLLimits = .message) throws(XMLProblem) {
        var reader = try XMLReader(document, limits: limits)
        // A document ends only after an element.
        var root = XMLTree("")
        while let piece = try reader.next() {
            if case .start(let name, let attributes, let line) = piece {
                root = try reader.content(of: XMLTree(name, line: line, attributes: attributes))
            }
        }
        self = root
    }
}

extension XMLReader {
    /// The element whose start was just read, with its content.
    package mutating func content(of element: XMLTree) throws(XMLProblem) -> XMLTree {
        var open = [element]
        while let piece = try next() {
            switch piece {
            case .start(let name, let attributes, let line):
                open.append(XMLTree(name, line: line, attributes: attributes))
            case .text(let text): open[open.count - 1].text += text
            case .end:
                let ended = open.removeLast()
                guard !open.isEmpty else { return ended }
                open[open.count - 1].children.append(ended)
            }
        }
        return element
    }
}
