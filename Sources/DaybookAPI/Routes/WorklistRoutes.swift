import Access
import Canonical
import HTTPEdge
import HTTPTypes
import Ledger
import Operations
import Payments
import Projections

extension API {
    func addWorklists(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/in-doubt", Self.streamable) { try await inDoubt($0) }
        router.on(.get, "/v1/duplicates", Self.streamable) { try await duplicates($0) }
    }

    /// Payments with an unknown outcome, oldest first, with age and value at risk.
    private func inDoubt(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        return try await list(request, of: principal.tenant) { query throws(Refusal) in
            (.inDoubt(try DoubtQuery.Filter(&query)), nil)
        } document: { list, found in
            guard case .inDoubt(let filter) = list else { return page(found.items, next: found.next) }
            let risk = try await ledger.doubts.risk(of: principal.tenant, matching: filter)
            return page(found.items, next: found.next, after: ["totals": .array(risk.map(\.json))])
        }
    }

    private func duplicates(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        return try await list(request, of: principal.tenant) { query throws(Refusal) in
            (.duplicates(try DuplicateQuery.Filter(&query)), nil)
        }
    }
}
