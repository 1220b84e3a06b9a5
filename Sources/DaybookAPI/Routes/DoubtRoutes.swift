import Access
package import Canonical
import EventLog
import HTTPEdge
import HTTPTypes
package import Intake
import Ledger
import Operations
import Payments
import Projections
package import Replay

extension API {
    private static let endingLimit = 16 << 10

    func addDoubts(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/doubts", Self.streamable) { try await doubts($0) }
        router.on(.get, "/v1/doubts/{id}") { try await doubt($0) }
        // A gateway may take minutes; nobody else waits for it.
        router.on(.post, "/v1/doubts/{id}/ask", RouteOptions(bodyLimitBytes: 1_024, span: .stream)) {
            try await ask($0)
        }
        router.on(.post, "/v1/doubts/{id}/end", RouteOptions(bodyLimitBytes: Self.endingLimit)) { try await end($0) }
    }

    private func doubts(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        return try await list(request, of: principal.tenant) { query throws(Refusal) in
            (.doubts(try DoubtWorklist.Filter(&query), try DoubtQuery.Order(&query)), nil)
        } document: { list, found in
            guard case .doubts(let filter, _) = list else { return page(found.items, next: found.next) }
            let risk = try await ledger.worklist.risk(of: principal.tenant, matching: filter)
            return page(found.items, next: found.next, after: ["totals": .array(risk.map(\.json))])
        }
    }

    private func doubt(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        try await waitForWrites(&query, in: "transactions", isAboutOne: moment == nil)
        try query.finish()
        guard let found = try await ledger.doubt(id, of: principal.tenant, at: moment) else { throw Problem.notFound }
        return .json(found)
    }

    /// Asks now, whether or not it is time to.
    private func ask(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, Self.reconciling)
        try request.query.finish()
        let id = try transactionID(request)
        let reported = try await ledger.ask(
            id,
            sender: Sender(
                tenant: principal.tenant,
                actor: principal.actor,
                correlation: request.id,
                holder: principal.holder
            )
        )
        guard let reported else { throw Problem.notFound }
        return .json(reported.json(at: ledger.clock.now()))
    }

    private func end(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, Self.reconciling)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        guard let body = try await request.json().object else {
            throw IntakeProblem(.malformedRecord, "Send an object with `as`, `evidence` and `reason`.")
        }
        let (ending, version) = try Self.ending(body)
        let outcome = try await ledger.doubtCommands.end(
            id,
            ending,
            version: version,
            idempotencyKey: key,
            sender: Sender(
                tenant: principal.tenant,
                actor: principal.actor,
                correlation: request.id,
                holder: principal.holder
            )
        )
        try await wait(for: outcome.position, in: "transactions")
        guard let found = try await ledger.worklist.item(id, of: principal.tenant) else {
            throw Refusal.projectionBehind()
        }
        var response = EdgeResponse.json(found.detail(at: ledger.clock.now()), status: .created)
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// What somebody says about a doubt.
    ///
    /// - Throws: `malformed-record`, with the place of what is wrong.
    package static func ending(
        _ body: JSONObject
    ) throws(IntakeProblem) -> (ending: DoubtEnding, version: Int64?) {
        let known = ["as", "evidence", "reason", "amount", "expectedVersion"]
        if let other = body.members.first(where: { !known.contains($0.key) }) {
            throw IntakeProblem(
                .malformedRecord,
                "`\(other.key.prefix(64))` is not known here. Known: \(known.joined(separator: ", "))."
            )
        }
        guard let outcome = body["as"]?.string.flatMap({ DoubtEnding.Outcome(rawValue: $0) }) else {
            let names = DoubtEnding.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
            throw IntakeProblem(.malformedRecord, "`as` is one of \(names).", pointer: "/as")
        }
        func text(_ name: String, _ what: String) throws(IntakeProblem) -> String {
            guard let text = body[name]?.string, Reason.accepts(text, mostBytes: DoubtCommands.longestText),
                !text.utf8.contains(0)
            else {
                throw IntakeProblem(
                    .malformedRecord,
                    "\(what) is a text of 1 to \(DoubtCommands.longestText) bytes.",
                    pointer: "/\(name)"
                )
            }
            return text
        }
        var ending = DoubtEnding(
            outcome,
            evidence: try text("evidence", "What was seen, and where,"),
            reason: try text("reason", "A reason")
        )
        if let reported = body["amount"] {
            guard let value = reported["value"]?.int64, value > 0,
                let currency = reported["currency"]?.string.flatMap({ Currency(alpha: $0) }),
                reported.object?.count == 2
            else {
                throw IntakeProblem(
                    .malformedRecord,
                    "An amount has a `value` above zero, in minor units, and a `currency`.",
                    pointer: "/amount"
                )
            }
            ending.amount = Money(value, currency)
        }
        var version: Int64?
        if let reported = body["expectedVersion"] {
            guard let number = reported.int64, number >= 0 else {
                throw IntakeProblem(.malformedRecord, "A version is 0 or more.", pointer: "/expectedVersion")
            }
            version = number
        }
        return (ending, version)
    }
}
