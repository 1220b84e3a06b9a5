import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Intake
import Matching
import Operations
import Payments
import Projections
import Reconciliation

extension API {
    private static let closingLimit = 16 << 10

    func addPeriods(to router: inout EdgeRouter<Principal>) {
        router.on(.post, "/v1/periods", .init(bodyLimitBytes: Self.closingLimit)) { try await closePeriod($0) }
        router.on(.get, "/v1/periods/{id}") { try await period($0) }
        router.on(.post, "/v1/periods/{id}/reopen", .init(bodyLimitBytes: Self.closingLimit)) {
            try await reopenPeriod($0)
        }
    }

    private func period(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        let deadline = self.deadline
        try await waitForWrites(&query, in: "reconciliation", until: deadline)
        try query.finish()
        let position = try await position(of: moment, in: "reconciliation", until: deadline)
        return try .document(PeriodJSON(try await period(id, of: principal.tenant, at: position)))
    }

    private func period(_ id: UUID128, of tenant: String, at position: Int64? = nil) async throws -> PeriodView {
        guard let found = try await ledger.reconciliation.query.period(id, of: tenant, at: position) else {
            throw Problem.notFound
        }
        return found
    }

    /// `{"merchant": "8846", "day": "2026-03-01", "reason": "..."}`.
    private func closePeriod(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let command = try ClosePeriod(reading: try await Self.storableJSON(request))
        let sender = Sender(tenant: principal.tenant, actor: principal.actor, correlation: request.id)
        let outcome = try await ledger.closePeriod(
            merchant: command.merchant,
            day: command.day,
            reason: command.reason,
            idempotencyKey: key,
            sender: sender,
            waitLimit: ledger.waitLimit
        )
        return try await answer(outcome, of: principal.tenant)
    }

    private func reopenPeriod(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let found = try await period(try transactionID(request), of: principal.tenant)
        let body = try CommandBody(try await Self.storableJSON(request), members: ["reason"])
        let outcome = try await ledger.reconciliation.periodCommands.reopen(
            merchant: found.merchant,
            day: found.day,
            reason: try body.reason(),
            idempotencyKey: key,
            sender: Sender(tenant: principal.tenant, actor: principal.actor, correlation: request.id)
        )
        return try await answer(outcome, of: principal.tenant)
    }

    private func answer(_ outcome: PeriodCommands.Outcome, of tenant: String) async throws -> EdgeResponse {
        try await wait(for: outcome.position, in: "reconciliation")
        let period = try PeriodJSON(try await period(outcome.period, of: tenant))
        var response = try EdgeResponse.document(period, status: .created)
        response.fields[.location] = "/v1/periods/\(outcome.period.text)"
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// The body as JSON that can be stored.
    static func storableJSON(_ request: Request) async throws -> JSONValue {
        let json = try await request.json()
        try IntakeProblem.checkText(of: json)
        return json
    }
}
