import Access
import Canonical
import EventLog
import HTTPEdge
import HTTPTypes
package import Ledger
import Matching
import Payments
package import Projections
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

    /// The positions asked for; where none are, `first` and the end of the log. A further page compares what the first
    /// one did, however much has been recorded since.
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
        var response = EdgeResponse.json(.object(page.json))
        response.fields[.vary] = "Accept"
        return response
    }
}

/// Which changes are asked for.
struct ChangesRequest {
    var from: Int64?
    var to: Int64?
    var limit: Int?
    var cursor: ChangesCursor?

    /// Reads `from_position`, `to_position`, `limit` and `cursor`.
    init(_ query: inout QueryReader) throws(Problem) {
        from = try query.integer("from_position", in: 0...Int64.max)
        to = try query.integer("to_position", in: 0...Int64.max)
        if let from, let to, from > to { throw QueryReader.invalid("to_position", "is not before from_position") }
        limit = try query.givenLimit()
        guard let text = try query.cursor() else { return }
        guard let cursor = ChangesCursor(text) else { throw Cursor.invalid }
        self.cursor = cursor
    }
}

/// Which lines of all that changed are meant: those of one business day, of one merchant, or of both.
package struct ChangesScope: Sendable, Hashable {
    package var merchant: String?
    /// As `2026-03-01`.
    package var day: String?
    package var days: BusinessDayRequest

    package init(merchant: String? = nil, day: String? = nil, days: BusinessDayRequest = .init()) {
        self.merchant = merchant
        self.day = day
        self.days = days
    }

    /// The day that was closed, by the clocks it was closed by.
    init(_ closing: PeriodClosing) {
        let days = BusinessDayRequest(zone: Zone(closing.zone), cutoffMinutes: BusinessDay.minutes(closing.cutoff[...]))
        self.init(merchant: closing.merchant, day: closing.day, days: days)
    }

    /// Reads `merchant`, `day`, `zone` and `cutoff`.
    init(_ query: inout QueryReader) throws(Problem) {
        merchant = try query.text("merchant")
        days = try BusinessDayRequest(&query)
        // What is a day is one in every zone.
        day = try query.value("day", expected: "is a day, as 2026-03-01") {
            BusinessDay.standard.interval(of: $0) == nil ? nil : $0
        }
    }
}

extension Ledger {
    /// A comparison of what is meant, and by which days it is. Those of a merchant are as they had been said to be at the
    /// later of the positions, so that each further page is of the same day.
    ///
    /// - Throws: What reading throws.
    package func narrowed(
        _ comparison: BatchComparison,
        to scope: ChangesScope,
        of tenant: String
    ) async throws -> (comparison: BatchComparison, days: BusinessDay) {
        var narrowed = comparison
        narrowed.merchant = scope.merchant
        let days = try await days(scope.days, merchant: scope.merchant, of: tenant, at: comparison.to)
        let interval = scope.day.flatMap(days.interval)
        narrowed.occurredFrom = interval?.start
        narrowed.occurredBefore = interval?.end
        return (narrowed, days)
    }
}
