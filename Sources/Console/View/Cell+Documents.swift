import Canonical
import Projections

extension Cell {
    static func count(_ number: Int64?) -> Cell { .number(number.map { "\($0)" }) }

    /// A link to an event.
    static func event(_ position: Int64?) -> Cell {
        position.map { .count($0, href: Address.event($0)) } ?? Cell(nil)
    }

    /// A value with a stable name, as a sentence.
    static func name(_ value: (some RawRepresentable<String>)?) -> Cell {
        Cell(value.map { Wording.sentence($0.rawValue) })
    }

    static func payment(_ id: UUID128?) -> Cell {
        id.map { .code($0.text, href: Address.transaction($0.text)) } ?? Cell(nil)
    }

    static func statement(_ id: UUID128?) -> Cell {
        id.map { .code($0.text, href: Address.statement($0.text)) } ?? Cell(nil)
    }
}
