import Canonical
import Foundation

@testable import Console

/// The content of a console page, read from its HTML.
struct PageReading {
    let page: String

    init(_ page: String) {
        self.page = page
    }

    /// The API calls and commands at the foot of the page.
    var equivalents: [(request: String, command: String)] {
        Array(zip(texts("<code class=\"call\">", "</code>"), texts("<code class=\"command\">", "</code>")))
    }

    /// The figures of tables and lists of facts, in order, without empty ones.
    var figures: [String] {
        (texts("<td class=\"number\">", "</td>") + texts("<dd class=\"number\">", "</dd>")).filter { $0 != "–" }
    }

    /// The figures in large type.
    var tiles: [String] { texts("<span class=\"figure\">", "</span>") }

    /// The distinct addresses that table cells link to, in order.
    func links(_ prefix: String) -> [String] {
        var seen: Set<String> = []
        return page.components(separatedBy: "<td").dropFirst().compactMap { cell in
            guard let start = cell.range(of: "<a href=\""), let end = cell.range(of: "</td>"),
                start.lowerBound < end.lowerBound
            else { return nil }
            let place = String(cell[start.upperBound...].prefix { $0 != "\"" }).replacing("&amp;", with: "&")
            return place.hasPrefix(prefix) && seen.insert(place).inserted ? place : nil
        }
    }

    /// The texts between two marks, without markup.
    func texts(_ start: String, _ end: String) -> [String] {
        page.components(separatedBy: start).dropFirst().compactMap { part in
            part.range(of: end).map { Self.text(String(part[..<$0.lowerBound])) }
        }
    }

    private static func text(_ markup: String) -> String {
        var text = ""
        var isInTag = false
        for character in markup {
            switch character {
            case "<": isInTag = true
            case ">" where isInTag: isInTag = false
            default: if !isInTag { text.append(character) }
            }
        }
        let entities = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&"),
        ]
        return entities.reduce(text) { $0.replacing($1.0, with: $1.1) }.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension Wording {
    /// An amount of the API, `{"value": 1340, "currency": "USD"}`, as pages show it: `13.40 USD`.
    static func money(_ json: JSONValue?) -> String? {
        guard let value = json?["value"]?.int64, let alpha = json?["currency"]?.string else { return nil }
        return money(value, alpha)
    }
}
