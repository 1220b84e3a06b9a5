import Canonical
import Projections

/// One cell of a table, or one value of a list of facts.
struct Cell: Sendable, Hashable {
    /// How something is to be taken; shown by colour, and always said in words as well.
    enum Tone: String, Sendable {
        case plain, good, caution, bad
    }

    var text: String
    var href: String?
    var tone: Tone?
    var isNumber = false
    /// RFC 3339, where the text is a time.
    var machineTime: String?
    /// Identifiers are set so that their characters can be told apart.
    var isCode = false

    init(_ text: String?, href: String? = nil) {
        self.text = text.flatMap { $0.isEmpty ? nil : $0 } ?? "–"
        self.href = href
    }

    static func number(_ text: String?, href: String? = nil) -> Cell {
        var cell = Cell(text, href: href)
        cell.isNumber = true
        return cell
    }

    static func count(_ number: Int64, href: String? = nil) -> Cell { .number("\(number)", href: href) }

    static func money(_ json: JSONValue?) -> Cell { .number(Wording.money(json)) }

    static func code(_ text: String?, href: String? = nil) -> Cell {
        var cell = Cell(text, href: href)
        cell.isCode = text != nil
        return cell
    }

    static func badge(_ text: String, _ tone: Tone) -> Cell {
        var cell = Cell(text)
        cell.tone = tone
        return cell
    }

    static func status(_ name: String?) -> Cell {
        guard let name else { return Cell(nil) }
        return .badge(Wording.sentence(name), Wording.tone(ofStatus: name))
    }

    static func time(_ time: Timestamp?, in zone: Zone, href: String? = nil) -> Cell {
        guard let time else { return Cell(nil) }
        var cell = Cell(zone.text(time), href: href)
        cell.machineTime = time.rfc3339
        return cell
    }

    /// A time of the API.
    static func time(_ json: JSONValue?, in zone: Zone, href: String? = nil) -> Cell {
        .time(json?.string.flatMap { Timestamp(rfc3339: $0) }, in: zone, href: href)
    }

    var value: PageValue {
        .members([
            "text": .text(text), "href": .given(href), "tone": tone.map { .text($0.rawValue) },
            "number": .given(isNumber), "time": .given(machineTime), "code": .given(isCode),
        ])
    }
}

/// A table with a caption, and what is said where it has no rows.
struct Table: Sendable {
    var caption: String
    /// A heading that ends in `#` is one of numbers.
    var columns: [String]
    var rows: [[Cell]]
    var whenEmpty: String

    var value: PageValue {
        .members([
            "caption": .text(caption), "whenEmpty": .text(whenEmpty), "filled": .given(!rows.isEmpty),
            "columns": .list(
                columns.map { title in
                    .members([
                        "title": .text(title.hasSuffix("#") ? String(title.dropLast()) : title),
                        "number": .given(title.hasSuffix("#")),
                    ])
                }
            ),
            "rows": .list(rows.map { .members(["cells": .list($0.map(\.value))]) }),
        ])
    }
}

/// Names with values, one under the other. Those without a value are left out.
struct Facts: Sendable {
    private var rows: [(name: String, cell: Cell)] = []

    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ name: String, _ text: String?, href: String? = nil) {
        guard let text, !text.isEmpty else { return }
        rows.append((name, Cell(text, href: href)))
    }

    mutating func add(_ name: String, _ cell: Cell) {
        guard cell.text != Cell(nil).text else { return }
        rows.append((name, cell))
    }

    /// Nil where there are none, so that their section is left out.
    var value: PageValue? {
        guard !rows.isEmpty else { return nil }
        return .members([
            "facts": .list(rows.map { .members(["name": .text($0.name), "cell": $0.cell.value]) })
        ])
    }
}
