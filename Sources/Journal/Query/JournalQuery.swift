package import Canonical
package import Payments
package import Postgres
import Projections

/// One leg of an entry, as it was posted.
package struct PostedLeg: Sendable, Hashable {
    package var position: Int64
    /// From 1 within the position.
    package var leg: Int
    package var account: Account
    /// Nil if the account has no parts, or it is not known.
    package var part: String?
    /// Minor units: a debit if positive, a credit if negative.
    package var amount: Money
    /// The business day: `2026-03-01`.
    package var day: String
    /// The closed business day to which the leg belongs, if it was posted after that was closed.
    package var adjusts: String?
    package var merchant: String?
    package var terminal: String?
    package var transaction: UUID128?
    /// The line of money within the payment.
    package var line: String?
    package var statementLine: UUID128?
    package var event: UUID128
}

/// The conditions on entries. Everything set must hold.
package struct JournalFilter: Sendable, Hashable {
    package var account: Account?
    package var part: String?
    package var merchant: String?
    package var currency: String?
    package var transaction: UUID128?
    /// The first and last business day.
    package var from: CivilDate?
    package var to: CivilDate?

    package init() {}
}

/// Reads the read model `journal`.
package struct JournalQuery: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Legs in the order in which they were posted.
    ///
    /// - Parameters:
    ///   - position: The last position; nil for all.
    ///   - place: The last leg of the page before.
    package func legs(
        of tenant: String,
        matching filter: JournalFilter,
        at position: Int64? = nil,
        after place: (position: Int64, leg: Int)? = nil,
        limit: Int
    ) async throws -> [PostedLeg] {
        var conditions = QueryConditions(["tenant = $1"], [.text(tenant)])
        conditions.add("position <=", position.map(PostgresValue.int64))
        conditions.add("account =", text: filter.account?.rawValue)
        conditions.add("transaction =", filter.transaction.map(PostgresValue.uuid))
        try await add(filter, of: tenant, at: position, to: &conditions)
        if let place {
            let (after, leg) = (
                conditions.parameter(.int64(place.position)), conditions.parameter(.int32(Int32(place.leg)))
            )
            conditions.add("(position, leg) > (\(after), \(leg))")
        }
        let end = conditions.parameter(.int64(Int64(limit)))
        return try await pool.query(
            """
            SELECT \(Self.legColumns) FROM read_journal.entries
            WHERE \(conditions.sql) ORDER BY position, leg LIMIT \(end)
            """,
            conditions.parameters
        ).map(PostedLeg.init)
    }

    /// The balances of suspense that are not zero, by currency: minor units, a debit if positive; nil beyond 64 bits.
    ///
    /// - Parameter position: The position up to which entries count. The time it takes grows with the number of later
    ///   entries.
    package func suspense(of tenant: String, at position: Int64) async throws -> [String: Int64?] {
        let rows = try await pool.query(EmbeddedFiles.suspense_sql, [.text(tenant), .int64(position)])
        return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.text(0), try $0.int64OrNull(1)) })
    }

    static let legColumns = """
        position, leg, account, part, currency, amount::text, day::text, merchant, terminal, transaction, line, \
        statement_line, event, adjusts::text
        """

    /// The conditions that entries, balances and fees share.
    ///
    /// - Parameter part: The column of the account's parts.
    func add(
        _ filter: JournalFilter,
        of tenant: String,
        at position: Int64?,
        part: String = "part",
        to conditions: inout QueryConditions
    ) async throws {
        conditions.add("\(part) =", text: filter.part)
        conditions.add("currency =", text: filter.currency)
        conditions.add("day >=", text: filter.from?.description, as: "::text::date")
        conditions.add("day <=", text: filter.to?.description, as: "::text::date")
        guard let merchant = filter.merchant else { return }
        let others = try await MerchantQuery(pool: pool).others(of: merchant, tenant: tenant, at: position)
        conditions.add("merchant = ANY (\(conditions.parameter(.textArray([merchant] + others)))::text[])")
    }
}

extension PostedLeg {
    /// Reads `JournalQuery.legColumns`.
    init(_ row: PostgresRow) throws {
        guard let account = Account(rawValue: try row.text(2)), let currency = Currency(alpha: try row.text(4)) else {
            throw UnreadableRow()
        }
        let part = try row.text(3)
        // The smallest value has no opposite.
        guard let amount = Int64(try row.text(5)), amount != .min else { throw BalanceError.overflow }
        self.init(
            position: try row.int64(0),
            leg: Int(try row.int32(1)),
            account: account,
            part: part.isEmpty ? nil : part,
            amount: Money(amount, currency),
            day: try row.text(6),
            adjusts: try row.textOrNull(13),
            merchant: try row.textOrNull(7),
            terminal: try row.textOrNull(8),
            transaction: try row.uuidOrNull(9),
            line: try row.textOrNull(10),
            statementLine: try row.uuidOrNull(11),
            event: try row.uuid(12)
        )
    }
}
