import EventLog
import Matching
import Payments
package import Postgres
package import Projections

/// The read model `reconciliation`: matches and exceptions as of the newest run, and their history.
package struct ReconciliationProjection: Projection {
    package let name = "reconciliation"
    package let version = 7
    package let definition =
        [EmbeddedFiles.reconciliation_sql, EmbeddedFiles.reconciliationPeriods_sql].joined(separator: "\n")
        + depositsDefinition
    package let contents = [
        ProjectionTable("rules", key: ["tenant", "position"]),
        ProjectionTable("runs", key: ["tenant", "id"]),
        ProjectionTable("links", key: ["tenant", "line", "transaction", "movement", "position"]),
        ProjectionTable("postings", key: ["tenant", "line", "position"]),
        ProjectionTable("exceptions", key: ["tenant", "id"]),
        ProjectionTable("steps", key: ["tenant", "exception", "position"]),
        ProjectionTable("periods", key: ["tenant", "id", "position"]),
        depositLinks,
    ]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        var part = Part(name: .matched)
        for event in run.events {
            if let exception = StreamName.exceptionID(event.stream) {
                try await part.write(in: transaction)
                part = Part(name: .matched)
                try await ExceptionStep(exception, event).write(in: transaction)
                continue
            }
            if let period = try PeriodStep(event) {
                try await period.write(in: transaction)
                continue
            }
            guard StreamName.isReconciliation(event.stream),
                let name = ReconciliationEvent.Name(rawValue: event.type)
            else { continue }
            switch name {
            case .matched, .unmatched, .depositsMatched, .depositsUnmatched, .posted, .unposted, .exceptionsRaised,
                .exceptionsCleared:
                // Consecutive parts of one kind are written together.
                if name != part.name {
                    try await part.write(in: transaction)
                    part = Part(name: name)
                }
                part.events.append(event)
            case .rulesChanged, .began, .completed, .failed:
                try await part.write(in: transaction)
                part = Part(name: name)
                try await note(event, in: transaction)
            }
        }
        try await part.write(in: transaction)
    }

    private func note(_ event: RecordedEvent, in transaction: borrowing PostgresTransaction) async throws {
        switch try event.fact(ReconciliationEvent.self) {
        case .rulesChanged:
            _ = try await transaction.execute(
                """
                INSERT INTO rules (tenant, position, version, at, actor, details)
                SELECT $1, $2, count(*) + 1, $3, $4, $5 FROM rules WHERE tenant = $1
                """,
                [
                    .text(event.tenant), .int64(event.position), .timestamptz(event.recordedAt),
                    .text(event.actor.storable), .json(event.data),
                ]
            )
        case .began(let run):
            _ = try await transaction.execute(
                """
                INSERT INTO runs (tenant, id, position, covers, since, rules, horizon, began_at, began_by)
                VALUES ($1, $2, $3, $4, $5, $6, $7::text::date, $8, $9)
                ON CONFLICT (tenant, id) DO UPDATE SET position = excluded.position, covers = excluded.covers,
                    since = excluded.since, rules = excluded.rules, horizon = excluded.horizon,
                    began_at = excluded.began_at, began_by = excluded.began_by, failed = NULL, failed_at = NULL,
                    failure = NULL
                """,
                [
                    .text(event.tenant), .uuid(run.run), .int64(event.position), .int64(run.covers), .int64(run.since),
                    .text(run.rules), run.horizon.map(PostgresValue.text) ?? .null, .timestamptz(event.recordedAt),
                    .text(event.actor.storable),
                ]
            )
        case .completed(let run):
            _ = try await transaction.execute(
                """
                UPDATE runs SET completed = $3, completed_at = $4, matched = $5, unmatched = $6, raised = $7, cleared = $8,
                    deposits_matched = $9, deposits_unmatched = $10, posted = $11, unposted = $12
                WHERE tenant = $1 AND id = $2
                """,
                [
                    .text(event.tenant), .uuid(run.run), .int64(event.position), .timestamptz(event.recordedAt),
                    .int64(run.matched), .int64(run.unmatched), .int64(run.raised), .int64(run.cleared),
                    .int64(run.depositsMatched), .int64(run.depositsUnmatched), .int64(run.posted),
                    .int64(run.unposted),
                ]
            )
        case .failed(let run):
            _ = try await transaction.execute(
                """
                UPDATE runs SET failed = $3, failed_at = $4, failure = $5
                WHERE tenant = $1 AND id = $2 AND completed IS NULL
                """,
                [
                    .text(event.tenant), .uuid(run.run), .int64(event.position), .timestamptz(event.recordedAt),
                    .text(run.reason.rawValue),
                ]
            )
        case .matched, .unmatched, .depositsMatched, .depositsUnmatched, .posted, .unposted, .exceptionsRaised,
            .exceptionsCleared:
            break
        }
    }
}

/// Consecutive events of one kind about links or exceptions.
private struct Part {
    var name: ReconciliationEvent.Name
    var events: [RecordedEvent] = []

    func write(in transaction: borrowing PostgresTransaction) async throws {
        var events = events
        if name == .matched {
            var rows = LinkRows()
            events.removeAll { rows.add($0) }
            try await rows.write(in: transaction)
        }
        guard !events.isEmpty else { return }
        _ = try await transaction.execute(
            sql,
            [
                .textArray(events.map(\.tenant)), .int64Array(events.map(\.position)),
                .timestamptzArray(events.map(\.recordedAt)), .textArray(events.map(\.actor.storable)),
                .jsonArray(events.map(\.data)),
            ]
        )
    }

    /// `OFFSET 0` makes PostgreSQL extract the rule once per event. The data of an event is long and must be parsed
    /// for it.
    private static let reported = """
        FROM (
            SELECT *, data ->> 'rule' AS rule
            FROM unnest($1::text[], $2::int8[], $3::timestamptz[], $4::text[], $5::json[]) AS u (tenant, position, at, actor, data)
            OFFSET 0
        ) e
        """

    private var sql: String {
        switch name {
        case .matched:
            """
            INSERT INTO links (tenant, line, transaction, movement, match, rule, position)
            SELECT e.tenant, (l.value ->> 0)::uuid, (l.value ->> 1)::uuid, l.value ->> 2,
                coalesce(l.value ->> 3, l.value ->> 0)::uuid, e.rule, e.position
            \(Self.reported) CROSS JOIN json_array_elements(e.data -> 'links') AS l (value)
            ON CONFLICT (tenant, line, transaction, movement, position) DO NOTHING
            """
        case .unmatched:
            """
            UPDATE links k SET until = u.position FROM (
                SELECT e.tenant, e.position, (l.value ->> 0)::uuid AS line, (l.value ->> 1)::uuid AS transaction,
                    l.value ->> 2 AS movement
                \(Self.reported) CROSS JOIN json_array_elements(e.data -> 'links') AS l (value)
            ) u WHERE k.tenant = u.tenant AND k.line = u.line AND k.transaction = u.transaction
                AND k.movement = u.movement AND k.until IS NULL
            """
        case .depositsMatched: ReconciliationProjection.depositsMatched(Self.reported)
        case .depositsUnmatched: ReconciliationProjection.depositsUnmatched(Self.reported)
        case .posted:
            """
            INSERT INTO postings (tenant, line, rule, account, part, position)
            SELECT e.tenant, l.value::uuid, e.rule, e.data ->> 'account', coalesce(e.data ->> 'part', ''), e.position
            \(Self.reported) CROSS JOIN json_array_elements_text(e.data -> 'lines') AS l (value)
            """
        case .unposted:
            """
            UPDATE postings p SET until = u.position FROM (
                SELECT e.tenant, e.position, l.value::uuid AS line
                \(Self.reported) CROSS JOIN json_array_elements_text(e.data -> 'lines') AS l (value)
            ) u WHERE p.tenant = u.tenant AND p.line = u.line AND p.until IS NULL
            """
        case .exceptionsRaised:
            // An exception raised again is open, whatever operators decided on the earlier evidence.
            """
            WITH raised AS (
                INSERT INTO exceptions AS x (tenant, id, class, line, transaction, movement, merchant, terminal, currency,
                    amount, day, first, first_at, raised, raised_at, changed, status, details)
                SELECT e.tenant, r.id, r.class, r.line, r.transaction, r.movement, r.merchant, r.terminal, r.currency,
                    r.amount, r.day, e.position, e.at, e.position, e.at, e.position, 'open', t.value
                \(Self.reported) CROSS JOIN json_array_elements(e.data -> 'exceptions') AS t (value)
                CROSS JOIN json_to_record(t.value) AS r (
                    id uuid, class text, line uuid, transaction uuid, movement text, merchant text, terminal text,
                    currency text, amount int8, day date
                )
                ON CONFLICT (tenant, id) DO UPDATE SET merchant = excluded.merchant, terminal = excluded.terminal,
                    currency = excluded.currency, amount = excluded.amount, day = excluded.day, raised = excluded.raised,
                    raised_at = excluded.raised_at, changed = excluded.changed, details = excluded.details, cleared = NULL,
                    status = CASE WHEN x.assignee IS NULL THEN 'open' ELSE 'assigned' END, proposal = NULL,
                    proposed_by = NULL, resolution = NULL,
                    reopenings = x.reopenings + CASE WHEN x.status IN ('cleared', 'resolved') THEN 1 ELSE 0 END
                RETURNING tenant, id, raised, raised_at, status, assignee, details
            )
            INSERT INTO steps (tenant, exception, position, kind, at, actor, status, assignee, details)
            SELECT r.tenant, r.id, r.raised, 'ExceptionsRaised', r.raised_at, a.actor, r.status, r.assignee, r.details
            FROM raised r JOIN unnest($2::int8[], $4::text[]) AS a (position, actor) ON a.position = r.raised
            ON CONFLICT (tenant, exception, position) DO NOTHING
            """
        case .exceptionsCleared:
            """
            WITH cleared AS (
                UPDATE exceptions x SET cleared = c.position, changed = c.position, proposal = NULL, proposed_by = NULL,
                    status = CASE WHEN x.status = 'resolved' THEN 'resolved' ELSE 'cleared' END
                FROM (
                    SELECT e.tenant, e.position, e.at, e.actor, i.value::uuid AS id
                    \(Self.reported) CROSS JOIN json_array_elements_text(e.data -> 'exceptions') AS i (value)
                ) c WHERE x.tenant = c.tenant AND x.id = c.id
                RETURNING x.tenant, x.id, c.position, c.at, c.actor, x.status, x.assignee
            )
            INSERT INTO steps (tenant, exception, position, kind, at, actor, status, assignee)
            SELECT tenant, id, position, 'ExceptionsCleared', at, actor, status, assignee FROM cleared
            ON CONFLICT (tenant, exception, position) DO NOTHING
            """
        case .rulesChanged, .began, .completed, .failed: "SELECT"
        }
    }
}
