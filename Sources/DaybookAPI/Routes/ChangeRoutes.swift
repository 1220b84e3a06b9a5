import Access
import Canonical
import EventLog
import HTTPEdge
import HTTPTypes
import Ledger
import Matching
import Operations
import Payments
import Projections
import Tables

extension API {
    func addChanges(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/batches/{id}/changes", Self.streamable) { try await batchChanges($0) }
        router.on(.get, "/v1/totals/changes", Self.streamable) { try await dayChanges($0) }
    }

    private func batchChanges(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        let asked = try ChangesRequest(&query)
        let table = try TableRequest(&query, of: .changes)
        try await waitForWrites(&query, in: "batches")
        try query.finish()
        guard let batch = try await ledger.batches.batch(id, of: principal.tenant) else { throw Problem.notFound }
        let closed = try await ledger.closingPosition(of: batch, tenant: principal.tenant)
        var comparison = try await comparison(asked, from: closed ?? 0)
        comparison.batch = id
        return try await changes(request, comparison, asked, table, of: principal.tenant)
    }

    private func dayChanges(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let asked = try ChangesRequest(&query)
        let scope = try ChangesScope(&query)
        let table = try TableRequest(&query, of: .changes)
        try await waitForWrites(&query, in: "batches", isAboutOne: false)
        try query.finish()
        let (comparison, days) = try await ledger.narrowed(
            try await comparison(asked, from: 0),
            to: scope,
            of: principal.tenant
        )
        let day = scope.day.map { ChangesPage.Day(name: $0, days: days) }
        return try await changes(request, comparison, asked, table, of: principal.tenant, day: day)
    }

    /// The requested positions, by default `first` and the end of the log. All pages compare the same positions, also
    /// when events are recorded meanwhile.
    private func comparison(_ asked: ChangesRequest, from first: Int64) async throws -> BatchComparison {
        let head = try await ledger.reader.head()
        let to = min(asked.cursor?.to ?? asked.to ?? head, head)
        _ = try await position(of: .position(to), in: "batches")
        return BatchComparison(from: min(asked.cursor?.from ?? asked.from ?? first, to), to: to)
    }

    private func changes(
        _ request: Request,
        _ comparison: BatchComparison,
        _ asked: ChangesRequest,
        _ table: TableRequest,
        of tenant: String,
        day: ChangesPage.Day? = nil
    ) async throws -> EdgeResponse {
        let cursor = asked.cursor.map { Cursor(line: $0.last) }
        let type = try request.negotiate(Self.listTypes)
        guard type == "application/json" else {
            return try await stream(
                .changes(comparison),
                of: tenant,
                as: type,
                table,
                after: cursor,
                limit: asked.limit
            )
        }
        let limit = asked.limit ?? 100
        var page = try await ledger.changesPage(of: tenant, comparison, after: asked.cursor?.last, limit: limit)
        page.day = day
        var response = try EdgeResponse.document(ChangePageJSON(page))
        response.fields[.vary] = "Accept"
        return response
    }
}
