import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Intake
import Operations
import Payments
import Projections
import Replay
import ReplayRules

extension API {
    private static let replayLimit = 128 << 10

    func addReplays(to router: inout EdgeRouter<Principal>) {
        router.on(.post, "/v1/replays", .init(bodyLimitBytes: Self.replayLimit, span: .stream)) {
            try await planReplay($0)
        }
        router.on(.get, "/v1/replays/{id}") { try await replay($0) }
        for (name, action) in ReplayAction.named {
            router.on(.post, "/v1/replays/{id}/\(name)", .init(bodyLimitBytes: 16 << 10)) {
                try await act($0, action)
            }
        }
        router.on(.get, "/v1/transactions/{id}/replay-history") { try await replayHistory($0) }
        router.on(.put, "/v1/transactions/{id}/card-token", .init(bodyLimitBytes: 4 << 10)) {
            try await keepToken($0)
        }
    }

    // MARK: Reading

    private func replay(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        try await waitForWrites(&query, in: "replays")
        try query.finish()
        guard let found = try await ledger.replay.plans.plan(id, of: principal.tenant) else { throw Problem.notFound }
        return try .document(ReplayJSON(found))
    }

    private func replayHistory(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let asked = try ReplayHistoryRequest(&query)
        try query.finish()
        guard let found = try await ledger.replayHistory(of: id, tenant: principal.tenant, asked) else {
            throw Problem.notFound
        }
        return try .document(ReplayHistoryJSON(found, of: id))
    }

    // MARK: Planning

    private func planReplay(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let asked = try PlanRequest(reading: try await request.json())
        let outcome = try await ledger.replay.planner.plan(
            asked,
            idempotencyKey: key,
            sender: sender(principal, request),
            waitLimit: ledger.waitLimit
        )
        var response = try await answer(outcome.plan, outcome.position, outcome.isDuplicate, of: principal.tenant)
        response.fields[.location] = "/v1/replays/\(outcome.plan.text)"
        return response
    }

    private func answer(
        _ id: UUID128,
        _ position: Int64,
        _ isDuplicate: Bool,
        of tenant: String
    ) async throws -> EdgeResponse {
        try await wait(for: position, in: "replays")
        guard let found = try await ledger.replay.plans.plan(id, of: tenant) else { throw Problem.notFound }
        var response = try EdgeResponse.document(ReplayJSON(found), status: .created)
        response.fields[.daybookPosition] = String(position)
        if isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    // MARK: Steps

    private func act(_ request: Request, _ action: ReplayAction) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        let step = try ReplayStep(reading: try await request.json())
        let outcome = try await ledger.replay.commands.act(
            action,
            on: id,
            authority: ReplayAuthority(
                ReplayActor(name: principal.actor, holder: principal.holder),
                mayPlan: principal.scopes.contains(.replayPlan),
                mayApprove: principal.scopes.contains(.replayApprove)
            ),
            reason: step.reason,
            version: step.version,
            idempotencyKey: key,
            sender: sender(principal, request)
        )
        return try await answer(id, outcome.position, outcome.isDuplicate, of: principal.tenant)
    }

    // MARK: Tokens

    private func keepToken(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        try request.query.finish()
        let id = try transactionID(request)
        let asked = try CardTokenRequest(reading: try await request.json())
        guard try await ledger.reader.versions(ofTransactions: [id], tenant: principal.tenant)[id] != nil else {
            throw Problem.notFound
        }
        let sent = try await ledger.replay.cardTokens.keep(
            asked.token,
            of: id,
            approving: asked.proposal,
            sender: sender(principal, request)
        )
        switch sent {
        case .kept(let until): return try .document(KeptCardTokenJSON(transaction: id, keptUntil: until))
        case .proposed(let outcome): return try Self.answer(outcome)
        }
    }
}
