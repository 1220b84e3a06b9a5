package import Canonical
import Composition
import Projections
import Tables

extension Lists {
    package static let members = ListDefinition<UUID128, BatchMemberJSON>(
        name: "members",
        summary: "The lines of one batch, by transaction and line.",
        paths: ["batches/{batch}/members"],
        readModels: ["batches"],
        isAvailableInThePast: true,
        filter: { query throws(Refusal) in try query.requiredID("batch") },
        columns: { _ in
            [
                Column("transaction", "transaction"), Column("line", "line"), Column("type", "type"),
                Column("brand", "brand"), Column("currency", as: .currency([["amount"]])),
            ] + Column.money("amount", "amount") + Column.money("tip", "tip") + Column.money("voided", "voided")
                + [Column("evidence", "evidence")]
        },
        shown: "transaction,line,type,amount_decimal,tip_decimal,voided_decimal,currency,brand",
        parentExists: { query, ledger in
            try await ledger.payments.batches.batch(query.filter, of: query.tenant) != nil
        },
        page: { query, ledger in
            let found = try await ledger.payments.batches.lines(
                of: query.filter,
                tenant: query.tenant,
                at: query.position,
                after: try query.place { cursor throws(Refusal) in try cursor.line() },
                limit: query.limit + 1
            )
            return Page(found, query.limit) {
                BatchMemberJSON($0)
            } cursor: {
                Cursor(line: ($0.transaction, $0.line))
            }
        }
    )
}

extension Cursor {
    package init(line: (transaction: UUID128, line: String)) {
        self.init(position: 0, name: "\(line.transaction)~\(line.line)")
    }

    package func line() throws(Refusal) -> (transaction: UUID128, line: String) {
        let parts = (name ?? "").split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let id = UUID128(String(parts[0])) else { throw Self.invalid }
        return (id, String(parts[1]))
    }
}
