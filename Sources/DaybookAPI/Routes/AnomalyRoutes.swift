package import Access
package import Canonical
import EventLog
package import HTTPEdge
import HTTPTypes
import Intake
package import Ledger
import Payments
package import Projections

extension API {
    private static let acknowledgementLimit = 16 << 10
    /// Who may say that an anomaly has been dealt with.
    package static let acknowledging: [Scope] = [.reconcile, .admin]

    func addAnomalies(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/anomalies", Self.streamable) { try await anomalies($0) }
        router.on(.get, "/v1/anomalies/{id}") { try await anomaly($0) }
        router.on(.post, "/v1/anomalies/{id}/acknowledge", .init(bodyLimitBytes: Self.acknowledgementLimit)) {
            try await acknowledge($0)
        }
    }

    private func anomalies(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            (.anomalies(try AnomalyFilter(&query)), nil)
        }
    }

    private func anomaly(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        try await waitForWrites(&query, in: "anomalies")
        try query.finish()
        guard let found = try await ledger.anomalies.anomaly(id, of: principal.tenant) else { throw Problem.notFound }
        return .json(found.json)
    }

    private func acknowledge(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, Self.acknowledging)
        let key = try idempotencyKey(request)
        try request.query.finish()
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        _ = try request.mediaType(among: ["application/json"])
        let bytes = try await request.body.collect(limit: Self.acknowledgementLimit)
        let reported = try await ledger.acknowledge(
            id,
            reason: try Self.reason(bytes),
            idempotencyKey: key,
            by: principal,
            correlation: request.id
        )
        var response = EdgeResponse.json(
            ["anomaly": .string(id.text), "acknowledgement": reported.acknowledgement.json],
            status: .created
        )
        response.fields[.daybookPosition] = String(reported.acknowledgement.position)
        if reported.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// `{"reason": "..."}`.
    ///
    /// - Throws: `malformed-json`, `malformed-record`.
    private static func reason(_ bytes: [UInt8]) throws -> String {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            let detail = "The body is not JSON: \(error.code.rawValue) at byte \(error.offset)."
            throw IntakeProblem(.malformedJSON, detail)
        }
        guard let object = json.object, object.count == 1, let reason = object["reason"]?.string else {
            throw IntakeProblem.noReason
        }
        return reason
    }
}

extension IntakeProblem {
    fileprivate static let noReason = IntakeProblem(
        .malformedRecord,
        "Send `{\"reason\": \"...\"}` with 1 to \(AnomalyCommands.longestReason) bytes of text.",
        pointer: "/reason"
    )
}

extension Ledger {
    /// Records that somebody has dealt with an anomaly.
    ///
    /// - Parameter reason: 1 to `AnomalyCommands.longestReason` bytes, not only of blanks.
    /// - Returns: What was said, and whether it had been said before in the same words.
    /// - Throws: `Problem` for what is not in the queue or acknowledged already; `IntakeProblem` for a reason that is none
    ///   and a key that was used for something else; what reading and appending throw.
    package func acknowledge(
        _ id: UUID128,
        reason: String,
        idempotencyKey: String?,
        by principal: Principal,
        correlation: String
    ) async throws -> (acknowledgement: AnomalyView.Acknowledgement, isDuplicate: Bool) {
        guard (1...AnomalyCommands.longestReason).contains(reason.utf8.count),
            reason.contains(where: { !$0.isWhitespace })
        else { throw IntakeProblem.noReason }
        // Only what is in the queue can be acknowledged; the read model knows it a moment after the log.
        guard try await anomalies.anomaly(id, of: principal.tenant) != nil else { throw Problem.notFound }
        let outcome = try await commands.acknowledge(
            id,
            reason: reason,
            idempotencyKey: idempotencyKey,
            sender: Sender(tenant: principal.tenant, actor: principal.actor, correlation: correlation)
        )
        guard case .recorded(let event, let isDuplicate) = outcome else { throw Problem.alreadyAcknowledged }
        guard
            case .anomalyAcknowledged(let reported) = try TenantEvent(
                type: event.type,
                schema: event.schema,
                data: JSONValue(parsing: event.data.utf8)
            )
        else { throw Problem.internal }
        let acknowledgement = AnomalyView.Acknowledgement(
            position: event.position,
            by: event.actor,
            at: event.recordedAt,
            reason: reported.reason
        )
        return (acknowledgement, isDuplicate)
    }
}

extension AnomalyFilter {
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        kind = try query.choice("kind", of: Anomaly.Kind.self)
        state = try query.choice("state", of: AnomalyView.State.self)
        vendor = try query.choice("vendor", of: Vendor.self)
        merchant = try query.text("merchant")
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
    }
}

extension Problem {
    static let alreadyAcknowledged = Problem(
        status: 409,
        code: "already-acknowledged",
        title: "The anomaly has been acknowledged before",
        detail: "By somebody else or for another reason; `GET /v1/anomalies/{id}` says by whom and why."
    )
}
