package import Canonical
package import EventLog
package import Intake
import Payments
package import Postgres
import Projections

/// Records on payments the chargebacks, and their reversals, that statements report. A chargeback whose line no longer
/// counts, because its file was withdrawn, is recorded as reversed.
package struct DisputeRecorder: Sendable {
    /// A line about a payment's chargeback that the payment has not recorded.
    private struct Finding: Sendable {
        var exception: UUID128
        var transaction: UUID128
        var line: UUID128
        /// Minor units, positive when the merchant receives the money.
        var amount: Int64
        var currency: String
        var at: Timestamp?
    }

    private static let page = 500

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

    /// Records every chargeback and reversal of which an open exception reports the payment, in the order of their
    /// days, and the end of those that only withdrawn lines report.
    ///
    /// - Returns: The number of recorded facts.
    /// - Throws: `IntakeProblem` when the log rejects the events, `PostgresError`.
    package func record(sender: Sender) async throws -> Int {
        var count = 0
        var last: (day: String, exception: UUID128)?
        while true {
            let findings = try await findings(of: sender.tenant, after: last)
            for (finding, _) in findings {
                try Task.checkCancellation()
                if try await record(finding, sender) { count += 1 }
            }
            guard findings.count == Self.page, let (finding, day) = findings.last else { break }
            last = (day, finding.exception)
        }
        for withdrawn in try await withdrawn(of: sender.tenant) {
            try Task.checkCancellation()
            if try await end(withdrawn.id, of: withdrawn.transaction, sender) { count += 1 }
        }
        return count
    }

    private func findings(
        of tenant: String,
        after last: (day: String, exception: UUID128)?
    ) async throws -> [(Finding, day: String)] {
        try await pool.query(
            EmbeddedFiles.unrecordedChargebacks_sql,
            [
                .text(tenant), .optional(last?.day, PostgresValue.text), .optional(last?.exception, PostgresValue.uuid),
                .int64(Int64(Self.page)),
            ]
        ).map { row in
            let finding = Finding(
                exception: try row.uuid(0),
                transaction: try row.uuid(1),
                line: try row.uuid(2),
                amount: try row.int64(3),
                currency: try row.text(4),
                at: try row.timestampOrNull(5)
            )
            return (finding, try row.text(6))
        }
    }

    /// - Returns: False when there was nothing to record.
    private func record(_ finding: Finding, _ sender: Sender) async throws -> Bool {
        let state = try await state(of: finding.transaction, sender)
        guard let currency = Currency(alpha: finding.currency), currency == state.currency, finding.amount != .min
        else {
            return false
        }
        let amount = Money(abs(finding.amount), currency)
        var reported = Return(
            id: finding.line.text,
            amount: amount,
            evidence: .settlement,
            at: finding.at.map { .instant($0) },
            statementLine: finding.line
        )
        if finding.amount < 0 {
            // A line that was withdrawn and counts again is another chargeback of the payment.
            let earlier = state.chargebacks.filter { $0.id.hasPrefix(reported.id) }
            guard earlier.allSatisfy(\.isUndone) else { return false }
            if !earlier.isEmpty { reported.id += "-\(earlier.count + 1)" }
            return try await append(
                .chargedBack(reported),
                about: reported.id,
                finding.line,
                to: finding.transaction,
                sender
            )
        }
        guard let returned = state.chargeback(returnedBy: amount.value) else { return false }
        reported.id = returned.id
        return try await append(
            .chargebackReversed(reported),
            about: reported.id,
            finding.line,
            to: finding.transaction,
            sender
        )
    }

    // MARK: Withdrawn lines

    private func withdrawn(of tenant: String) async throws -> [(transaction: UUID128, id: String)] {
        try await pool.query(
            """
            SELECT c.transaction, c.id FROM read_movements.chargebacks c
            JOIN read_statements.lines l ON l.tenant = c.tenant AND l.id::text = left(c.id, 36)
            WHERE c.tenant = $1 AND c.reversal IS NULL AND NOT \(CountedLines.condition("l", isForFew: true))
            ORDER BY 1, 2
            """,
            [.text(tenant)]
        ).map { (try $0.uuid(0), try $0.text(1)) }
    }

    private func end(_ id: String, of transaction: UUID128, _ sender: Sender) async throws -> Bool {
        let state = try await state(of: transaction, sender)
        guard let entry = state.chargebacks.first(where: { $0.id.hasSameUTF8(as: id) && !$0.isUndone }),
            let currency = state.currency
        else { return false }
        let reported = Return(id: id, amount: Money(entry.amount, currency), evidence: .settlement)
        return try await append(.chargebackReversed(reported), about: id, nil, to: transaction, sender)
    }

    // MARK: Recording

    private func state(of transaction: UUID128, _ sender: Sender) async throws -> TransactionState {
        let history = try await reader.stream(StreamName.transaction(transaction), of: sender.tenant)
        return try TransactionState(folding: history.map(TransactionEvent.init))
    }

    /// - Parameters:
    ///   - id: The id of the chargeback within the payment.
    ///   - line: The line that reports it; nil if the line is withdrawn.
    private func append(
        _ fact: TransactionEvent,
        about id: String,
        _ line: UUID128?,
        to transaction: UUID128,
        _ sender: Sender
    ) async throws -> Bool {
        let stream = StreamName.transaction(transaction)
        let name = "\(fact.type):\(sender.tenant):\(line?.text ?? "withdrawn"):\(id):\(stream)"
        return try await recorder.recordOnce([fact], on: stream, as: name, at: clock.now(), sender: sender) != nil
    }
}
