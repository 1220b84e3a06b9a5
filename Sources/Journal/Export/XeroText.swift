import Payments
import Tables

/// A file that Xero imports as manual journals: one for each position, day and currency. Xero has no accounts below
/// accounts, so the description begins with the part.
struct XeroText: ExportText {
    let chart: Chart

    private static let taxRate = "Tax Exempt"

    func beginning(_ range: ExportRange, declaring declared: Declarations) -> String {
        let names = [
            "*Narration", "*Date", "Description", "*AccountCode", "*TaxRate", "*Amount", "TrackingName1",
            "TrackingOption1", "TrackingName2", "TrackingOption2",
        ]
        return line(names.map(Cell.text))
    }

    func entry(_ entry: ExportEntry) -> String {
        let common = entry.references
        var text = ""
        for (currency, legs) in entry.byCurrency {
            for leg in legs {
                let account = AccountPart(leg.account, leg.part).name(in: chart)
                text += line([
                    .text("\(entry.title), \(entry.day), \(currency.alpha)"), .text(Self.date(entry.day)),
                    .text("\(account); \(entry.description(of: leg, common))"),
                    .text(chart[leg.account].number), .text(Self.taxRate), .number(leg.amount.decimalText), .absent,
                    .absent, .absent, .absent,
                ])
            }
        }
        return text
    }

    private static let months = [
        "01": "Jan", "02": "Feb", "03": "Mar", "04": "Apr", "05": "May", "06": "Jun", "07": "Jul", "08": "Aug",
        "09": "Sep", "10": "Oct", "11": "Nov", "12": "Dec",
    ]

    /// `01 Mar 2026`, which Xero reads the same way in every country.
    private static func date(_ day: String) -> String {
        let parts = day.split(separator: "-").map(String.init)
        return "\(parts[2]) \(months[parts[1]] ?? parts[1]) \(parts[0])"
    }
}
