import Canonical
import Postgres
package import Projections

/// The closed business day, and the two positions of the log at which it is compared.
package struct PeriodComparison: Sendable, Hashable {
    /// The comparison of the merchant's lines of money that occurred on the day.
    package var money: BatchComparison
    package var merchant: String
    /// The day in the form of statement lines: `2026-03-01`.
    package var day: String

    package init(money: BatchComparison, merchant: String, day: String) {
        self.money = money
        self.merchant = merchant
        self.day = day
    }
}

/// A change outside the ledger's money.
package struct PeriodChange: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A line of a processor's statement that began or ceased to count.
        case statementLine = "statement-line"
        case match
        case exception
    }

    package var place: PeriodChangePlace
    /// The change as JSON.
    package var reported: String
}

/// The end of a page of changes.
package struct PeriodChangePlace: Sendable, Hashable {
    package var kind: PeriodChange.Kind
    /// The key within its kind.
    package var key: String

    package init(kind: PeriodChange.Kind, key: String) {
        self.kind = kind
        self.key = key
    }
}

extension ReconciliationQuery {
    /// Up to `limit` differences between two positions in the statement lines of a merchant's day, in their matches
    /// and in the exceptions about the day, in the order of kinds.
    ///
    /// - Parameter place: The end of the previous page.
    package func changes(
        of tenant: String,
        _ comparison: PeriodComparison,
        after place: PeriodChangePlace? = nil,
        limit: Int
    ) async throws -> [PeriodChange] {
        let kinds = PeriodChange.Kind.allCases
        let merchants = MerchantQuery(pool: pool)
        let others = try await merchants.otherNames(of: comparison.merchant, tenant: tenant, at: comparison.money.to)
        let after = place.flatMap { kinds.firstIndex(of: $0.kind) } ?? -1
        let (start, end) = (comparison.money.occurredFrom ?? .earliest, comparison.money.occurredBefore ?? .latest)
        var parameters: [PostgresValue] = [
            .text(tenant), .int64(comparison.money.from), .int64(comparison.money.to),
            .textArray([comparison.merchant] + others.merchants),
            .text(comparison.day), .timestamptz(start), .timestamptz(end), .int32(Int32(after)),
            .text(place?.key ?? ""), .int64(Int64(limit)),
        ]
        func add(_ value: PostgresValue) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        let zone = comparison.money.zone
        let span = RowTime(of: "m", in: zone).isWithin(from: start, before: end, add) ?? "true"
        let sql = Self.changesSQL(
            in: zone,
            movements: "\(others.condition(comparison.merchant, row: "m.", add)) AND \(span)",
            exceptions: ExceptionMerchant.condition(comparison.merchant, others, add),
            add
        )
        return try await pool.query(sql, parameters).map { row in
            let place = PeriodChangePlace(kind: kinds[Int(try row.int32(0))], key: try row.text(1))
            return PeriodChange(place: place, reported: try row.text(2))
        }
    }

    private static func money(_ amount: String, _ currency: String) -> String {
        "CASE WHEN \(amount) IS NOT NULL THEN json_build_object('value', \(amount), 'currency', \(currency)) END"
    }

    /// `$1` is the tenant, `$2` and `$3` are the positions, `$4` are the merchant's names, `$5` is the day, `$6` and `$7` are
    /// its bounds.
    ///
    /// - Parameters:
    ///   - own: The condition on the movements `m` of the merchant's day.
    ///   - merchant: The condition on the exceptions `x` of the merchant.
    private static func changesSQL(
        in zone: Zone,
        movements own: String,
        exceptions merchant: String,
        _ place: (PostgresValue) -> String
    ) -> String {
        """
        WITH day_lines AS MATERIALIZED (
            SELECT l.id, l.type, l.currency, l.amount, \(CountedLines.condition("l", at: "$2")) AS was,
                \(CountedLines.condition("l", at: "$3")) AS counts
            FROM read_statements.lines l
            WHERE l.tenant = $1 AND l.side = 'processor' AND l.merchant = ANY ($4::text[]) AND l.day = $5::text::date
        ), day_movements AS MATERIALIZED (
            SELECT DISTINCT m.transaction, m.line FROM \(PaymentRelations.lines) m
            WHERE m.tenant = $1 AND \(own)
                AND m.since <= $3 AND (m.until IS NULL OR m.until > $2)
        ), day_links AS (
            SELECT k.* FROM day_lines d JOIN read_reconciliation.links k ON k.tenant = $1 AND k.line = d.id
            UNION
            SELECT k.* FROM day_movements d
            JOIN read_reconciliation.links k ON k.tenant = $1 AND k.transaction = d.transaction AND k.movement = d.line
        ), links AS (
            SELECT line, transaction, movement,
                max(rule) FILTER (WHERE position <= $2 AND (until IS NULL OR until > $2)) AS before,
                max(rule) FILTER (WHERE position <= $3 AND (until IS NULL OR until > $3)) AS after
            FROM day_links GROUP BY line, transaction, movement
        ), details AS (
            SELECT 0 AS kind, id::text AS key, was AS is_before, counts AS is_after,
                jsonb_build_object('statementLine', id, 'type', type) AS about,
                CASE WHEN was THEN json_build_object('amount', \(money("amount", "currency"))) END AS before,
                CASE WHEN counts THEN json_build_object('amount', \(money("amount", "currency"))) END AS after
            FROM day_lines WHERE was <> counts
            UNION ALL
            SELECT 1, concat_ws('~', line, transaction, movement), before IS NOT NULL, after IS NOT NULL,
                jsonb_build_object('statementLine', line, 'transaction', transaction, 'movement', movement),
                CASE WHEN before IS NOT NULL THEN json_build_object('rule', before) END,
                CASE WHEN after IS NOT NULL THEN json_build_object('rule', after) END
            FROM links WHERE before IS DISTINCT FROM after
            UNION ALL
            SELECT 2, id::text, b.status IS NOT NULL, a.status IS NOT NULL,
                jsonb_build_object('exception', id, 'class', coalesce(a.class, b.class), 'statementLine',
                    coalesce(a.line, b.line), 'transaction', coalesce(a.transaction, b.transaction), 'movement',
                    coalesce(a.movement, b.movement)),
                CASE WHEN b.status IS NOT NULL
                    THEN json_build_object('status', b.status, 'amount', \(money("b.amount", "b.currency"))) END,
                CASE WHEN a.status IS NOT NULL
                    THEN json_build_object('status', a.status, 'amount', \(money("a.amount", "a.currency"))) END
            FROM (\(exceptions(at: "$2", of: merchant, in: zone, place))) b
            FULL JOIN (\(exceptions(at: "$3", of: merchant, in: zone, place))) a USING (id)
            WHERE (a.status, a.amount, a.currency) IS DISTINCT FROM (b.status, b.amount, b.currency)
        )
        SELECT kind, key, json_strip_nulls((about || jsonb_build_object(
                'change', CASE WHEN NOT is_before THEN 'added' WHEN NOT is_after THEN 'removed' ELSE 'changed' END,
                'before', before, 'after', after
            ))::json)::text
        FROM details WHERE (kind, key COLLATE "C") > ($8::int4, $9::text COLLATE "C") ORDER BY kind, key COLLATE "C" LIMIT $10
        """
    }

    /// The exceptions about the day that were not cleared at a position.
    private static func exceptions(
        at position: String,
        of merchant: String,
        in zone: Zone,
        _ place: (PostgresValue) -> String
    ) -> String {
        let moment = PastExceptions.moment(at: position, in: zone, place)
        return """
            SELECT x.* FROM \(PastExceptions.table(at: position)) x
            WHERE x.status <> 'cleared' AND \(merchant)
                AND CASE WHEN x.line IS NULL THEN \(moment) >= $6 AND \(moment) < $7 ELSE x.day = $5::text::date END
            """
    }
}
