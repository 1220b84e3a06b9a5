package import Canonical
import Payments
import Postgres
import Projections

/// One reconciliation run.
package struct RunView: Sendable, Hashable {
    package var id: UUID128
    /// The position of the event with which it began.
    package var position: Int64
    /// The position up to which a completed run has examined all events.
    package var covers: Int64
    /// The run was requested only for changes after this position; 0 for everything.
    package var since: Int64
    /// SHA-256 of the rules, in hexadecimal digits.
    package var rules: String
    /// The newest day of any processor line.
    package var horizon: CivilDate?
    package var beganAt: Timestamp
    package var beganBy: String
    /// Nil while the run is in progress, and when it has failed.
    package var completion: Completion?
    /// Nil unless the run has failed. A run whose process has ended is recorded as failed when the next run begins.
    package var failure: Failure?
    /// Whether the log holds no end of the run, at any position: it is in progress or was cut off.
    package var isUnended = false
    /// Whether the run had not ended and no process was executing it any more.
    package var isCutOff = false

    package enum Status: String, Codable, Sendable, Hashable, CaseIterable {
        case running, completed, failed
        case cutOff = "cut-off"
    }

    package var status: Status {
        completion != nil ? .completed : failure != nil ? .failed : isCutOff ? .cutOff : .running
    }

    /// The key of the advisory lock that the running process holds until the end of the run is in the log.
    package static func lock(of run: UUID128) -> String { "daybook reconciliation \(run.text)" }

    /// The failure of a run.
    package struct Failure: Sendable, Hashable {
        package var position: Int64
        package var at: Timestamp
        /// A `RunFailure.Reason`.
        package var reason: String
    }

    /// The changes that a run made.
    package struct Completion: Sendable, Hashable {
        package var position: Int64
        package var at: Timestamp
        package var matched: Int64
        package var unmatched: Int64
        package var raised: Int64
        package var cleared: Int64
        package var depositsMatched: Int64
        package var depositsUnmatched: Int64
        /// Lines that posting rules explain.
        package var posted: Int64
        package var unposted: Int64
    }
}

/// The events of one run, as a condition: positions after its first event up to its last. For a run that was cut off,
/// positions up to the beginning of the next run.
enum RunSpan {
    /// - Parameters:
    ///   - position: The column with the position.
    ///   - run: The placeholder of the run's id; `$1` is the tenant.
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

/// The conditions on a list of matches. Everything set must hold.
package struct MatchFilter: Sendable, Hashable {
    package var transaction: UUID128?
    package var line: UUID128?
    package var rule: String?
    /// Only matches that this run made, whether they still hold or not.
    package var madeBy: UUID128?
    /// Only matches that this run ended.
    package var endedBy: UUID128?

    package init() {}
}

/// A line and a movement that explain each other.
package struct MatchView: Sendable, Hashable {
    package var line: UUID128
    package var transaction: UUID128
    package var movement: String
    /// The id shared by all links that add up together.
    package var match: UUID128
    package var rule: String
    /// The position of the event that reported it.
    package var position: Int64
    /// The position of the event that ended it; nil while it holds.
    package var until: Int64?
    package var statement: UUID128?
    /// The line in the file, counted from 1.
    package var number: Int64?
    package var day: CivilDate?
    package var currency: String?
    /// The amount paid, as the line states it, in minor units.
    package var lineAmount: Int64?
    /// The ledger's amount at the requested position, or the current one; nil when the movement no longer existed.
    package var ledgerAmount: Int64?
    package var ledgerCurrency: String?
}

extension ReconciliationQuery {
    /// One run of the tenant; nil when there is none. `Reconciler` determines whether a process still executes an
    /// unended run.
    package func run(_ id: UUID128, of tenant: String) async throws -> RunView? {
        try await pool.query(
            "\(Self.runs) WHERE tenant = $1 AND id = $3",
            [.text(tenant), .int64(.max), .uuid(id)]
        ).first.map(RunView.init)
    }

    /// Up to `limit` runs, newest first, before the given position.
    ///
    /// - Parameter moment: The position up to which events count; nil for the current state.
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

    /// `$2` is the position up to which events count.
    private static let runs = """
        SELECT id, position, covers, since, rules, horizon::text, began_at, began_by,
            CASE WHEN completed <= $2 THEN completed END, completed_at, matched, unmatched, raised, cleared, deposits_matched,
            deposits_unmatched, CASE WHEN failed <= $2 THEN failed END, failed_at, failure,
            completed IS NULL AND failed IS NULL, coalesce(failed > $2 AND failure = 'cut-off', false), posted, unposted
        FROM read_reconciliation.runs
        """

    /// The end of a page of matches.
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

    /// Up to `limit` matches, in log order.
    ///
    /// - Parameter position: The position at which the matches held; nil for the current matches.
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
        var conditions = QueryConditions(["k.tenant = $1"], [.text(tenant)])
        var movement = """
            LEFT JOIN read_movements.movements m ON m.tenant = k.tenant AND m.transaction = k.transaction
                AND m.line = k.movement
            """
        if let position {
            let at = conditions.parameter(.int64(position))
            movement = """
                LEFT JOIN LATERAL (
                    SELECT (b.amount - b.voided) * CASE WHEN b.type IN ('refund', 'credit') THEN -1 ELSE 1 END AS amount,
                        b.currency
                    FROM \(PaymentRelations.lines) b
                    WHERE b.tenant = k.tenant AND b.transaction = k.transaction AND b.line = k.movement
                        AND b.since <= \(at) AND (b.until IS NULL OR b.until > \(at)) AND b.amount > b.voided LIMIT 1
                ) m ON true
                """
            conditions.add("k.position <= \(at) AND (k.until IS NULL OR k.until > \(at))")
        } else if filter.madeBy == nil, filter.endedBy == nil {
            conditions.add("k.until IS NULL")
        }
        if let place {
            let values: [PostgresValue] = [
                .int64(place.position), .uuid(place.line), .uuid(place.transaction), .text(place.movement),
            ]
            let list = values.map { conditions.parameter($0) }.joined(separator: ", ")
            conditions.add("(k.position, k.line, k.transaction, k.movement) > (\(list))")
        }
        conditions.add("k.transaction =", filter.transaction.map(PostgresValue.uuid))
        conditions.add("k.line =", filter.line.map(PostgresValue.uuid))
        if let run = filter.madeBy {
            conditions.add(RunSpan.contains("k.position", run: conditions.parameter(.uuid(run))))
        }
        if let run = filter.endedBy {
            conditions.add(RunSpan.contains("k.until", run: conditions.parameter(.uuid(run))))
        }
        conditions.add("k.rule =", text: filter.rule)
        let sql = """
            SELECT k.line, k.transaction, k.movement, k.match, k.rule, k.position, l.statement, l.number, l.day::text,
                coalesce(l.paid_currency, l.currency), coalesce(l.paid, l.gross, l.amount), m.amount, m.currency,
                k.until
            FROM read_reconciliation.links k
            LEFT JOIN read_statements.lines l ON l.tenant = k.tenant AND l.id = k.line
            \(movement)
            WHERE \(conditions.sql)
            ORDER BY k.position, k.line, k.transaction, k.movement LIMIT \(conditions.parameter(.int64(Int64(limit))))
            """
        return (sql, conditions.parameters)
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
            depositsUnmatched: try row.int64(15),
            posted: try row.int64(21),
            unposted: try row.int64(22)
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
