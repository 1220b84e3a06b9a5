package import Canonical
package import Composition
import EventLog
import Matching
package import Reconciliation
import Tables

extension Lists {
    /// Ages are computed at the requested time; without one, at the time the position was recorded, or now.
    package static let exceptions = ListDefinition<ExceptionFilter, ExceptionJSON>(
        name: "exceptions",
        summary: "Exceptions of the reconciliation, newest first.",
        paths: ["exceptions"],
        readModels: ["reconciliation", "merchants"],
        isAvailableInThePast: true,
        filter: ExceptionFilter.init,
        columns: { _ in exceptionColumns },
        shown: "id,class,status,day,merchant,amount_decimal,currency,age_seconds,assignee"
    ) { query, ledger in
        let found = try await ledger.reconciliation.exceptions.exceptions(
            of: query.tenant,
            matching: query.filter,
            at: query.position,
            after: try query.place { cursor throws(Refusal) in (first: cursor.position, id: try cursor.id()) },
            limit: query.limit + 1
        )
        let now = try await ledger.moment(query.time, at: query.position)
        return try Page(found, query.limit) {
            try ExceptionJSON($0, at: now)
        } cursor: {
            Cursor(position: $0.firstPosition, name: $0.id.text)
        }
    }

    private static let exceptionColumns =
        [
            Column("id", "id"), Column("class", "class"), Column("status", "status"), Column("day", "day"),
            Column("merchant", "merchant"), Column("terminal", "terminal"), Column("line", "line"),
            Column("statement", "statement"), Column("processor", "processor"), Column("transaction", "transaction"),
            Column("movement", "movement"),
            Column("currency", as: .currency([["amount"], ["lineAmount"], ["ledgerAmount"]])),
        ] + Column.money("amount", "amount") + Column.money("line_amount", "lineAmount")
        + Column.money("ledger_amount", "ledgerAmount") + [
            Column("age_seconds", "ageSeconds"), Column("assignee", "assignee"),
            Column("resolution", "resolution", "kind"), Column("proposed_by", "proposal", "by"),
            Column("reopenings", "reopenings"), Column("candidates", "candidates", as: .json),
            Column("first_at", "firstAt"), Column("first_position", "firstPosition"),
            Column("last_position", "lastPosition"), Column("version", "version"),
        ]
}

extension ExceptionFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        exceptionClass = try query.choice("class", of: ExceptionClass.self)
        status = try query.choice("status", of: ExceptionStatus.self)
        isOpen = try query.flag("open")
        assignee = try query.text("assignee")
        merchant = try query.text("merchant")
        isUnattributed = try query.flag("unattributed")
        terminal = try query.text("terminal")
        currency = try query.text("currency")
        transaction = try query.id("transaction", of: "a payment")
        line = try query.id("line", of: "a line of a statement")
        from = try query.day("from")
        to = try query.day("to")
        raisedBy = try query.id("raised_by", of: "a run")
        clearedBy = try query.id("cleared_by", of: "a run")
    }
}

extension Ledger {
    /// The time at which ages are computed: the requested one, but not later than now; without one, the time at which
    /// the position was recorded, or now.
    package func moment(_ time: Timestamp?, at position: Int64?) async throws -> Timestamp {
        let now = clock.now()
        if let time { return min(time, now) }
        guard let position, position > 0 else { return now }
        return try await reader.events(after: position - 1, limit: 1).first?.recordedAt ?? now
    }
}
