import Canonical
import Payments
import XML

/// An amount of camt with its direction: `Amt` with a currency, and `CdtDbtInd` beside it.
struct CamtAmount {
    /// Minor units, as written.
    let value: Int64
    let currency: Currency
    let isCredit: Bool

    var signed: Int64 { isCredit ? value : -value }

    /// - Parameter isCredit: The direction if the element has none; nil if it must have one.
    init(of element: XMLTree, orElse isCredit: Bool? = nil) throws {
        guard let amount = element["Amt"] else {
            throw StatementProblem(.missingColumn, line: element.line, column: .named("Amt"), "An amount is expected.")
        }
        let money = try Self.money(amount)
        (value, currency) = (money.value, money.currency)
        if let sense = element["CdtDbtInd"] {
            self.isCredit = try Self.isCredit(sense)
        } else if let isCredit {
            self.isCredit = isCredit
        } else {
            throw StatementProblem(
                .missingColumn,
                line: element.line,
                column: .named("CdtDbtInd"),
                "Whether the amount is a credit or a debit is expected."
            )
        }
    }

    /// The money of an element with a currency in its attribute.
    static func money(_ amount: XMLTree) throws -> Money {
        let code = Field(
            Array((amount.attributes["Ccy"] ?? "").utf8)[...],
            line: amount.line,
            column: .named("\(amount.name) Ccy")
        )
        let currency = try code.currency()
        return Money(try amount.field.amount(currency), currency)
    }

    static func isCredit(_ sense: XMLTree) throws -> Bool {
        switch sense.field.id {
        case "CRDT": return true
        case "DBIT": return false
        default: throw sense.field.problem(.unknownCode, "CRDT or DBIT is expected.")
        }
    }
}

/// A day or a time: `Dt`, `DtTm`, or the text itself.
struct CamtTime {
    let day: CivilDate
    var wall: Timestamp?
    var zone: String?
    var instant: Timestamp?

    init(_ element: XMLTree) throws {
        let field = (element["DtTm"] ?? element["Dt"] ?? element).field
        if let (wall, rest) = DateText.dayAndTime(field.bytes) {
            self.wall = wall
            day = wall.day
            if let seconds = DateText.offset(rest) {
                zone = String(decoding: rest, as: UTF8.self)
                instant = wall.adding(microseconds: -seconds * 1_000_000)
            } else if !rest.isEmpty {
                throw field.problem(.badDate, "A time with Z or an offset is expected.")
            }
            return
        }
        // XML Schema allows a day to have a zone, which is ignored.
        let end = field.bytes.prefix(10)
        guard let found = DateText.day(end),
            end.count == field.bytes.count || DateText.offset(field.bytes.dropFirst(10)) != nil
        else { throw field.problem(.badDate, "A day like 2026-01-02 is expected.") }
        day = found
    }
}
