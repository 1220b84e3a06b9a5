import Canonical
import Composition
package import Journal
import Payments
import Tables

extension Lists {
    package static let trialBalance = ListDefinition<TrialBalanceRequest, AccountBalanceJSON>(
        name: "trial-balance",
        summary: "Balances of the journal's accounts that are not zero, by up to three keys, sorted by the keys.",
        paths: ["trial-balance"],
        readModels: ["journal", "merchants"],
        isAvailableInThePast: true,
        pageSize: nil,
        filter: TrialBalanceRequest.init,
        columns: { $0.columns },
        members: { query, _ in
            var head: JSONObject = ["by": .array(query.filter.keys.map { .string($0.rawValue) })]
            if let position = query.position { head["asOfPosition"] = .number(.init(position)) }
            return head
        },
        page: { query, ledger in
            let wanted = query.filter
            let rows = try await ledger.journal.balances(
                of: query.tenant,
                by: wanted.keys,
                matching: wanted.filter,
                at: query.position
            )
            let chart = try await ledger.journal.chart(of: query.tenant, at: query.position)
            return Page(items: rows.map { AccountBalanceJSON($0, by: wanted.keys, named: chart) }, next: nil)
        }
    )
}

/// A request for a trial balance.
package struct TrialBalanceRequest: Sendable, Hashable {
    package var keys: [BalanceKey]
    package var filter = JournalFilter()

    /// The keys, an account's with its number and name, and the balance.
    var columns: [Column] {
        let names = keys.flatMap { $0 == .account ? ["account", "number", "name"] : [$0.rawValue] }
        return names.map { Column($0, $0) } + [Column("currency", "currency")] + Column.money("debit", "debit")
            + Column.money("credit", "credit")
    }

    /// Reads `by` and the filters of the journal, except for a payment.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        let names = BalanceKey.allCases.map(\.rawValue).joined(separator: ", ")
        let keys = try query.value("by", expected: "is one to three of \(names), each once, separated by commas") {
            text in
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let keys = names.compactMap(BalanceKey.init)
            return keys.count == names.count && keys.count <= 3 && Set(keys).count == keys.count ? keys : nil
        }
        self.keys = keys ?? [.account]
        filter.account = try query.choice("account", of: Account.self)
        filter.part = try query.text("part")
        filter.merchant = try query.text("merchant")
        filter.currency = try query.text("currency")
        filter.from = try query.day("from_day")
        filter.to = try query.day("to_day")
    }
}
