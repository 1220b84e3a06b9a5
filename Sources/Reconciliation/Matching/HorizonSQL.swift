import Postgres
import Projections

/// The progress of processors as SQL over the table `reached` of `sides.sql`.
///
/// An account at a processor is one format and one merchant, under all its names. Its progress is that of the newest
/// file that names the merchant, because a merchant without recent sales has no lines on the last days. If several accounts may explain a
/// merchant's money, the slowest one counts; a merchant without any lines may belong to any account. The wait for an
/// account is limited to `silentDays` behind the newest line of all accounts.
struct HorizonSQL {
    let tenant: String
    /// The position that the previous run covered, and the day of that run.
    let since: Int64
    let lastDay: String?
    let today: String
    /// The most days to wait for an account.
    let silentDays: Int

    /// Joins the movements `m` with their horizon `day`.
    static let join =
        "JOIN reached any_account ON any_account.merchant IS NULL LEFT JOIN reached own ON own.merchant = m.merchant"
    static let day = "coalesce(own.day, any_account.day)"
    static let before = "coalesce(own.before, any_account.before)"

    /// Fills `reached`. Lines with a future day count as of today.
    func fill(in transaction: borrowing PostgresTransaction) async throws {
        _ = try await transaction.execute(
            """
            INSERT INTO reached
            WITH files AS (
                SELECT tenant, statement, max(day) AS day FROM read_statements.reach WHERE tenant = $1 GROUP BY tenant, statement
            ), accounts AS (
                SELECT s.format, coalesce(n.best, r.merchant) AS merchant,
                    max(least(f.day, $4::text::date)) FILTER (WHERE \(CountedLines.holds("s"))) AS day,
                    max(least(f.day, $3::text::date)) FILTER (WHERE \(CountedLines.holds("s", at: "$2"))) AS before
                FROM read_statements.statements s
                JOIN files f ON f.tenant = s.tenant AND f.statement = s.id
                JOIN read_statements.reach r ON r.tenant = s.tenant AND r.statement = s.id
                LEFT JOIN merchant_names n ON n.name = r.merchant
                WHERE s.tenant = $1 AND s.imported IS NOT NULL GROUP BY s.format, coalesce(n.best, r.merchant)
            ), slowest AS (
                SELECT merchant, min(day) AS day, min(before) AS before FROM accounts
                GROUP BY GROUPING SETS ((merchant), ())
            )
            SELECT s.merchant, greatest(coalesce(s.day, o.day), n.day - $5::int),
                greatest(coalesce(s.before, o.before), n.before - $5::int)
            FROM slowest s JOIN slowest o ON o.merchant IS NULL,
                (SELECT max(day) AS day, max(before) AS before FROM accounts) n
            """,
            [
                .text(tenant), .int64(since), lastDay.map(PostgresValue.text) ?? .null, .text(today),
                .int32(Int32(clamping: silentDays)),
            ]
        )
    }

    /// Adds the payments to the scope that have become due since the previous run or are no longer due. `$2` is the
    /// number of days after which they are due; `$1` is the tenant.
    static let scope = """
        INSERT INTO scope_transactions
        SELECT DISTINCT m.transaction, 0
        FROM (
            SELECT min(least(coalesce(day, DATE '0001-01-01'), coalesce(before, DATE '0001-01-01'))) - $2::int AS low,
                max(greatest(day, before)) - $2::int AS high
            FROM reached
        ) r
        CROSS JOIN LATERAL (
            SELECT transaction, line, \(MerchantNames.best("merchant")) AS merchant, day FROM read_movements.movements
            WHERE tenant = $1 AND type <> 'none' AND day > r.low AND day <= r.high OFFSET 0
        ) m
        \(join)
        WHERE coalesce(m.day <= \(day) - $2::int, false) IS DISTINCT FROM coalesce(m.day <= \(before) - $2::int, false)
            AND NOT EXISTS (
                SELECT FROM read_reconciliation.links k
                WHERE k.tenant = $1 AND k.transaction = m.transaction AND k.movement = m.line AND k.until IS NULL
            )
        ON CONFLICT DO NOTHING
        """
}
