extension XMLTree {
    /// The element as XML without a declaration, blanks or line ends between elements.
    package var xml: String {
        var xml = "<\(name)"
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) { xml += " \(name)=\"\(Self.escaped(value))\"" }
        if text.isEmpty && children.isEmpty { return xml + "/>" }
        xml += ">" + Self.escaped(text)
        for child in children { xml += child.xml }
        return xml + "</\(name)>"
    }

    /// Adds an element; does nothing without a value.
    package mutating func add(_ name: String, _ text: String?) {
        if let text { children.append(XMLTree(name, text)) }
    }

    /// A character that XML cannot hold becomes the replacement character.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&apos;"
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
            default: escaped.unicodeScalars.append(XMLText.isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return escaped
    }
}
