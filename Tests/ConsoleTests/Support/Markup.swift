import Foundation

/// A strict reader of the console's HTML: elements are nested correctly, attributes quoted, ids unique.
struct Markup {
    private(set) var faults: [String] = []
    /// Every element, with its attributes.
    private(set) var elements: [(name: String, attributes: [String: String])] = []

    private static let void: Set<String> = ["meta", "link", "input", "br", "hr", "img"]

    init(_ page: String) {
        var open: [String] = []
        var rest = Substring(page)
        if let doctype = rest.range(of: "<!DOCTYPE html>") { rest = rest[doctype.upperBound...] }
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: ">") else {
                faults.append("a tag does not end")
                return
            }
            let tag = rest[..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                let name = String(tag.dropFirst())
                if open.last == name { open.removeLast() } else { faults.append("</\(name)> in \(open.suffix(3))") }
                continue
            }
            let name = String(tag.prefix { $0.isLetter || $0.isNumber })
            guard !name.isEmpty else {
                faults.append("<\(tag.prefix(20))> is no tag")
                continue
            }
            elements.append((name, attributes(tag.dropFirst(name.count), name)))
            if !Self.void.contains(name), !tag.hasSuffix("/") { open.append(name) }
        }
        if !open.isEmpty { faults.append("left open: \(open)") }
        let ids = elements.compactMap { $0.attributes["id"] }
        if Set(ids).count != ids.count { faults.append("an id stands twice") }
        let labels = Set(elements.filter { $0.name == "label" }.compactMap { $0.attributes["for"] })
        for element in elements where element.name == "input" || element.name == "select" {
            let type = element.attributes["type"]
            if type == "hidden" || type == "checkbox" { continue }
            if !labels.contains(element.attributes["id"] ?? "") { faults.append("a field has no label") }
        }
        for label in labels where !ids.contains(label) { faults.append("a label without its field: \(label)") }
    }

    private mutating func attributes(_ text: Substring, _ name: String) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = text.drop { $0 == " " }
        while !rest.isEmpty, rest != "/" {
            let key = String(rest.prefix { $0 != "=" && $0 != " " })
            rest = rest.dropFirst(key.count)
            if rest.first == "=" {
                rest = rest.dropFirst()
                guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else {
                    faults.append("\(name) \(key) is not quoted")
                    return attributes
                }
                attributes[key] = String(rest[rest.index(after: rest.startIndex)..<end])
                rest = rest[rest.index(after: end)...]
            } else {
                attributes[key] = ""
            }
            if key.hasPrefix("on") || key == "style" { faults.append("\(name) has \(key)") }
            rest = rest.drop { $0 == " " }
        }
        return attributes
    }
}
