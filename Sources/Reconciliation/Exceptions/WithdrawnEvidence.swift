package import Canonical
package import EventLog
package import Intake
import Matching
import Payments
package import Postgres
import Projections

/// Puts payments in doubt again when every statement with the line behind their outcome was withdrawn. The recorded
/// events remain; `Anomaly.evidenceWithdrawn` marks that their evidence is gone.
///
/// It uses the links of the newest run: while a counted line explains the payment, the payment is not in doubt. Each
/// loss is recorded once. When a process is cut off before it records a loss, the next run records it.
package struct WithdrawnEvidence: Sendable {
    /// A payment whose outcome came from a line that no longer counts.
    private struct Loss {
        var transaction: UUID128
        var line: UUID128
        /// The position since which no line shows the outcome.
        var since: Int64
    }

    private static let page = 500

    private let pool: PostgresPool
    private let reader: EventReader
    private let recorder: TransactionRecorder
    private let clock: any WallClock
    private let anomalies: AnomalyQuery

    package init(pool: PostgresPool, reader: EventReader, recorder: TransactionRecorder, clock: any WallClock) {
        self.pool = pool
        self.reader = reader
        self.recorder = recorder
        self.clock = clock
        anomalies = AnomalyQuery(pool: pool)
    }

    /// Records lost evidence, and payments that are explained again.
    ///
    /// - Returns: The last recorded position; 0 when there was nothing to record.
    /// - Throws: `IntakeProblem` when the log rejects the events, `PostgresError`.
    package func review(sender: Sender) async throws -> Int64 {
        let lost = try await recordLosses(sender)
        return max(lost, try await recordExplained(sender))
    }

    // MARK: Lost evidence

    private func recordLosses(_ sender: Sender) async throws -> Int64 {
        var position: Int64 = 0
        var last: UUID128?
        while true {
            var raised: [UUID128: Int64] = [:]
            let losses = try await losses(of: sender.tenant, after: last)
            for loss in losses {
                try Task.checkCancellation()
                let stream = StreamName.transaction(loss.transaction)
                let history = try await reader.stream(stream, of: sender.tenant).map(TransactionEvent.init)
                // Another report, earlier or later, confirms the payment.
                guard TransactionState.restsOnStatementLine(history) else { continue }
                let reported = try await record(
                    .anomalyRaised(.evidenceWithdrawn),
                    on: stream,
                    as: "evidence-withdrawn:\(loss.line):\(loss.since)",
                    sender
                )
                position = max(position, reported)
                if reported > 0 { raised[loss.transaction] = reported }
            }
            // Another run may have explained them meanwhile, and may have checked before they were raised.
            for id in try await explained(Array(raised.keys), sender.tenant) {
                position = max(position, try await clear(StreamName.transaction(id), raised[id] ?? 0, sender))
            }
            guard losses.count == Self.page else { return position }
            last = losses.last?.transaction
        }
    }

    private func losses(of tenant: String, after last: UUID128?) async throws -> [Loss] {
        try await pool.query(
            """
            SELECT DISTINCT ON (x.transaction) x.transaction, x.line, greatest(w.at, k.ended)
            FROM read_reconciliation.exceptions x
            JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
            CROSS JOIN LATERAL (
                SELECT max(f.withdrawn) AS at FROM read_statements.statements f
                WHERE f.tenant = x.tenant AND (f.id = l.statement OR f.id IN (
                    SELECT a.statement FROM read_statements.placements a WHERE a.tenant = x.tenant AND a.line = x.line
                ))
            ) w
            CROSS JOIN LATERAL (
                SELECT max(e.until) AS ended, coalesce(bool_or(e.until IS NULL), false) AS holds
                FROM read_reconciliation.links e
                WHERE e.tenant = x.tenant AND e.transaction = x.transaction AND e.rule <> '\(MatchingRule.chargeback)'
            ) k
            WHERE x.tenant = $1 AND x.class = 'in-doubt-resolved' AND x.transaction IS NOT NULL
                AND ($2::uuid IS NULL OR x.transaction > $2)
                AND EXISTS (SELECT FROM read_statements.statements s WHERE s.tenant = $1 AND s.status = 'withdrawn')
                AND NOT \(CountedLines.condition("l", isForFew: true))
                AND w.at IS NOT NULL AND NOT k.holds
                AND NOT EXISTS (
                    SELECT FROM \(PaymentRelations.anomalies) a
                    WHERE a.tenant = x.tenant AND a.stream = 'transaction/' || x.transaction AND a.kind = $3
                        AND a.in_doubt = $4 AND (a.cleared IS NULL OR a.position > greatest(w.at, k.ended))
                )
            ORDER BY x.transaction, greatest(w.at, k.ended) DESC LIMIT \(Self.page)
            """,
            [.text(tenant), last.map(PostgresValue.uuid) ?? .null] + Self.anomaly
        ).map { Loss(transaction: try $0.uuid(0), line: try $0.uuid(1), since: try $0.int64(2)) }
    }

    // MARK: New evidence

    private func recordExplained(_ sender: Sender) async throws -> Int64 {
        var position: Int64 = 0
        var last = ""
        while true {
            let found = try await anomalies.streams(
                inDoubtBy: .withdrawnPayment,
                of: sender.tenant,
                after: last,
                limit: Self.page
            )
            let explained = try await explained(found.compactMap { Self.id(of: $0.stream) }, sender.tenant)
            for (stream, raised) in found {
                guard let id = Self.id(of: stream), explained.contains(id) else { continue }
                try Task.checkCancellation()
                position = max(position, try await clear(stream, raised, sender))
            }
            guard found.count == Self.page, let end = found.last?.stream else { return position }
            last = end
        }
    }

    /// - Parameter raised: The position of the anomaly.
    private func clear(_ stream: String, _ raised: Int64, _ sender: Sender) async throws -> Int64 {
        try await record(.anomalyCleared(.evidenceWithdrawn), on: stream, as: "evidence-again:\(raised)", sender)
    }

    /// The payments among them that a line explains. The newest run has ended the links of lines that do not count.
    private func explained(_ transactions: [UUID128], _ tenant: String) async throws -> Set<UUID128> {
        guard !transactions.isEmpty else { return [] }
        return Set(
            try await pool.query(
                """
                SELECT DISTINCT transaction FROM read_reconciliation.links
                WHERE tenant = $1 AND transaction = ANY ($2::uuid[]) AND until IS NULL
                    AND rule <> '\(MatchingRule.chargeback)'
                """,
                [.text(tenant), .uuidArray(transactions)]
            ).map { try $0.uuid(0) }
        )
    }

    private static func id(of stream: String) -> UUID128? { StreamName.transactionID(stream).flatMap { UUID128($0) } }

    private static var anomaly: [PostgresValue] {
        [
            .text(Anomaly.Kind.followUpInDoubt.rawValue),
            .text(FollowUpInDoubt.Subject.withdrawnPayment.rawValue),
        ]
    }

    /// - Returns: The position; 0 when it was recorded before.
    private func record(
        _ fact: TransactionEvent,
        on stream: String,
        as name: String,
        _ sender: Sender
    ) async throws -> Int64 {
        try await recorder.recordOnce(
            [fact],
            on: stream,
            as: "\(name):\(sender.tenant):\(stream)",
            at: clock.now(),
            sender: sender
        ) ?? 0
    }
}
