import Canonical
import Composition
package import Journal
import Payments
import Tables

extension Lists {
    package static let tips = payables(
        .tipsPayable,
        name: "tips",
        summary: "Tips that are owed, by recipient, merchant or business day, sorted by the keys."
    )

    package static let taxes = payables(
        .taxPayable,
        name: "taxes",
        summary: "Taxes that are owed, by authority, merchant or business day, sorted by the keys."
    )

    /// The balances of an account of liabilities, as positive amounts that are owed.
    private static func payables(
        _ account: Account,
        name: String,
        summary: String
    ) -> ListDefinition<PayablesRequest, PayableJSON> {
        ListDefinition(
            name: name,
            summary: summary,
            paths: [name],
            readModels: ["journal", "merchants"],
            isAvailableInThePast: true,
            pageSize: nil,
            filter: { (query: inout ParameterReader) throws(Refusal) in try PayablesRequest(&query, of: account) },
            columns: { request in
                request.keys.map { Column($0.name(in: account), $0.name(in: account)) }
                    + [Column("currency", as: .currency([["amount"]]))] + Column.money("amount", "amount")
            },
            members: { query, _ in
                let names = query.filter.keys.map { $0.name(in: account) }
                var head: JSONObject = ["by": .array(names.map { .string($0) })]
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
                return Page(items: rows.map { PayableJSON($0, by: wanted.keys, of: account) }, next: nil)
            }
        )
    }
}

/// A request for the balances of an account of liabilities.
package struct PayablesRequest: Sendable, Hashable {
    package var keys: [BalanceKey]
    package var filter = JournalFilter()

    /// Reads `by`, the name of the account's parts, `merchant`, `currency`, `from_day` and `to_day`.
    init(_ query: inout ParameterReader, of account: Account) throws(Refusal) {
        let known: [BalanceKey] = [.part, .merchant, .day]
        let names = known.map { $0.name(in: account) }.joined(separator: ", ")
        let keys = try query.value("by", expected: "is one to three of \(names), each once, separated by commas") {
            text in
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            let keys = names.compactMap { name in known.first { $0.name(in: account) == name } }
            return keys.count == names.count && Set(keys).count == keys.count ? keys : nil
        }
        self.keys = keys ?? [.part]
        filter.account = account
        filter.part = try query.text(BalanceKey.part.name(in: account))
        filter.merchant = try query.text("merchant")
        filter.currency = try query.text("currency")
        filter.from = try query.day("from_day")
        filter.to = try query.day("to_day")
    }
}

extension BalanceKey {
    /// The key as a filter and column of a list about one account: its parts by their own name.
    func name(in account: Account) -> String { self == .part ? account.partName ?? rawValue : rawValue }
}
