import Access
import Canonical
import HTTPEdge
import HTTPTypes
import Ledger
import Payments
import Projections

extension API {
    func addBatches(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/batches", Self.streamable) { try await batches($0) }
        router.on(.get, "/v1/batches/{id}") { try await batch($0) }
        router.on(.get, "/v1/batches/{id}/members", Self.streamable) { try await members($0) }
    }

    private func batches(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            (.batches(try BatchFilter(&query)), nil)
        }
    }

    private func batch(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        try await waitForMinimum(&query, in: "batches")
        try query.finish()
        guard let found = try await ledger.batches.batch(id, of: principal.tenant) else { throw Problem.notFound }
        return .json(try found.json())
    }

    private func members(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        let tenant = principal.tenant
        return try await list(request, of: tenant) { _ throws(Problem) in
            (.members(id), nil)
        } exists: {
            try await ledger.batches.batch(id, of: tenant) != nil
        }
    }
}
