import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Operations
import Payments
import Projections
import Reconciliation

extension API {
    func addDeposits(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/deposits/{id}") { try await deposit($0) }
    }

    /// A deposit with its payouts and their lines.
    private func deposit(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        let deadline = self.deadline
        try await waitForWrites(&query, in: ["reconciliation", "statements"], until: deadline)
        try query.finish()
        let position = try await position(of: moment, in: "reconciliation", until: deadline)
        if let position { try await wait(for: position, in: "statements", until: deadline) }
        guard
            let proof = try await ledger.reconciliation.deposits.proof(
                of: id,
                tenant: principal.tenant,
                asOf: position ?? .max
            )
        else { throw Problem.notFound }
        return try .document(DepositProofJSON(proof))
    }
}
