import Access
import Canonical
package import Composition
package import HTTPEdge
import HTTPTypes
import Intake
package import Journal
import Operations

extension API {
    private static let exportLimit = 16 << 10

    func addExports(to router: inout EdgeRouter<Principal>) {
        router.on(.post, "/v1/journal-exports", .init(bodyLimitBytes: Self.exportLimit, span: .stream)) {
            try await exportJournal($0)
        }
        router.on(.get, "/v1/journal-exports/{id}/file", .init(span: .stream)) { try await exportedFile($0) }
    }

    /// `{"format": "beancount", "after": 0, "through": 1200}`.
    private func exportJournal(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let outcome = try await ledger.exportJournal(
            try ExportRequest(reading: try await Self.storableJSON(request)),
            idempotencyKey: key,
            sender: sender(principal, request),
            waitLimit: ledger.waitLimit
        )
        try await wait(for: outcome.position, in: "journal")
        guard let found = try await ledger.journal.export(outcome.export.id, of: principal.tenant) else {
            throw Problem.internal
        }
        var response = try EdgeResponse.document(JournalExportJSON(found), status: .created)
        response.fields[.location] = "/v1/journal-exports/\(found.export.id.text)/file"
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// The bytes of an export, written again from the entries.
    private func exportedFile(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        try await waitForWrites(&query, in: "journal")
        try query.finish()
        guard let found = try await ledger.journal.export(id, of: principal.tenant) else { throw Problem.notFound }
        return .file(of: found.export, tenant: principal.tenant, ledger)
    }
}

extension EdgeResponse {
    /// The file of an export of the journal. The connection is cut before its end if the entries do not give the
    /// recorded bytes.
    package static func file(of export: JournalExport, tenant: String, _ ledger: Ledger) -> EdgeResponse {
        var response = EdgeResponse.stream(type: export.format.mediaType) { writer in
            try await ExportFile.again(export, of: tenant, from: ledger.journal) { try await writer.write($0) }
        }
        response.fields[.contentDisposition] = "attachment; filename=\"\(export.fileName)\""
        return response
    }
}
