import Canonical
import EventLog
import Payments
package import Postgres

/// The read model `anomalies`: every anomaly raised on any stream, whether later evidence explained it, and whether
/// an operator acknowledged it.
package struct AnomaliesProjection: Projection {
    package let name = "anomalies"
    package let version = 5
    package let definition = EmbeddedFiles.anomalies_sql
    package let contents = [ProjectionTable("anomalies", key: ["tenant", "id"])]
    package let neededIndexes: Set = ["anomalies_uncleared"]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        let changes = try AnomalyChanges(run)
        // The order matters: an anomaly is raised before it is cleared or acknowledged, perhaps in the same run.
        try await insert(changes.raised, in: transaction)
        try await clear(changes.cleared, in: transaction)
        try await acknowledge(changes.acknowledged, in: transaction)
    }

    private func insert(_ rows: [AnomalyChanges.Raised], in transaction: borrowing PostgresTransaction) async throws {
        guard !rows.isEmpty else { return }
        // PostgreSQL arrays of arrays must be rectangular, so related streams travel as JSON. An integrator may give
        // two events the same id; the first one is kept.
        _ = try await transaction.execute(
            EmbeddedFiles.anomalyInsert_sql,
            [
                .textArray(rows.map(\.event.tenant)),
                .uuidArray(rows.map(\.event.id)),
                .int64Array(rows.map(\.event.position)),
                .textArray(rows.map(\.event.stream)),
                .textArray(rows.map(\.anomaly.kind.rawValue)),
                .textArray(rows.map(\.anomaly.explanation.storable)),
                .jsonArray(
                    rows.map { $0.anomaly.related.map { JSONValue.array($0.map { .string($0.storable) }).text } }
                ),
                .textArray(rows.map(\.vendor)),
                .textArray(rows.map { $0.merchant?.storable }),
                .textArray(rows.map { $0.terminal?.storable }),
                .timestamptzArray(rows.map(\.event.occurredAt)),
                .timestamptzArray(rows.map(\.event.recordedAt)),
                .textArray(rows.map { $0.anomaly.inDoubt?.subject.rawValue }),
                .textArray(rows.map { $0.anomaly.inDoubt?.refund?.storable }),
            ]
        )
    }

    private func clear(_ rows: [AnomalyChanges.Cleared], in transaction: borrowing PostgresTransaction) async throws {
        guard !rows.isEmpty else { return }
        _ = try await transaction.execute(
            """
            UPDATE anomalies a SET cleared = c.position FROM (
                SELECT a.tenant, a.id, min(r.position) AS position
                FROM unnest($1::text[], $2::text[], $3::int8[], $4::text[], $5::text[], $6::text[])
                    AS r (tenant, stream, position, kind, in_doubt, refund)
                JOIN anomalies a ON a.tenant = r.tenant AND a.stream = r.stream AND a.cleared IS NULL
                    AND a.kind = r.kind AND a.position < r.position
                    AND (r.kind <> '\(Anomaly.Kind.followUpInDoubt.rawValue)'
                        OR (a.in_doubt, a.refund) IS NOT DISTINCT FROM (r.in_doubt, r.refund))
                GROUP BY a.tenant, a.id
            ) c WHERE a.tenant = c.tenant AND a.id = c.id
            """,
            [
                .textArray(rows.map(\.tenant)), .textArray(rows.map(\.stream)), .int64Array(rows.map(\.position)),
                .textArray(rows.map(\.anomaly.kind.rawValue)),
                // A follow-up in doubt is cleared only by a clearing of the same subject and refund. For the other
                // kinds, clearing one anomaly of the kind clears all of them on the stream.
                .textArray(rows.map { $0.anomaly.inDoubt?.subject.rawValue }),
                .textArray(rows.map { $0.anomaly.inDoubt?.refund?.storable }),
            ]
        )
    }

    private func acknowledge(
        _ rows: [AnomalyChanges.Acknowledged],
        in transaction: borrowing PostgresTransaction
    ) async throws {
        guard !rows.isEmpty else { return }
        _ = try await transaction.execute(
            """
            UPDATE anomalies a SET acknowledged = r.position, acknowledged_by = r.actor, acknowledged_at = r.at,
                reason = r.reason
            FROM unnest($1::text[], $2::uuid[], $3::int8[], $4::text[], $5::timestamptz[], $6::text[])
                AS r (tenant, id, position, actor, at, reason)
            WHERE a.tenant = r.tenant AND a.id = r.id AND a.acknowledged IS NULL
            """,
            [
                .textArray(rows.map(\.event.tenant)),
                .uuidArray(rows.map(\.anomaly)),
                .int64Array(rows.map(\.event.position)),
                .textArray(rows.map(\.event.actor.storable)),
                .timestamptzArray(rows.map(\.event.recordedAt)),
                .textArray(rows.map(\.reason.storable)),
            ]
        )
    }
}

/// The anomalies that a run of the log raises, clears and acknowledges.
struct AnomalyChanges {
    struct Raised {
        var event: RecordedEvent
        var anomaly: Anomaly
        var vendor: String?
        var merchant: String?
        var terminal: String?
    }

    struct Cleared {
        var tenant: String
        var stream: String
        var position: Int64
        var anomaly: Anomaly
    }

    struct Acknowledged {
        var event: RecordedEvent
        var anomaly: UUID128
        var reason: String
    }

    private(set) var raised: [Raised] = []
    private(set) var cleared: [Cleared] = []
    private(set) var acknowledged: [Acknowledged] = []

    /// - Throws: `UnappliedEvent`.
    init(_ run: LogRun) throws {
        let events = Dictionary(uniqueKeysWithValues: run.events.map { ($0.position, $0) })
        try addPayments(run, events)
        try addBatches(run, events)
        for event in run.events {
            do { try addOther(event) } catch { throw UnappliedEvent(position: event.position, cause: error) }
        }
    }

    private mutating func addPayments(_ run: LogRun, _ events: [Int64: RecordedEvent]) throws {
        for payment in try run.payments() {
            var state = payment.before
            for step in payment.steps {
                state.fold(step.fact, at: step.occurredAt)
                guard let event = events[step.position] else { continue }
                switch step.fact {
                case .anomalyRaised(let anomaly):
                    raised.append(
                        Raised(
                            event: event,
                            anomaly: anomaly,
                            vendor: state.identity.vendor?.rawValue,
                            merchant: state.merchant,
                            terminal: state.identity.terminal ?? state.references.terminal
                        )
                    )
                case .anomalyCleared(let anomaly):
                    cleared.append(
                        Cleared(tenant: event.tenant, stream: event.stream, position: event.position, anomaly: anomaly)
                    )
                default: continue
                }
            }
        }
    }

    private mutating func addBatches(_ run: LogRun, _ events: [Int64: RecordedEvent]) throws {
        for batch in try run.batches() {
            var state = batch.before
            for step in batch.steps {
                state.fold(step.fact, at: step.occurredAt)
                guard case .anomalyRaised(let anomaly) = step.fact, let event = events[step.position] else { continue }
                raised.append(
                    Raised(
                        event: event,
                        anomaly: anomaly,
                        vendor: state.reference?.vendor.rawValue,
                        terminal: state.reference?.account
                    )
                )
            }
        }
    }

    /// Anomalies on the streams of readers, checkouts and tenants.
    private mutating func addOther(_ event: RecordedEvent) throws {
        guard TransactionState.id(of: event.stream) == nil, BatchState.id(of: event.stream) == nil else { return }
        switch event.type {
        case TenantEvent.Name.anomalyRaised.rawValue:
            let data = try JSONValue(parsing: event.data.utf8)
            let vendor = StreamName.readerReference(event.stream)?.vendor.rawValue
            raised.append(
                Raised(event: event, anomaly: try JSONValueDecoder().decode(Anomaly.self, from: data), vendor: vendor)
            )
        case TenantEvent.Name.anomalyAcknowledged.rawValue:
            let data = try JSONValue(parsing: event.data.utf8)
            let reported = try JSONValueDecoder().decode(AnomalyAcknowledgement.self, from: data)
            guard let id = UUID128(reported.anomaly) else { return }
            acknowledged.append(Acknowledged(event: event, anomaly: id, reason: reported.reason))
        default: return
        }
    }
}
