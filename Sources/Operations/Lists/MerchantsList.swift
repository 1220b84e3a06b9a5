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
        },
        shown: "merchant,zone,cutoff,at,by,reason"
    ) { query, ledger in
        let found = try await ledger.payments.merchants.merchants(
            of: query.tenant,
            after: query.cursor?.name,
            limit: query.limit + 1
        )
        return Page(found, query.limit) {
            MerchantJSON($0)
        } cursor: {
            Cursor(position: $0.position, name: $0.merchant)
        }
    }
}
