package import Canonical
import Composition
package import Reconciliation
import Tables

extension Lists {
    package static let deposits = ListDefinition<TransferFilter, TransferJSON>(
        name: "deposits",
        summary: "Payouts of processors and transfers to bank accounts, newest first.",
        paths: ["deposits"],
        readModels: ["reconciliation", "statements", "merchants"],
        isAvailableInThePast: true,
        filter: TransferFilter.init,
        columns: { _ in
            [
                Column("line", "line"), Column("side", "side"), Column("state", "state"), Column("type", "type"),
                Column("day", "day"), Column("reference", "reference"), Column("merchant", "merchant"),
                Column("account", "account"), Column("currency", "currency"),
            ] + Column.money("amount", "amount") + [Column("statement", "statement"), Column("position", "position")]
        },
        shown: "line,side,state,type,day,reference,merchant,amount_decimal,currency"
    ) { query, ledger in
        let found = try await ledger.reconciliation.deposits.transfers(
            of: query.tenant,
            matching: query.filter,
            at: query.position,
            before: try query.place { cursor throws(Refusal) in (position: cursor.position, line: try cursor.id()) },
            limit: query.limit + 1
        )
        return try Page(found, query.limit) {
            try TransferJSON($0)
        } cursor: {
            Cursor(position: $0.position, name: $0.transfer.line.text)
        }
    }

    package static let paidLines = ListDefinition<UUID128, PaidLineJSON>(
        name: "paid-lines",
        summary: "The lines that one payout pays, with their explanations.",
        paths: ["deposits/{payout}/lines"],
        readModels: ["reconciliation", "statements"],
        isAvailableInThePast: true,
        filter: { query throws(Refusal) in try query.requiredID("payout") },
        columns: { _ in paidColumns },
        shown: "bucket,type,day,processor_id,gross_decimal,fees_decimal,amount_decimal,currency,transactions",
        parentExists: { query, ledger in
            try await ledger.reconciliation.deposits.isTransfer(
                query.filter,
                tenant: query.tenant,
                asOf: query.position ?? .max
            )
        },
        page: { query, ledger in
            let found = try await ledger.reconciliation.deposits.lines(
                paidBy: query.filter,
                tenant: query.tenant,
                asOf: query.position ?? .max,
                after: try query.place { cursor throws(Refusal) in try cursor.id() },
                limit: query.limit + 1
            )
            return try Page(found, query.limit) {
                try PaidLineJSON($0)
            } cursor: {
                Cursor(position: 0, name: $0.line.text)
            }
        }
    )

    private static let paidColumns =
        [
            Column("line", "line"), Column("bucket", "bucket"), Column("type", "type"), Column("role", "role"),
            Column("day", "day"), Column("processor_id", "processorID"),
            Column("currency", as: .currency([["amount"], ["gross"], ["fees"]])),
        ] + Column.money("gross", "gross") + Column.money("fees", "fees") + Column.money("amount", "amount") + [
            Column("statement", "statement"), Column("transactions", "explanations", as: .each("transaction")),
            Column("exceptions", "exceptions", as: .each("class")),
        ]
}

extension TransferFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        side = try query.choice("side", of: DepositCoverage.Side.self)
        state = try query.choice("state", of: DepositCoverage.State.self)
        currency = try query.text("currency")
        merchant = try query.text("merchant")
        account = try query.text("account")
        from = try query.day("from")
        to = try query.day("to")
    }
}
