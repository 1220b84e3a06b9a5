package import Canonical
import Postgres
import Projections
import Statements

extension DepositQuery {
    /// The key of the lines that a payout pays, as of a position.
    func settlementKey(of payout: UUID128, _ tenant: String, _ position: Int64) async throws -> SettlementKey {
        guard
            let row = try await pool.query(
                SettlementKey.select(at: "$3", where: "l.id = $2"),
                [.text(tenant), .uuid(payout), .int64(position)]
            ).first
        else { throw UnreadableRow() }
        var key = try SettlementKey(row)
        if let merchant = key.merchants.first, !merchant.isEmpty {
            let others = try await MerchantQuery(pool: pool).others(of: merchant, tenant: tenant, at: position)
            key.merchants = (key.merchants + others).sorted()
        }
        return key
    }

    /// The bucket of a line's amount without fees.
    private static let bucket = caseExpression("type", LineType.allCases.map { ($0.rawValue, $0.bucket) })
    private static let feeBucket = caseExpression("fee.key", FeeKind.allCases.map { ($0.rawValue, $0.bucket) })

    private static func caseExpression(_ column: String, _ cases: [(String, ProofBucket)]) -> String {
        let branches = cases.map { "WHEN '\($0.0)' THEN '\($0.1.rawValue)'" }.joined(separator: " ")
        return "CASE \(column) \(branches) ELSE '\(ProofBucket.other.rawValue)' END"
    }

    /// The payouts of a settlement, and its lines by bucket. A line's fees go into the fee buckets, and the rest of
    /// its amount into the bucket of its type. A total counts for its parts, and is replaced by them when they add up
    /// to it.
    func settlement(_ key: SettlementKey, _ tenant: String, _ position: Int64) async throws -> ProofSettlement {
        let parameters = key.parameters(tenant, position)
        let payouts = try await pool.query(
            """
            SELECT l.id, l.amount FROM read_statements.lines l
            WHERE \(key.condition(.payouts)) AND l.role <> 'part' AND \(SettlementKey.typed)
                AND \(RevisedPayouts.holds("l", at: "$2")) ORDER BY l.id
            """,
            parameters
        ).map { (line: try $0.uuid(0), amount: try $0.int64OrNull(1)) }
        let owed = Self.sum(payouts.map(\.amount))
        var settlement = ProofSettlement(
            basis: key.basis,
            reference: key.reference,
            currency: key.currency,
            payouts: payouts.map(\.line),
            paid: Self.difference(0, owed),
            buckets: [],
            lines: 0
        )
        guard key.basis != .none else { return settlement }
        let rows = try await pool.query(
            """
            WITH paid AS MATERIALIZED (
                SELECT l.id, l.type, l.role, coalesce(l.amount, 0)::numeric AS amount,
                    coalesce(l.fees, 0)::numeric AS fees, coalesce(l.gross, l.amount, 0)::numeric AS gross,
                    CASE WHEN l.fees <> 0 THEN l.view END AS view
                FROM read_statements.lines l
                WHERE \(key.condition(.paid)) AND \(SettlementKey.typed)
            ), placed AS MATERIALIZED (
                SELECT p.id, p.role, p.gross, p.amount - p.fees AS stated, a.statement, a.line_group FROM paid p
                JOIN read_statements.placements a ON a.tenant = $1 AND a.line = p.id AND a.line_group IS NOT NULL
                JOIN read_statements.statements f ON f.tenant = a.tenant AND f.id = a.statement
                    AND \(CountedLines.holds("f", at: "$2"))
                WHERE p.role IN ('part', 'total')
            ), parts AS (
                SELECT statement, line_group, sum(gross) AS gross FROM placed
                WHERE role = 'part' GROUP BY statement, line_group
            ), itemized_totals AS MATERIALIZED (
                -- If several files list the parts of a total, one is chosen, always the same.
                SELECT DISTINCT ON (t.id) t.id, t.statement, t.line_group
                FROM placed t JOIN parts o ON o.statement = t.statement AND o.line_group = t.line_group
                WHERE t.role = 'total' AND o.gross = t.stated
                ORDER BY t.id, t.statement, t.line_group
            ), lines AS (
                SELECT p.*, p.id IN (SELECT id FROM itemized_totals) AS is_itemized FROM paid p WHERE p.role <> 'part'
            ), pieces AS (
                SELECT CASE WHEN role = 'total' THEN 'batches' ELSE \(Self.bucket) END AS bucket,
                    CASE WHEN type IN ('balance', 'authorization') THEN 0 ELSE amount - fees END AS amount
                FROM lines WHERE NOT is_itemized
                UNION ALL
                SELECT \(Self.bucket), gross FROM paid p
                WHERE p.role = 'part' AND p.id IN (
                    SELECT a.id FROM placed a
                    JOIN itemized_totals t ON t.statement = a.statement AND t.line_group = a.line_group
                )
                UNION ALL
                SELECT \(Self.feeBucket), fee.value::numeric
                FROM lines CROSS JOIN LATERAL json_each_text(lines.view -> 'fee') fee
                WHERE lines.view IS NOT NULL AND lines.type NOT IN ('balance', 'authorization')
            )
            SELECT bucket, count(*), CASE WHEN abs(sum(amount)) <= 9223372036854775807 THEN sum(amount)::int8 END,
                (SELECT count(*) FROM lines),
                (SELECT CASE WHEN abs(sum(amount)) <= 9223372036854775807 THEN sum(amount)::int8 END FROM pieces)
            FROM pieces GROUP BY bucket
            """,
            parameters
        )
        settlement.sum = rows.isEmpty ? 0 : nil
        for row in rows {
            guard let bucket = ProofBucket(rawValue: try row.text(0)) else { throw UnreadableRow() }
            let sum = ProofSum(bucket: bucket, count: try row.int64(1), amount: try row.int64OrNull(2))
            settlement.buckets.append(sum)
            settlement.lines = try row.int64(3)
            settlement.sum = try row.int64OrNull(4)
        }
        let order = ProofBucket.allCases
        settlement.buckets.sort { left, right in
            order.firstIndex(of: left.bucket) ?? 0 < order.firstIndex(of: right.bucket) ?? 0
        }
        settlement.difference = Self.difference(settlement.paid, settlement.sum)
        return settlement
    }

    /// Up to `limit` lines that the payout's settlement pays, including parts of totals, after the given one, in the
    /// order of their ids. Each line has its explanations as of the position.
    ///
    /// - Parameter payout: The id of a payout line. Other lines yield an empty list.
    package func lines(
        paidBy payout: UUID128,
        tenant: String,
        asOf position: Int64 = .max,
        after line: UUID128? = nil,
        limit: Int
    ) async throws -> [ProofLine] {
        let key = try await settlementKey(of: payout, tenant, position)
        guard key.basis != .none else { return [] }
        var lines = try await pool.query(
            """
            SELECT l.id, l.statement, l.type, l.role, l.currency, l.gross, l.fees, l.amount, l.day::text, l.processor_id
            FROM read_statements.lines l
            WHERE \(key.condition(.paid)) AND \(SettlementKey.typed) AND l.id > $8
            ORDER BY l.id LIMIT $9
            """,
            key.parameters(tenant, position) + [.uuid(line ?? UUID128(high: 0, low: 0)), .int64(Int64(limit))]
        ).map(ProofLine.init)
        let places = Dictionary(uniqueKeysWithValues: lines.enumerated().map { ($0.element.line, $0.offset) })
        let ids = PostgresValue.uuidArray(lines.map(\.line))
        for row in try await pool.query(
            """
            SELECT line, transaction, movement, rule, match FROM read_reconciliation.links
            WHERE tenant = $1 AND line = ANY ($2) AND position <= $3 AND (until IS NULL OR until > $3)
            ORDER BY line, transaction, movement
            """,
            [.text(tenant), ids, .int64(position)]
        ) {
            guard let place = places[try row.uuid(0)] else { continue }
            lines[place].explanations.append(
                ProofLine.Explanation(
                    transaction: try row.uuid(1),
                    movement: try row.text(2),
                    rule: try row.text(3),
                    match: try row.uuid(4)
                )
            )
        }
        for row in try await pool.query(
            """
            SELECT line, id, class FROM \(PastExceptions.table(at: "$3", where: "x.line = ANY ($2)")) x
            WHERE status IN ('open', 'assigned', 'proposed') ORDER BY line, class, id
            """,
            [.text(tenant), ids, .int64(position)]
        ) {
            guard let place = places[try row.uuid(0)] else { continue }
            let question = ProofLine.Question(id: try row.uuid(1), exceptionClass: try row.text(2))
            lines[place].questions.append(question)
        }
        return lines
    }
}

extension ProofLine {
    fileprivate init(_ row: PostgresRow) throws {
        let type = try row.text(2)
        let role = try row.text(3)
        let own = LineType(rawValue: type)?.bucket ?? .other
        self.init(
            line: try row.uuid(0),
            statement: try row.uuid(1),
            type: type,
            role: role,
            bucket: role == LineRole.total.rawValue ? .batches : own,
            currency: try row.text(4),
            gross: try row.int64OrNull(5),
            fees: try row.int64OrNull(6),
            amount: try row.int64OrNull(7),
            day: try row.textOrNull(8),
            processorID: try row.textOrNull(9),
            explanations: [],
            questions: []
        )
    }
}

extension LineType {
    fileprivate var bucket: ProofBucket {
        switch self {
        case .sale, .capture: .sales
        case .refund: .refunds
        case .refundReversal: .refundReversals
        case .void: .voids
        case .chargeback: .chargebacks
        case .chargebackReversal: .chargebackReversals
        case .fee: .fees
        case .adjustment: .adjustments
        case .reserve: .reserveHeld
        case .reserveRelease: .reserveReleased
        case .payoutReturn: .payoutReturns
        case .conversion: .conversions
        case .transfer, .deposit, .withdrawal: .transfers
        case .batch: .batches
        case .balance, .authorization: .unmoved
        case .payout, .other: .other
        }
    }
}

extension FeeKind {
    fileprivate var bucket: ProofBucket {
        switch self {
        case .interchange: .interchange
        case .scheme: .scheme
        case .commission, .markup, .discount, .service, .tax, .processing, .other: .fees
        }
    }
}
