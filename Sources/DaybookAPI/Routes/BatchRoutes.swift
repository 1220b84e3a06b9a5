import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Operations
import Payments
import Projections

extension API {
    func addBatches(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/batches/{id}") { try await batch($0) }
        router.on(.get, "/v1/batches/{id}/agreement") { try await agreement($0) }
    }

    private func batch(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        let moment = try Moment(&query)
        let deadline = self.deadline
        try await waitForWrites(&query, in: "batches", until: deadline)
        try query.finish()
        let position = try await position(of: moment, in: "batches", until: deadline)
        guard let found = try await batch(id, of: principal.tenant, at: position) else { throw Problem.notFound }
        return try .document(BatchJSON(found))
    }

    /// A batch as it is, or as it was at a position.
    private func batch(_ id: UUID128, of tenant: String, at position: Int64?) async throws -> BatchView? {
        guard let position else { return try await ledger.payments.batches.batch(id, of: tenant) }
        return try await ledger.payments.pastBatches.batch(id, of: tenant, at: position)
    }

    /// Compares the ledger's net of a closed batch with its host's.
    private func agreement(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        try await waitForWrites(&query, in: "batches")
        try query.finish()
        guard let batch = try await ledger.payments.batches.batch(id, of: principal.tenant) else {
            throw Problem.notFound
        }
        return try .document(AgreementJSON(try await ledger.payments.agreement(of: batch, tenant: principal.tenant)))
    }
}
