import Payments

/// A file that hledger reads. The files of one series, in their order, pass `hledger check --strict`.
struct HledgerText: ExportText {
    let chart: Chart

    func beginning(_ range: ExportRange, declaring declared: Declarations) -> String {
        let currencies = declared.currencies.map { currency in
            let places = String(repeating: "0", count: currency.exponent ?? 0)
            return "commodity 1000.\(places) \(currency.alpha)\n"
        }
        let accounts = declared.accounts.map { "account \($0.fullName(in: chart))\n" }
        return "; Journal entries after position \(range.after) up to \(range.through)\ndecimal-mark .\n"
            + currencies.joined() + accounts.joined() + "\n"
    }

    func entry(_ entry: ExportEntry) -> String {
        let common = entry.references
        var text = "\(entry.day) * (\(entry.position)) \(entry.title)\n"
        text += Self.tags([Reference("position", "\(entry.position)")] + common)
        for leg in entry.legs {
            text += "    \(AccountPart(leg.account, leg.part).fullName(in: chart))  \(leg.amount)\n"
            text += Self.tags(leg.references(besides: common))
        }
        return text + "\n"
    }

    /// A comma ends the value of a tag, and brackets in the comment of a posting may be a date.
    private static func tags(_ references: [Reference]) -> String {
        references.map { "    ; \($0.name): \($0.value.escaped(",[]"))\n" }.joined()
    }
}
