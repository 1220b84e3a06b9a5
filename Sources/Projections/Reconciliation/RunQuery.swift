package import Canonical
import Payments
import Postgres

/// One run.
package struct RunView: Sendable, Hashable {
    package var id: UUID128
    /// Of the event with which it began.
    package var position: Int64
    /// Every event up to here has been looked at when it is completed.
    package var covers: Int64
    /// Only what has changed after this position was asked for; 0 for everything.
    package var since: Int64
    /// SHA-256 of the rules, in hexadecimal digits.
    package var rules: String
    /// The newest day that a line of a processor has.
    package var horizon: CivilDate?
    package var beganAt: Timestamp
    package var beganBy: String
    /// Nil while it goes on, and where it has failed.
    package var completion: Completion?
    /// Nil where it has not failed. One whose program has ended is known to have failed once the next one begins.
    package var failure: Failure?
    /// Whether nothing in the log has ended it so far, whatever position is asked for: somebody is at it, or it was cut off.
    package var isUnended = false
    /// Whether it had not ended, and nobody was at it any more.
    package var isCutOff = false

    package enum Status: String, Sendable, Hashable, CaseIterable {
        case running, completed, failed
        case cutOff = "cut-off"
    }

    package var status: Status {
        completion != nil ? .completed : failure != nil ? .failed : isCutOff ? .cutOff : .running
    }

    /// What whoever runs it holds as an advisory lock until its end is in the log.
    package static func lock(of run: UUID128) -> String { "daybook reconciliation \(run.text)" }

    /// Why it did not come to its end.
    package struct Failure: Sendable, Hashable {
        package var position: Int64
        package var at: Timestamp
        /// A `RunFailure.Reason`.
        package var reason: String
    }

    /// What it changed.
    package struct Completion: Sendable, Hashable {
        package var position: Int64
        package var at: Timestamp
        package var matched: Int64
        package var unmatched: Int64
        package var raised: Int64
        package var cleared: Int64
        package var depositsMatched: Int64
        package var depositsUnmatched: Int64
    }
}

/// What one run told, as a condition: positions between its first event and its last. One that was cut off told
/// everything until the next one began.
enum RunSpan {
    /// - Parameters:
    ///   - position: The column.
    ///   - run: The id of the run, as a parameter; that of the tenant is `$1`.
    static func contains(_ position: String, run: String) -> String {
        """
        \(position) > (SELECT r.position FROM read_reconciliation.runs r WHERE r.tenant = $1 AND r.id = \(run))
        AND \(position) <= (
            SELECT coalesce(r.completed, r.failed, (
                SELECT min(n.position) FROM read_reconciliation.runs n
                WHERE n.tenant = r.tenant AND n.position > r.position
            ), 9223372036854775807)
            FROM read_reconciliation.runs r WHERE r.tenant = $1 AND r.id = \(run)
        )
        """
    }
}

/// Which links are wanted. Everything set must hold.
package struct MatchFilter: Sendable, Hashable {
    package var transaction: UUID128?
    package var line: UUID128?
    package var rule: String?
    /// Only what this run told, whether it holds still or not.
    package var madeBy: UUID128?
    /// Only what this run told not to hold any more.
    package var endedBy: UUID128?

    package init() {}
}

/// A line and a movement that explain each other.
package struct MatchView: Sendable, Hashable {
    package var line: UUID128
    package var transaction: UUID128
    package var movement: String
    /// The same for all that add up together.
    package var match: UUID128
    package var rule: String
    /// Of the event that told it.
    package var position: Int64
    /// Of the event since which it does not hold any more.
    package var until: Int64?
    package var statement: UUID128?
    /// The line in the file, counted from 1.
    package var number: Int64?
    package var day: CivilDate?
    package var currency: String?
    /// What the line says that was paid, in minor units.
    package var lineAmount: Int64?
    /// What the ledger said at the position that was asked for, else says now; nil where the movement was gone.
    package var ledgerAmount: Int64?
    package var ledgerCurrency: String?
}

extension ReconciliationQuery {
    /// One run of the tenant; nil when there is none. Whether anybody is at it who has not ended, `Reconciler` knows.
    package func run(_ id: UUID128, of tenant: String) async throws -> RunView? {
        try await pool.query(
            "\(Self.runs) WHERE tenant = $1 AND id = $3",
            [.text(tenant), .int64(.max), .uuid(id)]
        ).first.map(RunView.init)
    }

    /// Up to `limit` runs, newest first, before the given position.
    ///
    /// - Parameter moment: As they were when everything up to this position was in; nil for now.
    package func runs(
        of tenant: String,
        at moment: Int64? = nil,
        before position: Int64 = .max,
        limit: Int
    ) async throws -> [RunView] {
        let (sql, parameters) = Self.search(tenant, at: moment, before: position, limit)
        return try await pool.query(sql, parameters).map(RunView.init)
    }

    static func search(
        _ tenant: String,
        at moment: Int64? = nil,
        before position: Int64,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        (
            "\(runs) WHERE tenant = $1 AND position <= $2 AND position < $3 ORDER BY position DESC LIMIT $4",
            [.text(tenant), .int64(moment ?? .max), .int64(position), .int64(Int64(limit))]
        )
    }

    /// `$2` is the position as of which.
    private static let runs = """
        SELECT id, position, covers, since, rules, horizon::text, began_at, began_by,
            CASE WHEN completed <= $2 THEN completed END, completed_at, matched, unmatched, raised, cleared, deposits_matched,
            deposits_unmatched, CASE WHEN failed <= $2 THEN failed END, failed_at, failure,
            completed IS NULL AND failed IS NULL, coalesce(failed > $2 AND failure = 'cut-off', false)
        FROM read_reconciliation.runs
        """

    /// Where a page of matches ended.
    package struct MatchPlace: Sendable, Hashable {
        package var position: Int64
        package var line: UUID128
        package var transaction: UUID128
        package var movement: String

        package init(position: Int64, line: UUID128, transaction: UUID128, movement: String) {
            self.position = position
            self.line = line
            self.transaction = transaction
            self.movement = movement
        }
    }

    /// Up to `limit` matches in the order in which they were told.
    ///
    /// - Parameter position: Those that held when everything up to there was in; nil for now.
    package func matches(
        of tenant: String,
        matching filter: MatchFilter = .init(),
        at position: Int64? = nil,
        after place: MatchPlace? = nil,
        limit: Int
    ) async throws -> [MatchView] {
        let (sql, parameters) = Self.search(tenant, filter, position, place, limit)
        return try await pool.query(sql, parameters).map(MatchView.init)
    }

    static func search(
        _ tenant: String,
        _ filter: MatchFilter,
        _ position: Int64?,
        _ place: MatchPlace?,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        var parameters: [PostgresValue] = [.text(tenant)]
        var conditions = ["k.tenant = $1"]
        func parameter(_ value: PostgresValue) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        var movement = """
            LEFT JOIN read_movements.movements m ON m.tenant = k.tenant AND m.transaction = k.transaction
                AND m.line = k.movement
            """
        if let position {
            let at = parameter(.int64(position))
            movement = """
                LEFT JOIN LATERAL (
                    SELECT (b.amount - b.voided) * CASE WHEN b.type IN ('refund', 'credit') THEN -1 ELSE 1 END AS amount,
                        b.currency
                    FROM read_batches.members b
                    WHERE b.tenant = k.tenant AND b.transaction = k.transaction AND b.line = k.movement
                        AND b.since <= \(at) AND (b.until IS NULL OR b.until > \(at)) AND b.amount > b.voided LIMIT 1
                ) m ON true
                """
            conditions.append("k.position <= \(at) AND (k.until IS NULL OR k.until > \(at))")
        } else if filter.madeBy == nil, filter.endedBy == nil {
            conditions.append("k.until IS NULL")
        }
        if let place {
            let values: [PostgresValue] = [
                .int64(place.position), .uuid(place.line), .uuid(place.transaction), .text(place.movement),
            ]
            let list = values.map(parameter).joined(separator: ", ")
            conditions.append("(k.position, k.line, k.transaction, k.movement) > (\(list))")
        }
        if let transaction = filter.transaction {
            conditions.append("k.transaction = \(parameter(.uuid(transaction)))")
        }
        if let line = filter.line { conditions.append("k.line = \(parameter(.uuid(line)))") }
        if let run = filter.madeBy {
            conditions.append(RunSpan.contains("k.position", run: parameter(.uuid(run))))
        }
        if let run = filter.endedBy { conditions.append(RunSpan.contains("k.until", run: parameter(.uuid(run)))) }
        if let rule = filter.rule { conditions.append("k.rule = \(parameter(.text(rule)))") }
        let sql = """
            SELECT k.line, k.transaction, k.movement, k.match, k.rule, k.position, l.statement, l.number, l.day::text,
                coalesce(l.paid_currency, l.currency), coalesce(l.paid, l.gross, l.amount), m.amount, m.currency,
                k.until
            FROM read_reconciliation.links k
            LEFT JOIN read_statements.lines l ON l.tenant = k.tenant AND l.id = k.line
            \(movement)
            WHERE \(conditions.joined(separator: " AND "))
            ORDER BY k.position, k.line, k.transaction, k.movement LIMIT \(parameter(.int64(Int64(limit))))
            """
        return (sql, parameters)
    }
}

extension RunView {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.uuid(0),
            position: try row.int64(1),
            covers: try row.int64(2),
            since: try row.int64(3),
            rules: try row.text(4),
            horizon: try row.textOrNull(5).flatMap { CivilDate($0) },
            beganAt: try row.timestamp(6),
            beganBy: try row.text(7)
        )
        isUnended = try row.bool(19)
        isCutOff = try row.bool(20)
        if let position = try row.int64OrNull(16), let at = try row.timestampOrNull(17) {
            failure = Failure(position: position, at: at, reason: try row.text(18))
        }
        guard let position = try row.int64OrNull(8), let at = try row.timestampOrNull(9) else { return }
        completion = Completion(
            position: position,
            at: at,
            matched: try row.int64(10),
            unmatched: try row.int64(11),
            raised: try row.int64(12),
            cleared: try row.int64(13),
            depositsMatched: try row.int64(14),
            depositsUnmatched: try row.int64(15)
        )
    }
}

extension MatchView {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            line: try row.uuid(0),
            transaction: try row.uuid(1),
            movement: try row.text(2),
            match: try row.uuid(3),
            rule: try row.text(4),
            position: try row.int64(5),
            until: try row.int64OrNull(13),
            statement: try row.uuidOrNull(6),
            number: try row.int64OrNull(7),
            day: try row.textOrNull(8).flatMap { CivilDate($0) },
            currency: try row.textOrNull(9),
            lineAmount: try row.int64OrNull(10),
            ledgerAmount: try row.int64OrNull(11),
            ledgerCurrency: try row.textOrNull(12)
        )
    }
}
