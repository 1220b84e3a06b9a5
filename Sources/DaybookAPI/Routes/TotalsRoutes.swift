import Access
import Canonical
import HTTPEdge
import HTTPTypes
import Ledger
import Operations
import Payments
import Projections
import Tables

extension API {
    func addTotals(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/totals", Self.streamable) { try await totals($0) }
        router.on(.get, "/v1/batches/{id}/totals", Self.streamable) { try await batchTotals($0) }
        router.on(.get, "/v1/days/{day}") { try await day($0) }
    }

    /// The totals of a business day, with the number of payments per hour.
    private func day(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let asked = try BusinessDayRequest(&query)
        let merchant = try query.text("merchant")
        try await waitForWrites(&query, in: "transactions", isAboutOne: false)
        try query.finish()
        let day = try request.parameter("day")
        let days = try await ledger.days(asked, merchant: merchant, of: principal.tenant)
        guard let found = try await ledger.day(day, of: principal.tenant, days, merchant: merchant) else {
            throw Problem.notFound
        }
        return try .document(DayJSON(found))
    }

    private func totals(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        var asked = TotalsRequest(keys: try query.totalsKeys(TotalsKey.offered) ?? [.currency])
        asked.filter = try TotalsFilter(&query)
        return try await totals(request, of: principal.tenant, &asked, &query)
    }

    /// The totals of a batch by any keys of its lines.
    private func batchTotals(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        var asked = TotalsRequest(keys: try query.totalsKeys(TotalsKey.allCases) ?? [.type])
        asked.batch = id
        return try await totals(request, of: principal.tenant, &asked, &query)
    }

    private func totals(
        _ request: Request,
        of tenant: String,
        _ asked: inout TotalsRequest,
        _ query: inout ParameterReader
    ) async throws -> EdgeResponse {
        asked.daysAsked = try BusinessDayRequest(&query)
        let moment = try Moment(&query)
        let table = try TableRequest(&query, of: LedgerList.totals(asked).table)
        let deadline = self.deadline
        try await waitForWrites(&query, in: "batches", isAboutOne: asked.batch != nil, until: deadline)
        try query.finish()
        asked.position = try await position(of: moment, in: "batches", until: deadline)
        asked.days = try await ledger.days(
            asked.daysAsked,
            merchant: asked.filter.merchant,
            of: tenant,
            at: asked.position
        )
        if let batch = asked.batch {
            guard try await ledger.batches.batch(batch, of: tenant) != nil else { throw Problem.notFound }
        }
        let type = try request.negotiate(Self.listTypes)
        guard type == "application/json" else {
            return try await stream(.totals(asked), of: tenant, as: type, table)
        }
        let rows = try await ledger.totals.totals(of: tenant, asked)
        let answer = TotalsAnswer(keys: asked.keys, days: asked.days, rows: rows, position: asked.position)
        var response = try EdgeResponse.document(TotalsJSON(answer))
        response.fields[.vary] = "Accept"
        return response
    }
}
