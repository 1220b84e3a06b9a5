import Access
import Canonical
import Composition
import DaybookAPI
import HTTPEdge
import Journal
import Operations

extension WebConsole {
    func addExports(to router: inout EdgeRouter<Principal>) {
        addPage(.exports, needs: [.read], to: &router) { try await exports($0) }
        addFile("\(ConsoleView.exports.rawValue)/{id}/file", needs: [.read], to: &router) {
            try await exportedFile($0)
        }
    }

    /// The exports of the journal, with their files.
    private func exports(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(
            Lists.journalExports,
            .exports,
            "exports",
            "Exports",
            visit,
            filters: FilterForm(
                action: ConsoleView.exports.rawValue,
                fields: [
                    FilterField(
                        "format",
                        "Format",
                        .choice(ExportFormat.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
                    )
                ]
            )
        ) { (exports: [JournalExportJSON]) in
            Table(
                caption: "Exports of the journal, newest first",
                columns: ["Position#", "Format", "Covers", "Entries#", "Bytes#", "Chart", "By", "When", "File"],
                rows: exports.map { export in
                    [
                        .number("\(export.position)", href: Address.event(export.position)),
                        Cell(Wording.sentence(export.format.rawValue)),
                        Cell("\(export.after + 1) to \(export.through)"), .count(export.entries), .count(export.bytes),
                        Cell(export.chart == 0 ? "standard" : "version \(export.chart)"), .code(export.by),
                        .time(export.at, in: visit.zone),
                        Cell("Download", href: Address.exportedFile(export.id.text)),
                    ]
                },
                whenEmpty: "No export is recorded. `daybook export journal` records one."
            )
        }
    }

    private func exportedFile(_ visit: Visit) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        try visit.query.finish()
        guard let found = try await ledger.journal.export(id, of: visit.tenant) else { throw Problem.notFound }
        return .file(of: found.export, tenant: visit.tenant, ledger)
    }
}
