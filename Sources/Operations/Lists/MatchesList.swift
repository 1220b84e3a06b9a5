import Canonical
import Composition
package import Reconciliation
import Tables

extension Lists {
    package static let matches = ListDefinition<MatchFilter, MatchJSON>(
        name: "matches",
        summary: "Matches of lines with movements, oldest first.",
        paths: ["matches"],
        // Matches show the ledger's lines of that position.
        readModels: ["reconciliation", "batches"],
        isAvailableInThePast: true,
        filter: MatchFilter.init,
        columns: { _ in
            [
                Column("line", "line"), Column("transaction", "transaction"), Column("movement", "movement"),
                Column("match", "match"), Column("rule", "rule"), Column("position", "position"),
                Column("ended_position", "endedPosition"), Column("statement", "statement"),
                Column("number", "number"), Column("day", "day"),
                Column("currency", as: .currency([["lineAmount"], ["ledgerAmount"]])),
            ] + Column.money("line_amount", "lineAmount") + Column.money("ledger_amount", "ledgerAmount")
        },
        shown: "transaction,movement,rule,statement,number,day,line_amount_decimal,ledger_amount_decimal,currency"
    ) { query, ledger in
        let found = try await ledger.reconciliation.query.matches(
            of: query.tenant,
            matching: query.filter,
            at: query.position,
            after: try query.place { cursor throws(Refusal) in try cursor.match() },
            limit: query.limit + 1
        )
        return try Page(found, query.limit) {
            try MatchJSON($0)
        } cursor: {
            Cursor($0)
        }
    }
}

extension MatchFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        transaction = try query.id("transaction", of: "a payment")
        line = try query.id("line", of: "a line of a statement")
        rule = try query.text("rule")
        madeBy = try query.id("made_by", of: "a run")
        endedBy = try query.id("ended_by", of: "a run")
    }
}

extension Cursor {
    fileprivate init(_ view: MatchView) {
        self.init(position: view.position, name: "\(view.line)~\(view.transaction)~\(view.movement)")
    }

    fileprivate func match() throws(Refusal) -> ReconciliationQuery.MatchPlace {
        let parts = (name ?? "").split(separator: "~", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let line = UUID128(String(parts[0])), let transaction = UUID128(String(parts[1])) else {
            throw Self.invalid
        }
        return .init(position: position, line: line, transaction: transaction, movement: String(parts[2]))
    }
}
