package import Canonical
import Postgres
import Projections

/// The conditions on a list of payouts and transfers. Everything set must hold.
package struct TransferFilter: Sendable, Hashable {
    package var side: DepositCoverage.Side?
    package var state: DepositCoverage.State?
    package var currency: String?
    package var merchant: String?
    /// The other names of `merchant`. The query sets them.
    package var otherMerchants: [String] = []
    package var account: String?
    /// The first and last day.
    package var from: CivilDate?
    package var to: CivilDate?

    package init() {}
}

/// A payout of a processor or a line of a bank, and its state.
package struct TransferView: Sendable, Hashable {
    package var transfer: ProofTransfer
    package var side: DepositCoverage.Side
    package var state: DepositCoverage.State
    /// The position of the event that first reported it.
    package var position: Int64
}

extension DepositQuery {
    /// Up to `limit` payouts and bank lines, newest first, and other transfers at processors that a bank's line answers
    /// or an exception asks about.
    ///
    /// - Parameters:
    ///   - position: The position up to which events count; nil for the current state.
    ///   - place: The end of the previous page.
    package func transfers(
        of tenant: String,
        matching filter: TransferFilter = .init(),
        at position: Int64? = nil,
        before place: (position: Int64, line: UUID128)? = nil,
        limit: Int
    ) async throws -> [TransferView] {
        var filter = filter
        let merchants = MerchantQuery(pool: pool)
        filter.otherMerchants = try await merchants.others(of: filter.merchant, tenant: tenant, at: position)
        let (sql, parameters) = Self.search(tenant, filter, position, place, limit)
        return try await pool.query(sql, parameters).map(TransferView.init)
    }

    static func search(
        _ tenant: String,
        _ filter: TransferFilter,
        _ position: Int64?,
        _ place: (position: Int64, line: UUID128)?,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        var conditions = QueryConditions(["l.tenant = $1", Self.isTransfer, "l.role <> 'part'"], [.text(tenant)])
        let asOf = position.map { conditions.parameter(.int64($0)) }
        let counts = CountedLines.condition("l", at: asOf, isForFew: true)
        var holds = "k.until IS NULL"
        var exceptions = "read_reconciliation.exceptions x WHERE x.tenant = $1 AND x.cleared IS NULL"
        if let asOf {
            holds = "k.position <= \(asOf) AND (k.until IS NULL OR k.until > \(asOf))"
            let condition = "x.line = l.id AND x.class = 'unmatched-deposit'"
            exceptions = "\(PastExceptions.table(at: asOf, where: condition)) x WHERE x.stands"
            conditions.add("l.position <= \(asOf)")
        }
        if let place {
            let position = conditions.parameter(.int64(place.position))
            let line = conditions.parameter(.uuid(place.line))
            conditions.add("(l.position, l.id) < (\(position), \(line))")
        }
        if let side = filter.side { conditions.add("l.side = '\(side.rawValue)'") }
        conditions.add("l.currency =", text: filter.currency)
        conditions.add("l.merchant", merchant: filter.merchant, filter.otherMerchants)
        conditions.add("l.account =", text: filter.account)
        conditions.add("l.day >=", text: filter.from?.description, as: "::text::date")
        conditions.add("l.day <=", text: filter.to?.description, as: "::text::date")
        var state = "true"
        if let asked = filter.state { state = "t.state = \(conditions.parameter(.text(asked.rawValue)))" }
        let sql = """
            SELECT * FROM (
                SELECT \(Self.columns(day: "l.day::text")),
                    CASE WHEN l.side = 'bank' THEN 'bank' ELSE 'processor' END AS side,
                    CASE
                        WHEN l.side = 'bank'
                            AND (l.type NOT IN ('deposit', 'withdrawal') OR coalesce(l.amount, 0) = 0) THEN 'no-transfer'
                        WHEN EXISTS (
                            SELECT FROM read_reconciliation.deposit_links k
                            WHERE k.tenant = $1 AND \(holds) AND k.payout = l.id
                        ) OR EXISTS (
                            SELECT FROM read_reconciliation.deposit_links k
                            WHERE k.tenant = $1 AND \(holds) AND k.deposit = l.id
                        ) THEN 'matched'
                        WHEN EXISTS (
                            SELECT FROM \(exceptions) AND x.line = l.id AND x.class = 'unmatched-deposit'
                        ) THEN 'unmatched'
                        WHEN l.side = 'bank' THEN 'left-out'
                        ELSE 'awaited'
                    END AS state, l.position
                FROM read_statements.lines l
                WHERE \(conditions.sql) AND (l.revision IS NULL OR l.amount <> 0 AND \(RevisedPayouts.holds("l", at: asOf)))
                    AND \(counts)
                ORDER BY l.position DESC, l.id DESC
            ) t WHERE \(state) AND (t.side = 'bank' OR t.type IN ('payout', 'payout-return') OR t.state <> 'awaited')
            LIMIT \(conditions.parameter(.int64(Int64(limit))))
            """
        return (sql, conditions.parameters)
    }
}

extension TransferView {
    fileprivate init(_ row: PostgresRow) throws {
        guard let side = DepositCoverage.Side(rawValue: try row.text(9)),
            let state = DepositCoverage.State(rawValue: try row.text(10))
        else { throw UnreadableRow() }
        self.init(transfer: try ProofTransfer(row), side: side, state: state, position: try row.int64(11))
    }
}
