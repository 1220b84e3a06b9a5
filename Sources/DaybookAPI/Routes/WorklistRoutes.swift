import Access
import Canonical
import HTTPEdge
import HTTPTypes
import Ledger
import Payments
import Projections

extension API {
    func addWorklists(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/in-doubt") { try await inDoubt($0) }
        router.on(.get, "/v1/duplicates") { try await duplicates($0) }
    }

    /// What nobody can say yet, the oldest first, with its age and what is at stake.
    private func inDoubt(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let limit = try query.limit()
        let cursor = try Cursor(&query)
        var filter = DoubtQuery.Filter()
        filter.vendor = try query.choice("vendor", of: Vendor.self)
        filter.merchant = try query.text("merchant")
        filter.terminal = try query.text("terminal")
        try await waitForMinimum(&query, in: "transactions")
        try query.finish()
        let found = try await ledger.doubts.payments(
            of: principal.tenant,
            matching: filter,
            after: cursor?.position ?? 0,
            limit: limit + 1
        )
        let risk: [ValueAtRisk]
        do {
            risk = try await ledger.doubts.risk(of: principal.tenant, matching: filter)
        } catch let error as TotalsError {
            throw Problem(error)
        }
        let now = ledger.clock.now()
        let items = found.prefix(limit)
        var object: JSONObject = [
            "totals": .array(risk.map(\.json)), "items": .array(items.map { $0.json(at: now) }),
        ]
        if found.count > limit, let last = items.last {
            object["next"] = .string(Cursor(position: last.firstPosition).text)
        }
        return .json(.object(object))
    }

    private func duplicates(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let limit = try query.limit()
        let cursor = try Cursor(&query)
        var filter = DuplicateQuery.Filter()
        filter.windowSeconds = try query.integer("window", in: 1...604_800) ?? filter.windowSeconds
        filter.vendor = try query.choice("vendor", of: Vendor.self)
        filter.merchant = try query.text("merchant")
        filter.terminal = try query.text("terminal")
        filter.occurredFrom = try query.time("from")
        filter.occurredBefore = try query.time("to")
        try await waitForMinimum(&query, in: "transactions")
        try query.finish()
        let found = try await ledger.duplicates.duplicates(
            of: principal.tenant,
            matching: filter,
            before: cursor?.position ?? .max,
            limit: limit + 1
        )
        let items = found.prefix(limit)
        let next = found.count > limit ? items.last.map { Cursor(position: $0.firstPosition) } : nil
        return page(items.map(\.json), next: next)
    }
}
