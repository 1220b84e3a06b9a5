import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Operations
import Payments
import Projections

extension API {
    func addCheckouts(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/checkouts/{id}") { try await checkout($0) }
    }

    private func checkout(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try request.parameter("id")
        var query = request.query
        try await waitForWrites(&query, in: "checkouts")
        try query.finish()
        guard let found = try await ledger.payments.checkouts.checkout(id, of: principal.tenant) else {
            throw Problem.notFound
        }
        return try .document(CheckoutJSON(found))
    }
}
