import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Operations
import Payments
import Projections
import Tables

extension API {
    func addDays(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/days/{day}") { try await day($0) }
    }

    /// The totals of a business day, with the number of payments per hour.
    private func day(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let asked = try BusinessDayRequest(&query)
        let merchant = try query.text("merchant")
        try await waitForWrites(&query, in: "transactions", "anomalies", "merchants", isAboutOne: false)
        try query.finish()
        let day = try request.parameter("day")
        let days = try await ledger.days(asked, merchant: merchant, of: principal.tenant)
        guard let found = try await ledger.day(day, of: principal.tenant, days, merchant: merchant) else {
            throw Problem.notFound
        }
        return try .document(DayJSON(found))
    }
}
