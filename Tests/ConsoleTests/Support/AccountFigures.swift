import Canonical
import Payments

@testable import Console

/// The figures of the pages about accounts, computed from the API's answers.
enum AccountFigures {
    static func accounts(_ accounts: [JSONValue]) -> [String?] {
        accounts.map { account in
            let balances = (account["balances"]?.array ?? []).compactMap { Wording.money($0) }
            return balances.isEmpty ? nil : balances.joined(separator: ", ")
        }
    }

    /// - Parameter answers: The statement, and the trial balance of the account by day if the page has a chart.
    static func statement(_ answers: [JSONValue]) -> [String?] {
        let statement = answers[0]
        var figures = [statement["asOfPosition"]?.text]
        for name in ["opening", "closing"] {
            let balances = (statement[name]?.array ?? []).compactMap { Wording.money($0) }
            figures.append(balances.isEmpty ? "none" : balances.joined(separator: ", "))
        }
        for entry in statement["items"]?.array ?? [] {
            figures += [entry["position"]?.text, Wording.money(entry["amount"]), Wording.money(entry["balance"])]
        }
        let days = answers.count > 1 ? answers[1]["items"]?.array ?? [] : []
        guard let code = days.compactMap({ $0["currency"]?.string }).min() else { return figures }
        var balance = (statement["opening"]?.array ?? []).first { $0["currency"]?.string == code }?["value"]?.int64 ?? 0
        for day in days where day["currency"]?.string == code {
            balance += (day["debit"]?["value"]?.int64 ?? 0) - (day["credit"]?["value"]?.int64 ?? 0)
            figures.append(Wording.money(balance, code))
        }
        return figures
    }

    /// Entries and sums of a list.
    static func sums(_ items: [JSONValue]) -> [String?] {
        let names = ["captured", "tip", "refunded", "credited", "voided", "net", "debit", "credit"]
        return items.flatMap { item -> [String?] in
            var figures = ["position", "entries", "bytes"].map { item[$0]?.text }
            figures += names.map { Wording.money(item[$0]) }
            // The side of an entry shows its sign.
            figures.append(Wording.money(item["amount"])?.replacing("-", with: ""))
            figures += (item["portions"]?.array ?? []).map { Wording.money($0["amount"]) }
            return figures
        }
    }

    /// A list with a chart, whose figures are in a table below it.
    static func chartedList(_ view: ConsoleView, _ items: [JSONValue]) -> [String?] {
        let rows = items.flatMap { item -> [String?] in
            let rate = item["basisPointHundredths"]?.int64.map(Wording.basisPoints(hundredths:))
            let amounts = ["amount", "volume", "expected", "difference"].map { Wording.money(item[$0]) }
            return amounts + [item["lines"]?.text, rate]
        }
        guard let code = items.compactMap({ $0["amount"]?["currency"]?.string }).min() else { return rows }
        var names: [String] = []
        var sums: [String: Int64] = [:]
        for item in items where item["amount"]?["currency"]?.string == code {
            let bar = name(of: item, on: view)
            if sums[bar] == nil { names.append(bar) }
            sums[bar, default: 0] += item["amount"]?["value"]?.int64 ?? 0
        }
        var bars = names.prefix(30).map { sums[$0] ?? 0 }
        if names.count > 30 { bars.append(names.dropFirst(30).reduce(0) { $0 + (sums[$1] ?? 0) }) }
        return rows + bars.map { Optional(Wording.money($0, code)) }
    }

    /// The name of the bar that counts an item.
    private static func name(of item: JSONValue, on view: ConsoleView) -> String {
        let names: [String]
        switch view {
        case .receivables: names = ["age"]
        case .cashForecast: names = item["timing"] == "expected" ? ["day"] : ["timing"]
        case .fees: names = ["component"]
        default: names = ["recipient", "authority", "merchant", "day"]
        }
        return names.map { item[$0]?.string ?? "" }.joined(separator: " ")
    }
}
