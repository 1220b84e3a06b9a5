package import Canonical
import Postgres
import Projections

/// The conditions on a list of payouts and transfers. Everything set must hold.
package struct TransferFilter: Sendable, Hashable {
    package var side: DepositCoverage.Side?
    package var state: DepositCoverage.State?
    package var currency: String?
    package var merchant: String?
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
    /// Up to `limit` payouts and bank lines, newest first.
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
        var parameters: [PostgresValue] = [.text(tenant)]
        var conditions: [String] = []
        func parameter(_ value: PostgresValue) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        func add(_ condition: String, _ value: String?, as type: String = "") {
            if let value { conditions.append("\(condition) \(parameter(.text(value)))\(type)") }
        }
        let asOf = position.map { parameter(.int64($0)) }
        let counts = CountedLines.condition("l", at: asOf, isForFew: true)
        var holds = "k.until IS NULL"
        var exceptions = "read_reconciliation.exceptions x WHERE x.tenant = $1 AND x.cleared IS NULL"
        if let asOf {
            holds = "k.position <= \(asOf) AND (k.until IS NULL OR k.until > \(asOf))"
            let condition = "x.line = l.id AND x.class = 'unmatched-deposit'"
            exceptions = "\(PastExceptions.table(at: asOf, where: condition)) x WHERE x.stands"
            conditions.append("l.position <= \(asOf)")
        }
        if let place {
            let (position, line) = (parameter(.int64(place.position)), parameter(.uuid(place.line)))
            conditions.append("(l.position, l.id) < (\(position), \(line))")
        }
        if let side = filter.side { conditions.append("l.side = '\(side.rawValue)'") }
        add("l.currency =", filter.currency)
        add("l.merchant =", filter.merchant)
        add("l.account =", filter.account)
        add("l.day >=", filter.from?.description, as: "::text::date")
        add("l.day <=", filter.to?.description, as: "::text::date")
        var state = "true"
        if let asked = filter.state { state = "t.state = \(parameter(.text(asked.rawValue)))" }
        let sql = """
            SELECT * FROM (
                SELECT l.id, l.statement, l.type, l.currency,
                    CASE WHEN l.side = 'bank' THEN l.amount WHEN l.amount > -9223372036854775808 THEN -l.amount END,
                    l.day::text, CASE WHEN l.side = 'bank' THEN l.bank_reference ELSE coalesce(l.payout, l.processor_id) END,
                    l.merchant, l.account, CASE WHEN l.side = 'bank' THEN 'bank' ELSE 'processor' END,
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
                WHERE l.tenant = $1 AND (l.side = 'bank' OR l.type IN ('payout', 'payout-return')) AND l.role <> 'part'
                    AND (l.revision IS NULL OR l.amount <> 0 AND \(RevisedPayouts.holds("l", at: asOf)))
                    AND \(counts) \(conditions.map { "AND \($0)" }.joined(separator: " "))
                ORDER BY l.position DESC, l.id DESC
            ) t WHERE \(state) LIMIT \(parameter(.int64(Int64(limit))))
            """
        return (sql, parameters)
    }
}

extension TransferView {
    fileprivate init(_ row: PostgresRow) throws {
        guard let side = DepositCoverage.Side(rawValue: try row.text(9)),
            let state = DepositCoverage.State(rawValue: try row.text(10))
        else { throw UnreadableRow() }
        let transfer = ProofTransfer(
            line: try row.uuid(0),
            statement: try row.uuid(1),
            type: try row.text(2),
            currency: try row.text(3),
            amount: try row.int64OrNull(4),
            day: try row.textOrNull(5),
            reference: try row.textOrNull(6),
            merchant: try row.textOrNull(7),
            account: try row.textOrNull(8)
        )
        self.init(transfer: transfer, side: side, state: state, position: try row.int64(11))
    }
}
