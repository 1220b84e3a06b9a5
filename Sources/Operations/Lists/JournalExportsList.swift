import Canonical
import Composition
package import Journal
import Tables

extension Lists {
    package static let journalExports = ListDefinition<ExportFilter, JournalExportJSON>(
        name: "journal-exports",
        summary: "Exports of the journal for accounting software, newest first.",
        paths: ["journal-exports"],
        readModels: ["journal"],
        isAvailableInThePast: true,
        filter: ExportFilter.init,
        columns: { _ in
            [
                Column("id", "id"), Column("format", "format"), Column("since", "since"), Column("after", "after"),
                Column("through", "through"), Column("entries", "entries"), Column("legs", "legs"),
                Column("bytes", "bytes"), Column("sha256", "sha256"), Column("chart", "chart"),
                Column("position", "position"), Column("at", "at"), Column("by", "by"),
            ]
        },
        shown: "id,format,after,through,entries,bytes,at,by"
    ) { query, ledger in
        let found = try await ledger.journal.exports(
            of: query.tenant,
            matching: query.filter,
            at: query.position,
            before: query.before,
            limit: query.limit + 1
        )
        return Page(found, query.limit) {
            JournalExportJSON($0)
        } cursor: {
            Cursor(position: $0.position)
        }
    }
}

extension ExportFilter {
    /// Reads `format`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        format = try query.choice("format", of: ExportFormat.self)
    }
}
