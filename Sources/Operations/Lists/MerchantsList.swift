import Composition
import Projections
import Tables

extension Lists {
    package static let merchants = ListDefinition<Void, MerchantJSON>(
        name: "merchants",
        summary: "Described merchants, by name.",
        paths: ["merchants"],
        readModels: ["merchants"],
        filter: { _ throws(Refusal) in },
        columns: { _ in
            ["merchant", "zone", "cutoff", "reason", "position", "by", "at"].map { Column($0, $0) }
                + [Column("names", "names", as: .json)]
        },
        shown: "merchant,zone,cutoff,at,by,reason"
    ) { query, ledger in
        let found = try await ledger.payments.merchants.merchants(
            of: query.tenant,
            after: query.cursor?.name,
            limit: query.limit + 1
        )
        let links = try await ledger.payments.merchants.links(around: found.map(\.merchant), of: query.tenant)
        return Page(found, query.limit) {
            MerchantJSON($0, links)
        } cursor: {
            Cursor(position: $0.position, name: $0.merchant)
        }
    }
}
