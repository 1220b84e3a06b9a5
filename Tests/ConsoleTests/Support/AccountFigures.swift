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
}
