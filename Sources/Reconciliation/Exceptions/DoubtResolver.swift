package import Canonical
package import EventLog
package import Intake
import Payments
package import Postgres
import Projections

/// Resolves payments in doubt with a processor's line as the evidence.
///
/// Only a line that names the payment by one of the payment's own ids counts. The resolution by a line is recorded
/// once.
package struct DoubtResolver: Sendable {
    /// The evidence of a line about a payment in doubt.
    private struct Finding: Sendable {
        var exception: UUID128
        var transaction: UUID128
        var line: UUID128
        /// Minor units, positive when the merchant receives the money.
        var amount: Int64
        var currency: String
        var at: Timestamp?
        var references: References
    }

    private static let page = 500
    /// The most payments recorded at the same time: their events share commits.
    private static let width = 8

    private let pool: PostgresPool
    private let reader: EventReader
    private let recorder: TransactionRecorder
    private let clock: any WallClock

    package init(pool: PostgresPool, reader: EventReader, recorder: TransactionRecorder, clock: any WallClock) {
        self.pool = pool
        self.reader = reader
        self.recorder = recorder
        self.clock = clock
    }

    /// Resolves every payment in doubt whose outcome an open exception shows.
    ///
    /// - Returns: The number of newly resolved payments, and the number already resolved since the run that found
    ///   them.
    /// - Throws: `IntakeProblem` when the log rejects the events, `PostgresError`.
    package func resolve(sender: Sender) async throws -> (count: Int, before: Int) {
        var (count, before) = (0, 0)
        var last: UUID128?
        while true {
            let findings = try await findings(of: sender.tenant, after: last)
            let recorded = try await record(findings, sender: sender)
            count += recorded
            before += findings.count - recorded
            guard findings.count == Self.page else { return (count, before) }
            last = findings.last?.exception
        }
    }

    private func findings(of tenant: String, after last: UUID128?) async throws -> [Finding] {
        try await pool.query(
            """
            SELECT x.id, x.transaction, x.line, coalesce(l.paid, l.gross, l.amount), coalesce(l.paid_currency, l.currency),
                l.occurred_at, l.processor_id, l.rrn, l.auth_code
            FROM read_reconciliation.exceptions x
            JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
            WHERE x.tenant = $1 AND x.class = 'in-doubt-resolved' AND x.status IN ('open', 'assigned', 'proposed')
                AND x.transaction IS NOT NULL AND coalesce(l.paid, l.gross, l.amount, 0) <> 0
                AND ($2::uuid IS NULL OR x.id > $2) AND \(CountedLines.condition("l"))
            ORDER BY x.id LIMIT \(Self.page)
            """,
            [.text(tenant), last.map(PostgresValue.uuid) ?? .null]
        ).map { row in
            Finding(
                exception: try row.uuid(0),
                transaction: try row.uuid(1),
                line: try row.uuid(2),
                amount: try row.int64(3),
                currency: try row.text(4),
                at: try row.timestampOrNull(5),
                references: References(
                    gatewayTransaction: try row.textOrNull(6),
                    authorizationCode: try row.textOrNull(8),
                    retrievalReference: try row.textOrNull(7)
                )
            )
        }
    }

    /// Records findings: those about one payment in order, those about several at the same time.
    ///
    /// - Returns: The number of findings with something to record.
    private func record(_ findings: [Finding], sender: Sender) async throws -> Int {
        let payments = Dictionary(grouping: findings, by: \.transaction).values
            .sorted { $0[0].exception < $1[0].exception }
        return try await withThrowingTaskGroup(of: Int.self) { group in
            var count = 0
            for (index, payment) in payments.enumerated() {
                if index >= Self.width { count += try await group.next() ?? 0 }
                group.addTask {
                    var count = 0
                    for finding in payment {
                        try Task.checkCancellation()
                        if try await record(finding, sender: sender) { count += 1 }
                    }
                    return count
                }
            }
            for try await recorded in group { count += recorded }
            return count
        }
    }

    /// - Returns: False when there was nothing left to record.
    private func record(_ finding: Finding, sender: Sender) async throws -> Bool {
        let stream = StreamName.transaction(finding.transaction)
        let history = try await reader.stream(stream, of: sender.tenant)
        let state = try TransactionState(folding: history.map(TransactionEvent.init))
        guard let currency = Currency(alpha: finding.currency), finding.amount != .min,
            state.status == .inDoubt || state.status == .requested
        else { return false }
        let isReturn = finding.amount < 0
        let amounts = Amounts(total: Money(abs(finding.amount), currency))
        // The line's gateway id is used only if the payment has none: a payment keeps its own ids.
        var references = finding.references
        if state.references.gatewayTransaction != nil { references.gatewayTransaction = nil }
        let now = clock.now()
        var facts: [TransactionEvent] = [
            .outcomeResolved(
                Resolution(
                    outcome: .approved,
                    means: .settlementLine,
                    operation: isReturn ? .credit : state.operation == nil ? .sale : nil,
                    amounts: amounts,
                    evidence: .settlement,
                    references: references,
                    at: finding.at.map { .instant($0) },
                    answeredAt: now,
                    statementLine: finding.line
                )
            )
        ]
        // A line of money is a capture. For a sale the capture is implied.
        if !isReturn, state.operation == .authorization {
            facts.append(
                .captured(
                    Capture(
                        id: finding.line.text,
                        amounts: amounts,
                        evidence: .settlement,
                        references: references,
                        at: finding.at.map { .instant($0) }
                    )
                )
            )
        }
        let name = "statement-line:\(sender.tenant):\(finding.line):\(stream)"
        return try await recorder.recordOnce(facts, on: stream, as: name, at: now, sender: sender) != nil
    }
}
