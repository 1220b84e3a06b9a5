import Canonical
import Composition
import Journal
import Tables

extension Lists {
    package static let accounts = ListDefinition<Void, AccountJSON>(
        name: "accounts",
        summary: "Every account of the journal, with its kind, name, number, parts and balances.",
        paths: ["accounts"],
        readModels: ["journal"],
        isAvailableInThePast: true,
        pageSize: nil,
        filter: { _ throws(Refusal) in },
        columns: { _ in
            ["account", "kind", "number", "name"].map { Column($0, $0) } + [
                Column("part_name", "partName"), Column("part_count", "partCount"),
                Column("parts", "parts", as: .json), Column("balances", "balances", as: .json),
            ]
        },
        shown: "account,kind,number,name,part_count,balances"
    ) { query, ledger in
        let accounts = try await ledger.journal.accounts(of: query.tenant, at: query.position)
        let chart = try await ledger.journal.chart(of: query.tenant, at: query.position)
        return Page(items: accounts.map { AccountJSON($0, named: chart) }, next: nil)
    }
}
