import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Intake
import Operations
import Projections
import Reconciliation

extension API {
    private static let disputeLimit = 16 << 10

    func addDisputes(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/disputes/{id}") { try await dispute($0) }
        router.on(.get, "/v1/disputes/{id}/evidence") { try await evidence($0) }
        for name in DisputeStep.Name.allCases {
            router.on(.post, "/v1/disputes/{id}/\(name.rawValue)", .init(bodyLimitBytes: Self.disputeLimit)) {
                try await act($0, name)
            }
        }
    }

    private func dispute(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        try await waitForWrites(&query, in: "movements")
        try query.finish()
        return try .document(try await dispute(id, of: principal.tenant))
    }

    private func dispute(_ id: UUID128, of tenant: String) async throws -> DisputeJSON {
        guard let found = try await ledger.reconciliation.disputes.dispute(id, of: tenant) else {
            throw Problem.notFound
        }
        return try DisputeJSON(found)
    }

    /// What the ledger has against the chargeback, as one file.
    private func evidence(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        try await waitForWrites(&query, in: ["movements"] + ReceiptQuery.readModels)
        try query.finish()
        guard let found = try await ledger.disputeBundle(of: id, tenant: principal.tenant) else {
            throw Problem.notFound
        }
        return try .attachment(found.lines(), type: "application/x-ndjson", name: found.fileName)
    }

    private func act(_ request: Request, _ name: DisputeStep.Name) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        let step = try DisputeStep(name, reading: try await Self.storableJSON(request))
        switch try await ledger.act(step, on: id, idempotencyKey: key, sender: sender(principal, request)) {
        case .proposed(let outcome): return try Self.answer(outcome)
        case .recorded(let outcome):
            try await wait(for: outcome.position, in: "movements")
            var response = try EdgeResponse.document(try await dispute(id, of: principal.tenant), status: .created)
            response.fields[.daybookPosition] = String(outcome.position)
            if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
            return response
        }
    }
}
