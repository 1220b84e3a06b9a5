import Mustache

/// Writes data into HTML.
///
/// The library's own escaping compares characters, and a quotation mark followed by a combining mark is another
/// character to it; a browser reads code points, and so does this.
struct MarkupEscaping: MustacheContentType {
    static let name = "DAYBOOK"

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            // What HTML cannot say, and what would turn the order of the page around it.
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{7F}"..."\u{9F}",
                "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FFFE}", "\u{FFFF}":
                escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
