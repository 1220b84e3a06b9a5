package import Access
package import Canonical
import EventLog
package import Intake
package import Ledger
import Payments
package import Projections

/// The reason why an anomaly needs no more work.
package struct AcknowledgeAnomaly: Sendable, Hashable {
    package var reason: String

    /// `{"reason": "..."}`.
    ///
    /// - Throws: `malformed-record`, at `/reason` for every other body.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        guard let object = json.object, object.count == 1, object["reason"] != nil else { throw .noReason }
        reason = try CommandBody(json, members: ["reason"]).reason()
    }
}

extension Ledger {
    /// Records that somebody has dealt with an anomaly.
    ///
    /// - Parameter reason: As `Reason` accepts it.
    /// - Returns: What was said, and whether it had been said before in the same words.
    /// - Throws: `Refusal` for what is not in the queue or acknowledged already; `IntakeProblem` for a reason that is
    ///   none and a key that was used for something else; what reading and appending throw.
    package func acknowledge(
        _ id: UUID128,
        reason: String,
        idempotencyKey: String?,
        by principal: Principal,
        correlation: String
    ) async throws -> (acknowledgement: AnomalyView.Acknowledgement, isDuplicate: Bool) {
        guard Reason(reason) != nil else { throw IntakeProblem.noReason }
        // Only what is in the queue can be acknowledged; the read model knows it a moment after the log.
        guard try await anomalies.anomaly(id, of: principal.tenant) != nil else { throw Refusal.notFound }
        let outcome = try await anomalyCommands.acknowledge(
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
