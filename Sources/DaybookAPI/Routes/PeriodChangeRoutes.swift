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
import Reconciliation
import Tables

extension API {
    /// The changes of a business day since it was closed, by the zone and cut-off of its closing.
    func periodChanges(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let from = try query.integer("from_position", in: 0...Int64.max)
        let to = try query.integer("to_position", in: 0...Int64.max)
        if let from, let to, from > to { throw ParameterReader.invalid("to_position", "is not before from_position") }
        let limit = try query.givenLimit()
        let cursor = try query.cursor().map { text throws(Refusal) in try PeriodChangesCursor(text) }
        let table = try TableRequest(&query, of: .periodChanges)
        let deadline = self.deadline
        try await waitForWrites(&query, in: Ledger.periodModels, until: deadline)
        try query.finish()
        guard let found = try await ledger.reconciliationQuery.period(id, of: principal.tenant) else {
            throw Problem.notFound
        }
        let head = try await ledger.reader.head()
        let end = min(cursor?.to ?? to ?? head, head)
        for name in Ledger.periodModels { try await wait(for: end, in: name, until: deadline) }
        let (comparison, days) = try await ledger.comparison(
            of: found,
            from: cursor?.from ?? from,
            to: end,
            tenant: principal.tenant
        )
        let type = try request.negotiate(Self.listTypes)
        guard type == "application/json" else {
            return try await stream(
                .periodChanges(comparison),
                of: principal.tenant,
                as: type,
                table,
                after: cursor?.last,
                limit: limit
            )
        }
        let page = try await ledger.changesPage(
            of: principal.tenant,
            comparison,
            days,
            after: cursor?.last,
            limit: limit ?? 100
        )
        var response = EdgeResponse.json(.object(page.json))
        response.fields[.vary] = "Accept"
        return response
    }
}
