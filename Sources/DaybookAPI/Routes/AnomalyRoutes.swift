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
import Redaction

extension API {
    private static let acknowledgementLimit = 16 << 10

    func addAnomalies(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/anomalies/{id}") { try await anomaly($0) }
        router.on(.post, "/v1/anomalies/{id}/acknowledge", .init(bodyLimitBytes: Self.acknowledgementLimit)) {
            try await acknowledge($0)
        }
    }

    private func anomaly(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        try await waitForWrites(&query, in: "anomalies")
        try query.finish()
        guard let found = try await ledger.payments.anomalies.anomaly(id, of: principal.tenant) else {
            throw Problem.notFound
        }
        return try .document(AnomalyJSON(found))
    }

    private func acknowledge(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
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
        var response = try EdgeResponse.document(AcknowledgedJSON(id, reported.acknowledgement), status: .created)
        response.fields[.daybookPosition] = String(reported.acknowledgement.position)
        if reported.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// `{"reason": "..."}`.
    ///
    /// - Throws: `malformed-json`, `malformed-record`.
    private static func reason(_ bytes: [UInt8]) throws -> Reason {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            let detail = "The body is not JSON: \(error.code.rawValue) at byte \(error.offset)."
            throw IntakeProblem(.malformedJSON, detail)
        }
        return try AcknowledgeAnomaly(reading: json).reason
    }
}
