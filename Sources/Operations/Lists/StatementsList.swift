import Canonical
import Composition
package import Reconciliation
import Statements
import Tables

extension Lists {
    package static let statements = ListDefinition<StatementFilter, StatementJSON>(
        name: "statements",
        summary: "Imported statements, newest first.",
        paths: ["statements"],
        readModels: ["statements"],
        isAvailableInThePast: true,
        filter: StatementFilter.init,
        columns: { _ in
            [
                Column("id", "id"), Column("format", "format"), Column("side", "side"), Column("name", "name"),
                Column("status", "status"), Column("digest", "digest"), Column("bytes", "bytes"),
                Column("lines", "lines"), Column("repeated_lines", "repeatedLines"), Column("controls", "controls"),
                Column("failed_controls", "failedControls"), Column("first_day", "firstDay"),
                Column("last_day", "lastDay"), Column("totals", "totals", as: .json),
                Column("imported_at", "importedAt"), Column("imported_by", "importedBy"),
                Column("first_position", "firstPosition"), Column("last_position", "lastPosition"),
                Column("withdrawn_at", "withdrawal", "at"), Column("withdrawn_by", "withdrawal", "by"),
                Column("withdrawal_reason", "withdrawal", "reason"), Column("replaces", "replaces"),
            ]
        },
        shown: "id,format,name,status,lines,failed_controls,first_day,last_day,imported_at"
    ) { query, ledger in
        let found = try await ledger.reconciliation.statements.statements(
            of: query.tenant,
            matching: query.filter,
            at: query.position,
            before: query.before,
            limit: query.limit + 1
        )
        return try Page(found, query.limit) {
            try StatementJSON($0)
        } cursor: {
            Cursor(position: $0.firstPosition)
        }
    }
}

extension StatementFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        format = try query.choice("format", of: StatementFormat.self)?.rawValue
        side = try query.choice("side", of: StatementSide.self)?.rawValue
        isInconsistent = try query.flag("inconsistent")
        status = try query.choice("status", of: StatementView.Status.self)
    }
}
