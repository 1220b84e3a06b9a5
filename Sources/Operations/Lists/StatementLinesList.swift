package import Canonical
import Composition
import Reconciliation
import Tables

extension Lists {
    package static let statementLines = ListDefinition<UUID128, StatementLineJSON>(
        name: "statement-lines",
        summary: "The lines of one statement, in the order of the file.",
        paths: ["statements/{statement}/lines"],
        readModels: ["statements"],
        filter: { query throws(Refusal) in try query.requiredID("statement") },
        columns: { _ in lineColumns },
        shown: "number,type,gross_decimal,fees_decimal,net_decimal,currency,day,processor_id,last_four,invoice",
        parentExists: { query, ledger in
            try await ledger.reconciliation.statements.statement(query.filter, of: query.tenant) != nil
        },
        page: { query, ledger in
            let found = try await ledger.reconciliation.statements.lines(
                of: query.filter,
                tenant: query.tenant,
                after: query.after,
                limit: query.limit + 1
            )
            return try Page(found, query.limit) {
                try StatementLineJSON($0)
            } cursor: {
                Cursor(position: $0.number)
            }
        }
    )

    private static let lineColumns: [Column] = {
        let references = [
            "processor_id", "related_id", "rrn", "auth_code", "trace", "arn", "invoice", "merchant", "terminal",
            "batch", "last_four", "brand", "payout", "bank_reference", "account", "text",
        ]
        return [
            Column("number", "number"), Column("id", "id"), Column("line", "line"), Column("repeated", "repeated"),
            Column("type", "type"), Column("raw_type", "rawType"), Column("role", "role"),
            Column("group", "group"), Column("currency", as: .currency([["amount"], ["gross"], ["net"]])),
        ] + Column.money("gross", "gross") + Column.money("fees", "fees") + Column.money("net", "net")
            + Column.money("amount", "amount") + [Column("paid_currency", as: .currency([["paid"]]))]
            + Column.money("paid", "paid") + [
                Column("at", "at"), Column("day", "day"), Column("booked_day", "bookedDay"),
                Column("value_day", "valueDay"), Column("status", "status"),
            ] + references.map { Column($0, "references", $0) }
    }()
}
