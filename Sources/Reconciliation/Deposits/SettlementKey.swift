import Canonical
import Postgres
import Projections
import Statements

/// The attributes shared by the lines that one payout pays.
struct SettlementKey: Sendable, Hashable {
    var basis: ProofSettlement.Basis
    var reference: String?
    var currency: String
    /// The names of the merchant at the position, sorted; empty text for lines that name none.
    var merchants: [String]
    var format: String?
    /// The payout's line for `payoutOfFile` and `none`, its statement for `group`, a constant otherwise.
    var place: UUID128
}

extension SettlementKey {
    /// The formats of processors that reuse payout ids after a while.
    private static let reusing = [StatementFormat.amexEPRAW, .amexGRRCN].map { "'\($0.rawValue)'" }
        .joined(separator: ", ")

    /// The keys of payouts, as SQL, by format:
    ///
    /// - Stripe, Square and Daybook's own CSV put the payout's id on each line.
    /// - American Express does so too and reuses ids: only lines in the payout's files count.
    /// - Adyen closes a batch of one merchant account with the payout: the lines of the batch in the payout's
    ///   currency.
    /// - Daybook's own CSV may instead put lines into a group of the file.
    /// - PayPal pays from a balance and does not name the lines of a withdrawal. Files of gateways and banks have no
    ///   payouts.
    ///
    /// - Parameters:
    ///   - position: The placeholder of the position up to which events count; nil for the current state. `$1` is the
    ///     tenant.
    ///   - condition: The condition on a payout's line `l`.
    static func select(at position: String?, where condition: String) -> String {
        let isEarlier = position.map { " AND o.position <= \($0)" } ?? ""
        return """
            SELECT k.basis, CASE WHEN k.basis = 'batch' THEN l.batch WHEN k.basis = 'group' THEN g.line_group
                    WHEN k.basis <> 'none' THEN l.payout END AS reference,
                l.currency, CASE WHEN k.basis = 'batch' THEN l.merchant END AS merchant,
                CASE WHEN k.basis = 'batch' THEN f.format END AS format,
                -- An id or a batch alone identifies the lines.
                CASE WHEN k.basis IN ('payout', 'batch') THEN '00000000-0000-0000-0000-000000000000'::uuid
                    WHEN k.basis = 'group' THEN g.statement ELSE l.id END AS place
            FROM read_statements.lines l
            JOIN read_statements.statements f ON f.tenant = l.tenant AND f.id = l.statement
            LEFT JOIN LATERAL (
                SELECT a.statement, a.line_group FROM read_statements.placements a
                JOIN read_statements.statements o ON o.tenant = a.tenant AND o.id = a.statement
                    AND \(CountedLines.holds("o", at: position))
                WHERE a.tenant = l.tenant AND a.line = l.id AND a.line_group IS NOT NULL
                ORDER BY a.statement, a.number LIMIT 1
            ) g ON true
            CROSS JOIN LATERAL (
                SELECT CASE
                    -- A returned payout is paid with a later one.
                    WHEN l.type <> 'payout' THEN 'none'
                    WHEN l.payout IS NOT NULL AND EXISTS (
                        SELECT FROM read_statements.lines o
                        WHERE o.tenant = l.tenant AND o.payout = l.payout AND o.currency = l.currency
                            AND o.side = 'processor' AND o.type <> 'payout'\(isEarlier)
                            AND \(CountedLines.condition("o", at: position))
                    ) THEN CASE WHEN f.format IN (\(reusing)) THEN 'payout-of-file' ELSE 'payout' END
                    WHEN l.batch IS NOT NULL THEN 'batch'
                    WHEN g.line_group IS NOT NULL THEN 'group'
                    ELSE 'none'
                END AS basis
            ) k
            WHERE l.tenant = $1 AND \(condition)
            """
    }

    /// - Parameter row: A row of `select`.
    init(_ row: PostgresRow) throws {
        guard let basis = ProofSettlement.Basis(rawValue: try row.text(0)) else { throw UnreadableRow() }
        self.init(
            basis: basis,
            reference: try row.textOrNull(1),
            currency: try row.text(2),
            merchants: [try row.textOrNull(3) ?? ""],
            format: try row.textOrNull(4),
            place: try row.uuid(5)
        )
    }

    /// The lines of a settlement that a condition selects.
    enum Lines {
        case payouts
        /// The lines that the payouts pay.
        case paid
        case all
    }

    /// The members of a key, and the position up to which events count, as SQL.
    struct Terms {
        var position: String?
        var currency: String
        var reference: String
        var place: String
        /// An array.
        var merchants: String
        var format: String
    }

    /// The parameters after the tenant, in the order of `parameters`.
    private static let placeholders = Terms(
        position: "$2",
        currency: "$3",
        reference: "$4",
        place: "$5",
        merchants: "$6::text[]",
        format: "$7"
    )

    /// The condition on a line `l` of this settlement, over `parameters`.
    func condition(_ lines: Lines) -> String { Self.condition(basis, lines, Self.placeholders) }

    /// The condition on a line `l` of a settlement: `$1` is the tenant.
    static func condition(_ basis: ProofSettlement.Basis, _ lines: Lines, _ key: Terms) -> String {
        let isEarlier = key.position.map { " AND l.position <= \($0)" } ?? ""
        let kind =
            switch lines {
            case .payouts: " AND l.type = 'payout'"
            case .paid: " AND l.type <> 'payout'"
            case .all: ""
            }
        let line = """
            l.tenant = $1 AND l.side = 'processor' AND l.currency = \(key.currency)\(isEarlier)\(kind)
                AND \(CountedLines.condition("l", at: key.position))
            """
        return switch basis {
        case .payout: "\(line) AND l.payout = \(key.reference)"
        case .payoutOfFile:
            """
            \(line) AND l.payout = \(key.reference) AND EXISTS (
                SELECT FROM read_statements.placements a
                JOIN read_statements.placements b ON b.tenant = a.tenant AND b.statement = a.statement
                JOIN read_statements.statements f ON f.tenant = a.tenant AND f.id = a.statement
                    AND \(CountedLines.holds("f", at: key.position))
                WHERE a.tenant = $1 AND a.line = l.id AND b.line = \(key.place)
            )
            """
        case .batch:
            """
            \(line) AND l.batch = \(key.reference) AND coalesce(l.merchant, '') = ANY (\(key.merchants))
                AND EXISTS (
                    SELECT FROM read_statements.statements f
                    WHERE f.tenant = l.tenant AND f.id = l.statement AND f.format = \(key.format)
                )
            """
        case .group:
            """
            \(line) AND l.id IN (
                SELECT a.line FROM read_statements.placements a
                WHERE a.tenant = $1 AND a.statement = \(key.place) AND a.line_group = \(key.reference)
            )
            """
        case .none:
            lines == .paid
                ? "false" : "l.tenant = $1\(isEarlier) AND l.currency = \(key.currency) AND l.id = \(key.place)"
        }
    }

    func parameters(_ tenant: String, _ position: Int64) -> [PostgresValue] {
        [
            .text(tenant), .int64(position), .text(currency), .optional(reference, PostgresValue.text), .uuid(place),
            .textArray(merchants), .optional(format, PostgresValue.text),
        ]
    }

    /// Gives a type to the parameters that a condition does not use.
    static let typed = "(true OR ($1::text, $2::int8, $3::text, $4::text, $5::uuid, $6::text[], $7::text) IS NULL)"
}
