import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Operations

extension API {
    func addSearch(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/search") { try await search($0) }
    }

    /// Everything with the given name, of all kinds.
    private func search(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let sought = try query.text("q") ?? ""
        try await waitForWrites(&query, in: "transactions", "reconciliation")
        try query.finish()
        return try .document(FoundJSON(try await ledger.search(sought, of: principal.tenant)))
    }
}
