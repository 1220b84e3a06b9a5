import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Intake
import Operations
import Payments
import Projections

extension API {
    private static let decisionLimit = 16 << 10

    func addProposals(to router: inout EdgeRouter<Principal>) {
        let options = RouteOptions(bodyLimitBytes: Self.decisionLimit)
        router.on(.get, "/v1/proposals") { try await proposals($0) }
        router.on(.post, "/v1/proposals/{id}/approve", options) { try await approve($0) }
        router.on(.post, "/v1/proposals/{id}/reject", options) { try await reject($0) }
    }

    private func proposals(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        try request.query.finish()
        return try .document(ProposalsJSON(try await ledger.intake.proposals.open(of: principal.tenant)))
    }

    private func approve(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        let step = try ProposalStep(reading: try await Self.storableJSON(request))
        let done = try await ledger.approve(
            id,
            reason: step.reason,
            idempotencyKey: key,
            scopes: principal.scopes,
            sender: sender(principal, request)
        )
        for model in ["transactions", "statements", "reconciliation"] { try await wait(for: done.position, in: model) }
        let proposal = try await ledger.intake.proposals.proposal(id, of: principal.tenant)
        return try Self.answer(proposal, .created, done.position, done.isDuplicate)
    }

    private func reject(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        let step = try ProposalStep(reading: try await Self.storableJSON(request))
        let done = try await ledger.intake.proposals.reject(
            id,
            reason: step.reason,
            idempotencyKey: key,
            sender: sender(principal, request)
        )
        let proposal = try await ledger.intake.proposals.proposal(id, of: principal.tenant)
        return try Self.answer(proposal, .created, done.proposal.position, done.isDuplicate)
    }

    /// The answer to a change that waits for another operator.
    static func answer(_ outcome: Proposals.Outcome) throws -> EdgeResponse {
        try answer(outcome.proposal, .accepted, outcome.proposal.position, outcome.isDuplicate)
    }

    private static func answer(
        _ proposal: Proposals.Proposal,
        _ status: HTTPResponse.Status,
        _ position: Int64,
        _ isDuplicate: Bool
    ) throws -> EdgeResponse {
        var response = try EdgeResponse.document(ProposalJSON(proposal), status: status)
        response.fields[.daybookPosition] = String(position)
        if isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// The sender of a request.
    func sender(_ principal: Principal, _ request: Request) -> Sender {
        Sender(
            tenant: principal.tenant,
            actor: principal.actor,
            correlation: request.id,
            holder: principal.holder
        )
    }
}
