import Canonical
import Payments
import Projections

/// One cell of a table, or one value in a list of facts.
struct Cell: Sendable, Hashable {
    /// The tone of a value, shown by colour. The text always has the same meaning.
    enum Tone: String, Sendable {
        case plain, good, caution, bad
    }

    var text: String
    var href: String?
    var tone: Tone?
    var isNumber = false
    /// The time in RFC 3339, if the text is a time.
    var machineTime: String?
    /// Whether the text is set in the font for identifiers, whose characters are easy to distinguish.
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

    static func money(_ money: Money?) -> Cell { .number(money?.description) }

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

    static func time(_ time: ReportedTime?, in zone: Zone) -> Cell {
        guard let time else { return Cell(nil) }
        var cell = Cell(zone.text(time))
        cell.machineTime = time.description
        return cell
    }

    /// A cell for a time of the API.
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

/// A table with a caption, and the text if it has no rows.
struct Table: Sendable {
    var caption: String
    /// The headings. One that ends in `#` is for numbers.
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

/// A list of names with values. Names without a value are left out.
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

    /// The list; nil if it is empty, so that its section is not written.
    var value: PageValue? {
        guard !rows.isEmpty else { return nil }
        return .members([
            "facts": .list(rows.map { .members(["name": .text($0.name), "cell": $0.cell.value]) })
        ])
    }
}
