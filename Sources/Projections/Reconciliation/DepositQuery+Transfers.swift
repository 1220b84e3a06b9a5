package import Canonical
import Postgres

/// Which payouts and transfers are wanted. Everything set must hold.
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

/// A payout of a processor, or a line of a bank, and whether it is explained.
package struct TransferView: Sendable, Hashable {
    package var transfer: ProofTransfer
    package var side: DepositCoverage.Side
    package var state: DepositCoverage.State
    /// Of the event that told it first.
    package var position: Int64
}

extension DepositQuery {
    /// Up to `limit` payouts and lines of banks, those told last first.
    ///
    /// - Parameter place: Where the page before ended.
    package func transfers(
        of tenant: String,
        matching filter: TransferFilter = .init(),
        before place: (position: Int64, line: UUID128)? = nil,
        limit: Int
    ) async throws -> [TransferView] {
        func text(_ value: String?) -> PostgresValue { value.map(PostgresValue.text) ?? .null }
        return try await pool.query(
            """
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
                            WHERE k.tenant = $1 AND k.until IS NULL AND k.payout = l.id
                        ) OR EXISTS (
                            SELECT FROM read_reconciliation.deposit_links k
                            WHERE k.tenant = $1 AND k.until IS NULL AND k.deposit = l.id
                        ) THEN 'matched'
                        WHEN EXISTS (
                            SELECT FROM read_reconciliation.exceptions x
                            WHERE x.tenant = $1 AND x.line = l.id AND x.class = 'unmatched-deposit' AND x.cleared IS NULL
                        ) THEN 'unmatched'
                        WHEN l.side = 'bank' THEN 'left-out'
                        ELSE 'awaited'
                    END AS state, l.position
                FROM read_statements.lines l
                WHERE l.tenant = $1 AND (l.side = 'bank' OR l.type IN ('payout', 'payout-return')) AND l.standing <> 'part'
                    AND ($2::int8 IS NULL OR (l.position, l.id) < ($2, $3::uuid))
                    AND ($4::text IS NULL OR (l.side = 'bank') = ($4 = 'bank'))
                    AND ($5::text IS NULL OR l.currency = $5) AND ($6::text IS NULL OR l.merchant = $6)
                    AND ($7::text IS NULL OR l.account = $7) AND ($8::text IS NULL OR l.day >= $8::text::date)
                    AND ($9::text IS NULL OR l.day <= $9::text::date)
                ORDER BY l.position DESC, l.id DESC
            ) t WHERE $10::text IS NULL OR t.state = $10 LIMIT $11
            """,
            [
                .text(tenant), place.map { .int64($0.position) } ?? .null, place.map { .uuid($0.line) } ?? .null,
                text(filter.side?.rawValue), text(filter.currency), text(filter.merchant), text(filter.account),
                text(filter.from?.description), text(filter.to?.description), text(filter.state?.rawValue),
                .int64(Int64(limit)),
            ]
        ).map { row in
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
            return TransferView(transfer: transfer, side: side, state: state, position: try row.int64(11))
        }
    }
}
