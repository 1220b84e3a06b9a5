/// A file that Beancount 3 reads without plugins. The files of one series, in their order, are one valid ledger.
struct BeancountText: ExportText {
    let chart: Chart

    /// Accounts are open before any business day.
    private static let opening = "1970-01-01"

    func beginning(_ range: ExportRange, declaring declared: Declarations) -> String {
        let accounts = declared.accounts.map { "\(Self.opening) open \($0.fullName(in: chart))\n" }
        return "; Journal entries after position \(range.after) up to \(range.through)\n" + accounts.joined() + "\n"
    }

    func entry(_ entry: ExportEntry) -> String {
        let common = entry.references
        var text = "\(entry.day) * \(Self.quoted(entry.title))\n  position: \(entry.position)\n"
        text += Self.metadata(common, indent: "  ")
        for leg in entry.legs {
            text += "  \(AccountPart(leg.account, leg.part).fullName(in: chart))  \(leg.amount)\n"
            text += Self.metadata(leg.references(besides: common), indent: "    ")
        }
        return text + "\n"
    }

    private static func metadata(_ references: [Reference], indent: String) -> String {
        references.map { "\(indent)\($0.name): \(quoted($0.value.escaped()))\n" }.joined()
    }

    /// By scalars: a quote with an accent over it ends the text, too.
    private static func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "\\" || scalar == "\"" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
