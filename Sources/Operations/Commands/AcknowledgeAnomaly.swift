package import Access
package import Canonical
package import Composition
import EventLog
package import Intake
import Payments
package import Projections
package import Redaction

/// The reason why an anomaly needs no more work.
package struct AcknowledgeAnomaly: Sendable, Hashable {
    package var reason: Reason

    /// `{"reason": "..."}`.
    ///
    /// - Throws: `malformed-record`, at `/reason` for every other body.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        guard let object = json.object, object.count == 1, object["reason"] != nil else { throw .noReason }
        reason = try CommandBody(json, members: ["reason"]).reason()
    }
}

extension Ledger {
    /// Records an operator's acknowledgement of an anomaly.
    ///
    /// - Returns: The acknowledgement, and whether the request is a duplicate.
    /// - Throws: `Refusal` if the anomaly is not in the queue or is acknowledged already; `IntakeProblem` for a
    ///   key of another request; errors of reading and appending.
    package func acknowledge(
        _ id: UUID128,
        reason: Reason,
        idempotencyKey: String?,
        by principal: Principal,
        correlation: String
    ) async throws -> (acknowledgement: AnomalyView.Acknowledgement, isDuplicate: Bool) {
        // The read model lists the anomaly a moment after the log has it.
        guard try await payments.anomalies.anomaly(id, of: principal.tenant) != nil else { throw Refusal.notFound }
        let outcome = try await intake.anomalies.acknowledge(
            id,
            reason: reason,
            idempotencyKey: idempotencyKey,
            sender: Sender(tenant: principal.tenant, actor: principal.actor, correlation: correlation)
        )
        guard case .recorded(let event, let isDuplicate) = outcome else { throw Refusal.alreadyAcknowledged }
        guard
            case .anomalyAcknowledged(let reported) = try TenantEvent(
                type: event.type,
                schema: event.schema,
                data: JSONValue(parsing: event.data.utf8)
            )
        else { throw Refusal.internal }
        let acknowledgement = AnomalyView.Acknowledgement(
            position: event.position,
            by: event.actor,
            at: event.recordedAt,
            reason: reported.reason
        )
        return (acknowledgement, isDuplicate)
    }
}
