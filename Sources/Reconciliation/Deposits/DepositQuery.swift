package import Canonical
package import Postgres

/// Reads proofs of deposits by payouts, and of payouts by their lines, from the read models `reconciliation` and
/// `statements`.
package struct DepositQuery: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The transfers and payouts in the same match as a given line.
    private struct Parties {
        var payouts: [UUID128] = []
        var deposits: [UUID128] = []
        var rule: String?
        var match: UUID128?
    }

    /// The proof of a deposit or payout; nil when no such line exists or the line is neither.
    ///
    /// - Parameters:
    ///   - line: A line of a bank or a payout of a processor.
    ///   - position: The position up to which links and lines count.
    package func proof(
        of line: UUID128,
        tenant: String,
        asOf position: Int64 = .max
    ) async throws -> DepositProof? {
        guard let subject = try await transfers([line], tenant, position).first else { return nil }
        var parties = try await self.parties(of: line, tenant, position)
        if parties.match == nil {
            if subject.isPayout { parties.payouts = [line] } else { parties.deposits = [line] }
        }
        let payouts = try await transfers(parties.payouts, tenant, position)
        let deposits = try await transfers(parties.deposits, tenant, position)
        var settlements: [ProofSettlement] = []
        var seen: Set<SettlementKey> = []
        // Another transfer pays no lines.
        for payout in payouts where ["payout", "payout-return"].contains(payout.transfer.type) {
            let key = try await settlementKey(of: payout.transfer.line, tenant, position)
            guard seen.insert(key).inserted else { continue }
            settlements.append(try await settlement(key, tenant, position))
        }
        let paid = Self.sum(payouts.map(\.transfer.amount))
        let deposited = Self.sum(deposits.map(\.transfer.amount))
        return DepositProof(
            currency: subject.transfer.currency,
            rule: parties.rule,
            match: parties.match,
            deposits: deposits.map(\.transfer),
            payouts: payouts.map(\.transfer),
            settlements: settlements,
            deposited: deposited,
            paid: paid,
            difference: Self.difference(deposited, paid)
        )
    }

    /// Whether the id names a payout or a bank line.
    package func isTransfer(_ line: UUID128, tenant: String, asOf position: Int64 = .max) async throws -> Bool {
        try await !transfers([line], tenant, position).isEmpty
    }

    /// Nil beyond 64 bits, or when any amount is unknown.
    static func sum(_ amounts: [Int64?]) -> Int64? {
        var sum: Int128 = 0
        for amount in amounts {
            guard let amount else { return nil }
            sum += Int128(amount)
        }
        return Int64(exactly: sum)
    }

    static func difference(_ left: Int64?, _ right: Int64?) -> Int64? {
        guard let left, let right else { return nil }
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? nil : difference
    }

    private func parties(of line: UUID128, _ tenant: String, _ position: Int64) async throws -> Parties {
        var parties = Parties()
        let rows = try await pool.query(
            """
            SELECT k.payout, k.deposit, k.rule, k.match FROM read_reconciliation.deposit_links k
            WHERE k.tenant = $1 AND k.position <= $3 AND (k.until IS NULL OR k.until > $3) AND k.match IN (
                SELECT o.match FROM read_reconciliation.deposit_links o
                WHERE o.tenant = $1 AND (o.payout = $2 OR o.deposit = $2) AND o.position <= $3
                    AND (o.until IS NULL OR o.until > $3)
            ) ORDER BY k.payout, k.deposit
            """,
            [.text(tenant), .uuid(line), .int64(position)]
        )
        for row in rows {
            let (payout, deposit) = (try row.uuid(0), try row.uuid(1))
            if !parties.payouts.contains(payout) { parties.payouts.append(payout) }
            if !parties.deposits.contains(deposit) { parties.deposits.append(deposit) }
            parties.rule = try row.text(2)
            parties.match = try row.uuid(3)
        }
        return parties
    }

    private func transfers(
        _ lines: [UUID128],
        _ tenant: String,
        _ position: Int64
    ) async throws -> [(isPayout: Bool, transfer: ProofTransfer)] {
        guard !lines.isEmpty else { return [] }
        return try await pool.query(
            """
            SELECT \(Self.columns(day: Self.valueDay)), l.side <> 'bank'
            FROM read_statements.lines l
            WHERE l.tenant = $1 AND l.id = ANY ($2) AND l.position <= $3 AND \(CountedLines.condition("l", at: "$3"))
                AND \(Self.isTransfer)
            ORDER BY l.day, l.id
            """,
            [.text(tenant), .uuidArray(lines), .int64(position)]
        ).map { (isPayout: try $0.bool(9), transfer: try ProofTransfer($0)) }
    }

    /// Lines `l` that are transfers on a bank account, payouts of a processor, or other transfers at a processor, which
    /// a bank's line may answer.
    static let isTransfer =
        "(l.side = 'bank' OR l.type IN ('payout', 'payout-return', 'deposit', 'withdrawal', 'transfer'))"

    /// Lines `l` that are payouts.
    static let isPayout = "l.type IN ('payout', 'payout-return')"

    /// The columns of a `ProofTransfer`: the amount and the reference of a payout are those of its transfer.
    static func columns(day: String) -> String {
        """
        l.id, l.statement, l.type, l.currency,
        CASE WHEN l.side = 'bank' THEN l.amount WHEN l.amount > -9223372036854775808 THEN -l.amount END, \(day),
        CASE WHEN l.side = 'bank' THEN l.bank_reference WHEN \(isPayout) THEN coalesce(l.payout, l.processor_id)
            ELSE l.processor_id END, l.merchant, l.account
        """
    }

    /// A payout's value day, if the file has one.
    private static let valueDay =
        "CASE WHEN l.side = 'bank' THEN l.day::text ELSE coalesce(l.view ->> 'valueDay', l.day::text) END"
}

extension ProofTransfer {
    /// - Parameter row: Begins with `DepositQuery.columns`.
    init(_ row: PostgresRow) throws {
        self.init(
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
    }
}
