import Payments
import Tables

/// A file that QuickBooks Online imports as journal entries: one for each position, day and currency.
struct QuickBooksText: ExportText {
    let chart: Chart

    func beginning(_ range: ExportRange, declaring declared: Declarations) -> String {
        let names = ["Journal No", "Journal Date", "Currency", "Account Name", "Debits", "Credits", "Description"]
        return line(names.map(Cell.text))
    }

    func entry(_ entry: ExportEntry) -> String {
        let common = entry.references
        let day = entry.day.split(separator: "-")
        var text = ""
        for (currency, legs) in entry.byCurrency {
            // A number has at most 21 characters.
            let number = "\(entry.position)-\(day[0].suffix(2))\(day[1])\(day[2])-\(currency.alpha)"
            for leg in legs {
                let amount = Cell.number(String(leg.amount.decimalText.drop { $0 == "-" }))
                text += line([
                    .text(number), .number("\(day[1])/\(day[2])/\(day[0])"), .text(currency.alpha),
                    .text(AccountPart(leg.account, leg.part).name(in: chart)),
                    leg.amount.isNegative ? .absent : amount, leg.amount.isNegative ? amount : .absent,
                    .text(entry.description(of: leg, common)),
                ])
            }
        }
        return text
    }
}

extension ExportText {
    /// A row of CSV with its line end. Spreadsheets take a cell for a formula that begins with `=`, `+`, `-` or `@`: no
    /// cell but an amount begins with one of them.
    func line(_ cells: [Cell]) -> String { String(decoding: CSVDialect.raw.line(cells), as: UTF8.self) }
}
