import Canonical
import EventLog
import Matching
import Payments
import Postgres
import Projections
import Statements

/// The entries that follow from events about statements, matches and exceptions.
enum StatementEntries {
    /// Posts what each event of a run says, in order.
    ///
    /// - Parameter fundings: The positions of the run at which payments have posted money that the bank has.
    ///
    /// - Throws: `UnappliedEvent` for an event that cannot be read.
    static func post(
        _ run: LogRun,
        fundings: Set<Int64>,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        var parts: [(event: RecordedEvent, statement: UUID128)] = []
        for event in run.events {
            if let id = StreamName.statementID(event.stream), let name = StatementEvent.Name(rawValue: event.type) {
                if name == .partRecorded {
                    parts.append((event, id))
                    continue
                }
                try await write(&parts, in: transaction)
                try await post(event, name, of: id, in: transaction)
            } else if let id = StreamName.exceptionID(event.stream) {
                try await decide(event, about: id, in: transaction)
            } else if StreamName.isReconciliation(event.stream),
                let name = ReconciliationEvent.Name(rawValue: event.type)
            {
                try await post(event, name, in: transaction)
            } else if fundings.contains(event.position) {
                _ = try await transaction.execute(
                    EmbeddedFiles.fundedLater_sql + EntryPosting.posted,
                    [.text(event.tenant), .int64(event.position)]
                )
            }
        }
        try await write(&parts, in: transaction)
    }

    private static func write(
        _ parts: inout [(event: RecordedEvent, statement: UUID128)],
        in transaction: borrowing PostgresTransaction
    ) async throws {
        guard !parts.isEmpty else { return }
        _ = try await transaction.execute(
            EmbeddedFiles.statementLines_sql,
            [
                .textArray(parts.map(\.event.tenant)), .uuidArray(parts.map(\.statement)),
                .jsonArray(parts.map(\.event.data)),
            ]
        )
        parts = []
    }

    // MARK: Statements

    private static func post(
        _ event: RecordedEvent,
        _ name: StatementEvent.Name,
        of statement: UUID128,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        switch name {
        case .partRecorded: return
        case .importBegan:
            let began: StatementImport
            do {
                began = try JSONValueDecoder().decode(StatementImport.self, from: JSONValue(parsing: event.data.utf8))
            } catch {
                throw UnappliedEvent(position: event.position, cause: error)
            }
            _ = try await transaction.execute(
                "INSERT INTO files (tenant, id, side, processor) VALUES ($1, $2, $3, $4)",
                [.text(event.tenant), .uuid(statement), .text(began.side), .text(began.format)]
            )
        case .imported, .withdrawn:
            let counts = name == .imported
            let changed = try await transaction.query(
                "UPDATE files SET counts = $3 WHERE tenant = $1 AND id = $2 AND counts <> $3 RETURNING 1",
                [.text(event.tenant), .uuid(statement), .bool(counts)]
            )
            guard !changed.isEmpty else { return }
            try await change(event, placed(counts ? 1 : -1), [.uuid(statement)], in: transaction)
            try await change(event, EmbeddedFiles.revisedPayouts_sql, [.uuid(statement)], in: transaction)
        }
    }

    /// The lines of the file `$5`. Where a file lists the parts of a total, only the total's fees count, and a part whose
    /// total is elsewhere does not count.
    private static func placed(_ difference: Int) -> String {
        """
        SELECT p.line AS id, p.statement AS file, \(difference) AS files, CASE WHEN p.role = 'total' AND EXISTS (
            SELECT FROM journal_placements o WHERE o.tenant = p.tenant AND o.statement = p.statement
                AND o.line_group = p.line_group AND o.role = 'part'
        ) THEN \(difference) ELSE 0 END AS listed, 0 AS newer, 0 AS links, 0 AS exceptions, NULL AS link_account,
            NULL AS link_part
        FROM journal_placements p WHERE p.tenant = $1 AND p.statement = $5 AND (p.role <> 'part' OR EXISTS (
            SELECT FROM journal_placements t WHERE t.tenant = p.tenant AND t.statement = p.statement
                AND t.line_group = p.line_group AND t.role = 'total'
        ))
        """
    }

    // MARK: Reconciliation

    private static func post(
        _ event: RecordedEvent,
        _ name: ReconciliationEvent.Name,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        let data = [PostgresValue.json(event.data)]
        switch name {
        case .matched, .unmatched:
            let isMatched = name == .matched
            let links = isMatched ? EmbeddedFiles.linesLinked_sql : EmbeddedFiles.linesUnlinked_sql
            _ = try await transaction.execute(
                links + EmbeddedFiles.fundedLegs_sql + EntryPosting.legs,
                parameters(of: event) + data
            )
            try await change(event, linked(isMatched ? 1 : -1), data, in: transaction)
        case .depositsMatched, .depositsUnmatched:
            let isMatched = name == .depositsMatched
            try await change(event, deposited(isMatched ? 1 : -1), data, in: transaction)
            _ = try await transaction.execute(
                EmbeddedFiles.depositsGrouped_sql,
                [.text(event.tenant), .json(event.data), .bool(isMatched)]
            )
        case .posted: try await change(event, posted, data, in: transaction)
        case .unposted: try await change(event, unposted, data, in: transaction)
        case .exceptionsRaised:
            try await transaction.script(ExceptionPosting.byIndexes)
            try await change(event, raised, data, in: transaction)
            _ = try await transaction.execute(ExceptionPosting.raised, parameters(of: event) + data)
            try await transaction.script(ExceptionPosting.byAnyPlan)
        case .exceptionsCleared:
            try await transaction.script(ExceptionPosting.byIndexes)
            try await change(event, cleared, data, in: transaction)
            _ = try await transaction.execute(ExceptionPosting.cleared, parameters(of: event) + data)
            try await transaction.script(ExceptionPosting.byAnyPlan)
        case .rulesChanged, .began, .completed, .failed: return
        }
    }

    /// The lines of the links in `$5`, and the first line of each match with several. `difference` is 1 or -1.
    private static func linked(_ difference: Int) -> String {
        """
        SELECT n.id, NULL::uuid AS file, 0 AS files, 0 AS listed, 0 AS newer, \(difference) * n.links AS links,
            0 AS exceptions, known.account AS link_account, known.part AS link_part
        FROM (
            SELECT x.id, sum(x.links)::int AS links FROM json_array_elements($5::json -> 'links') v
            CROSS JOIN LATERAL (VALUES ((v.value ->> 0)::uuid, 1), ((v.value ->> 3)::uuid, 0)) x (id, links)
            WHERE x.id IS NOT NULL GROUP BY 1
        ) n LEFT JOIN LATERAL (
            SELECT k.account, k.part FROM journal_links k WHERE k.tenant = $1 AND k.line = n.id
            ORDER BY k.transaction, k.movement LIMIT 1
        ) known ON true
        """
    }

    /// The transfers of the links in `$5`. `difference` is 1 or -1.
    private static func deposited(_ difference: Int) -> String {
        """
        SELECT (v.value ->> 1)::uuid AS id, NULL::uuid AS file, 0 AS files, 0 AS listed, 0 AS newer,
            \(difference) * count(*)::int AS links, 0 AS exceptions, NULL AS link_account, NULL AS link_part
        FROM json_array_elements($5::json -> 'links') v GROUP BY 1
        """
    }

    /// The lines in `$5` that a posting rule explains: their money is in its account.
    private static let posted = """
        SELECT v.value::uuid AS id, NULL::uuid AS file, 0 AS files, 0 AS listed, 0 AS newer, 1 AS links, 0 AS exceptions,
            $5::json ->> 'account' AS link_account, $5::json ->> 'part' AS link_part
        FROM json_array_elements_text($5::json -> 'lines') v
        """

    private static let unposted = """
        SELECT v.value::uuid AS id, NULL::uuid AS file, 0 AS files, 0 AS listed, 0 AS newer, -1 AS links, 0 AS exceptions,
            NULL AS link_account, NULL AS link_part
        FROM json_array_elements_text($5::json -> 'lines') v
        """

    /// The lines of the exceptions in `$5` that are raised and were not.
    private static let raised = """
        SELECT r.id, NULL::uuid AS file, 0 AS files, 0 AS listed, 0 AS newer, 0 AS links, r.exceptions,
            known.account AS link_account, known.part AS link_part
        FROM (
            SELECT (v.value ->> 'line')::uuid AS id, count(*)::int AS exceptions,
                min(v.value ->> 'transaction')::uuid AS other, min(v.value ->> 'movement') AS movement
            FROM json_array_elements($5::json -> 'exceptions') v
            \(ExceptionPosting.found("(v.value ->> 'id')::uuid", "LEFT JOIN")) ON true
            WHERE v.value ->> 'line' IS NOT NULL AND coalesce(x.state, 'cleared') IN ('cleared', 'closed') GROUP BY 1
        ) r \(EntryPosting.known("r.other", "r.movement"))
        """

    private static let cleared = """
        SELECT x.line AS id, NULL::uuid AS file, 0 AS files, 0 AS listed, 0 AS newer, 0 AS links, -count(*)::int AS exceptions,
            NULL AS link_account, NULL AS link_part
        FROM (\(ExceptionPosting.uncleared)) x WHERE x.line IS NOT NULL GROUP BY 1
        """

    /// The line of the exception `$5`, which a run has cleared and an operator opens again.
    private static let reopened = """
        SELECT l.id, NULL::uuid AS file, 0 AS files, 0 AS listed, 0 AS newer, 0 AS links, 1 AS exceptions,
            l.exception_account AS link_account, l.exception_part AS link_part
        FROM journal_exceptions x JOIN journal_lines l ON l.tenant = x.tenant AND l.id = x.line
        WHERE x.tenant = $1 AND x.id = $5 AND x.state = 'closed'
        """

    private static func decide(
        _ event: RecordedEvent,
        about exception: UUID128,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        let state: String
        var evidence: Int64?
        switch try event.fact(ExceptionEvent.self) {
        case .resolved(let decision):
            evidence = decision.evidence
            switch decision.resolution.kind {
            case .writtenOff: state = "written-off"
            // The next run links what was matched by hand.
            case .matched, .corrected, .timing: state = "resolved"
            }
        case .reopened:
            state = "open"
            try await change(event, reopened, [.uuid(exception)], in: transaction)
        case .assigned, .noted, .resolutionProposed, .resolutionRejected: return
        }
        _ = try await transaction.execute(
            ExceptionPosting.decided,
            parameters(of: event) + [.uuid(exception), .text(state), evidence.map(PostgresValue.int64) ?? .null]
        )
    }

    private static func change(
        _ event: RecordedEvent,
        _ wanted: String,
        _ more: [PostgresValue],
        in transaction: borrowing PostgresTransaction
    ) async throws {
        _ = try await transaction.execute(LinePosting.sql(wanted), parameters(of: event) + more)
    }

    private static func parameters(of event: RecordedEvent) -> [PostgresValue] {
        [
            .text(event.tenant), .int64(event.position), .uuid(event.id),
            .text(String(event.recordedAt.rfc3339.prefix(10))),
        ]
    }
}
