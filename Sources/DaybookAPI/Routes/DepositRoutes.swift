import Access
import Canonical
package import HTTPEdge
import HTTPTypes
import Ledger
import Payments
package import Projections

extension API {
    func addDeposits(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/deposits", Self.streamable) { try await deposits($0) }
        router.on(.get, "/v1/deposits/{id}") { try await deposit($0) }
        router.on(.get, "/v1/deposits/{id}/lines", Self.streamable) { try await paidLines($0) }
    }

    private func deposits(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let position = try await pastPosition(request, in: "reconciliation")
        if let position { try await wait(for: position, in: "statements") }
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            _ = try Moment(&query)
            return (.deposits(try TransferFilter(&query), at: position), nil)
        } document: { _, found in
            page(found.items, next: found.next, after: pastHead(position))
        }
    }

    /// A deposit explained by payouts, and these by their lines.
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
        guard let proof = try await ledger.deposits.proof(of: id, tenant: principal.tenant, asOf: position ?? .max)
        else { throw Problem.notFound }
        return .json(proof.json)
    }

    private func paidLines(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        let position = try await pastPosition(request, in: "reconciliation")
        if let position { try await wait(for: position, in: "statements") }
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            _ = try Moment(&query)
            return (.paidLines(id, at: position), nil)
        } exists: {
            try await ledger.deposits.isTransfer(id, tenant: principal.tenant, asOf: position ?? .max)
        } document: { _, found in
            page(found.items, next: found.next, after: pastHead(position))
        }
    }
}

extension TransferFilter {
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        side = try query.choice("side", of: DepositCoverage.Side.self)
        state = try query.choice("state", of: DepositCoverage.State.self)
        currency = try query.text("currency")
        merchant = try query.text("merchant")
        account = try query.text("account")
        from = try query.value("from", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        to = try query.value("to", expected: "is a day, as 2026-03-01") { CivilDate($0) }
    }
}
