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

extension API {
    private static let endingLimit = 16 << 10

    func addDoubts(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/doubts/{id}") { try await doubt($0) }
        // A gateway may take minutes, and no other request waits for it.
        router.on(.post, "/v1/doubts/{id}/query", RouteOptions(bodyLimitBytes: 1_024, span: .stream)) {
            try await query($0)
        }
        router.on(.post, "/v1/doubts/{id}/end", RouteOptions(bodyLimitBytes: Self.endingLimit)) { try await end($0) }
    }

    private func doubt(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        try await waitForWrites(&query, in: Lists.doubts.readModels, isAboutOne: moment == nil)
        try query.finish()
        guard let found = try await ledger.doubt(id, of: principal.tenant, at: moment) else { throw Problem.notFound }
        return try .document(found)
    }

    /// Queries the gateway now, regardless of the schedule.
    private func query(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        try request.query.finish()
        let id = try transactionID(request)
        let reported = try await ledger.queryDoubt(
            id,
            sender: sender(principal, request)
        )
        guard let reported else { throw Problem.notFound }
        return try .document(QueriedDoubtJSON(reported, at: ledger.clock.now()))
    }

    private func end(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        let command = try EndDoubt(reading: try await request.json())
        let outcome = try await ledger.replay.doubts.propose(
            id,
            command.ending,
            version: command.version,
            idempotencyKey: key,
            sender: sender(principal, request)
        )
        return try Self.answer(outcome)
    }
}
