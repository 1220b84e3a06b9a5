package import Canonical
package import Payments
package import Postgres

/// A payment with an unknown outcome, of itself or of a follow-up.
package struct PaymentInDoubt: Sendable, Hashable {
    package var transaction: UUID128
    package var firstPosition: Int64
    package var status: TransactionStatus
    package var vendor: String?
    package var merchant: String?
    package var terminal: String?
    package var reference: String?
    package var occurredAt: Timestamp
    /// The value at risk: the captured amount, else the authorized one, else the requested one; nil without a
    /// reported amount.
    package var value: Money?
    /// The reader that the payment was made at, if a document names it.
    package var cardReader: ReaderReference?
    /// Whether that reader now holds the result of a payment that the app has not fetched; nil if it never reported
    /// that, and for a payment as of a past time.
    package var readerHoldsResult: Bool?
}

/// The total value at risk in one currency.
package struct ValueAtRisk: Sendable, Hashable {
    package var currency: Currency
    package var count: Int64
    /// Minor units.
    package var value: Int64
}

/// Lists payments in doubt, by age or by value at risk; without those at a vendor's test system, where no money is at
/// risk.
package struct DoubtQuery: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The conditions on a list of payments in doubt. Everything set must hold.
    package struct Filter: Sendable, Hashable {
        package var vendor: Vendor?
        package var merchant: String?
        /// The other names of `merchant`. The query sets them.
        package var otherNames = OtherNames()
        package var terminal: String?
        /// The currency of the value at risk.
        package var currency: String?
        /// Only payments made at the reader with this name, whichever of its names it is.
        package var reader: String?
        /// Only payments whose reader holds, or does not hold, a result that the app has not fetched.
        package var readerHoldsResult: Bool?
        /// Only payments that occurred at this time or earlier.
        package var occurredUpTo: Timestamp?
        /// Also payments that are known to be approved and must be reversed.
        package var includesReversals = false

        package init() {}
    }

    /// The order of the list.
    package enum Order: String, Sendable, Hashable, CaseIterable {
        /// The oldest first, by the sender's clock.
        case age
        /// The largest value at risk first, in minor units whatever the currency; payments without an amount last.
        case value

        fileprivate var column: String { self == .age ? "occurred_at" : "-coalesce(amount, -1)" }
    }

    /// The place of a payment in a list of payments in doubt. The time and the position never change; the amount may.
    package struct Place: Sendable, Hashable {
        package var position: Int64
        /// The time in microseconds since 1970, or the amount; -1 for none.
        package var key: Int64

        package init(position: Int64, key: Int64) {
            self.position = position
            self.key = key
        }
    }

    /// One payment, in doubt or not; nil when there is none.
    package func payment(_ id: UUID128, of tenant: String) async throws -> PaymentInDoubt? {
        let rows = try await pool.query(
            "SELECT \(Self.columns) FROM read_transactions.transactions t WHERE tenant = $1 AND id = $2",
            [.text(tenant), .uuid(id)]
        )
        return try rows.first.map(PaymentInDoubt.init)
    }

    /// The newest payments of a tenant at a reader, under any of its names, of which an outcome is not known: in doubt,
    /// requested, or attempted again. At most 100; none before the read models are installed.
    package func open(at reader: ReaderReference, of tenant: String) async throws -> [UUID128] {
        guard try await areInstalled(["read_transactions.transactions", "read_readers.names"]) else { return [] }
        let name = "coalesce(\(Self.serial(of: "$3")), $3)"
        let rows = try await pool.query(
            """
            SELECT id FROM read_transactions.transactions t
            WHERE tenant = $1 AND reader_vendor = $2 AND \(Self.readerName) = \(name) AND NOT test
                AND (in_doubt OR awaits_answer OR status = '\(TransactionStatus.requested.rawValue)')
            ORDER BY first_position DESC LIMIT 100
            """,
            [.text(tenant), .text(reader.vendor.rawValue), .text(StreamName.readerName(reader.serial))]
        )
        return try rows.map { try $0.uuid(0) }
    }

    /// The newest payments of a tenant at a reader, under any of its names, of which a stored result of the reader is
    /// recorded, made since `earliest`. At most 100; none before the read models are installed in their present form.
    package func storedResults(
        at reader: ReaderReference,
        of tenant: String,
        since earliest: Timestamp
    ) async throws -> [UUID128] {
        guard try await areInstalled(["read_transactions.transactions", "read_readers.names"]) else { return [] }
        // A read model of an earlier form stays until it is rebuilt.
        let column = try await pool.query(
            """
            SELECT count(*) > 0 FROM pg_attribute
            WHERE attrelid = to_regclass('read_transactions.transactions') AND attname = 'stored_result'
            """,
            []
        )
        guard try column.first?.bool(0) == true else { return [] }
        let name = "coalesce(\(Self.serial(of: "$3")), $3)"
        let rows = try await pool.query(
            """
            SELECT id FROM read_transactions.transactions t
            WHERE tenant = $1 AND reader_vendor = $2 AND \(Self.readerName) = \(name) AND NOT test AND stored_result
                AND occurred_at >= $4
            ORDER BY occurred_at DESC LIMIT 100
            """,
            [
                .text(tenant), .text(reader.vendor.rawValue), .text(StreamName.readerName(reader.serial)),
                .timestamptz(earliest),
            ]
        )
        return try rows.map { try $0.uuid(0) }
    }

    private func areInstalled(_ tables: [String]) async throws -> Bool {
        let rows = try await pool.query(
            "SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest($1::text[]) AS t (name)",
            [.textArray(tables)]
        )
        return try rows.first?.bool(0) == true
    }

    /// Up to `limit` payments in doubt, after the end of the previous page.
    package func payments(
        of tenant: String,
        matching filter: Filter,
        sortedBy order: Order,
        after place: Place?,
        limit: Int
    ) async throws -> [PaymentInDoubt] {
        var filter = filter
        filter.otherNames = try await MerchantQuery(pool: pool).otherNames(of: filter.merchant, tenant: tenant)
        let (sql, parameters) = Self.search(tenant, filter, order, place, limit)
        return try await pool.query(sql, parameters).map(PaymentInDoubt.init)
    }

    static func search(
        _ tenant: String,
        _ filter: Filter,
        _ order: Order,
        _ place: Place?,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        var conditions = conditions(tenant, filter)
        if let place {
            let key =
                switch order {
                case .age: conditions.parameter(.timestamptz(Timestamp(microsecondsSince1970: place.key)))
                case .value: "-\(conditions.parameter(.int64(place.key)))"
                }
            let position = conditions.parameter(.int64(place.position))
            conditions.add("(\(order.column), first_position) > (\(key), \(position))")
        }
        let sql = """
            SELECT \(columns) FROM read_transactions.transactions t WHERE \(conditions.sql)
            ORDER BY \(order.column), first_position LIMIT \(conditions.parameter(.int64(Int64(limit))))
            """
        return (sql, conditions.parameters)
    }

    private static let columns = """
        id, first_position, status, vendor, merchant, terminal, reference, occurred_at, amount, currency, reader_vendor,
            reader, \(holdsResult)
        """

    /// The name in the row of a payment's reader, which another name of the reader may have led to.
    private static let readerName = "coalesce(\(serial(of: "t.reader_name")), t.reader_name)"

    private static func serial(of name: String) -> String {
        """
        (SELECT n.serial FROM read_readers.names n
            WHERE n.tenant = t.tenant AND n.vendor = t.reader_vendor AND n.name = \(name))
        """
    }

    private static let holdsResult = """
        (SELECT r.holds_result FROM read_readers.readers r
            WHERE r.tenant = t.tenant AND r.vendor = t.reader_vendor AND r.serial = \(readerName))
        """

    /// The total value at risk of all matching payments, by currency.
    ///
    /// - Throws: `TotalsError.overflow`.
    package func risk(of tenant: String, matching filter: Filter) async throws -> [ValueAtRisk] {
        var filter = filter
        filter.otherNames = try await MerchantQuery(pool: pool).otherNames(of: filter.merchant, tenant: tenant)
        let conditions = Self.conditions(tenant, filter)
        let rows = try await pool.query(
            """
            SELECT currency, count(*), coalesce(sum(amount), 0)::text FROM read_transactions.transactions t
            WHERE \(conditions.sql) AND currency IS NOT NULL GROUP BY currency ORDER BY currency
            """,
            conditions.parameters
        )
        return try rows.map { row in
            guard let currency = Currency(alpha: try row.text(0)) else { throw UnreadableRow() }
            guard let value = Int64(try row.text(2)) else { throw TotalsError.overflow }
            return ValueAtRisk(currency: currency, count: try row.int64(1), value: value)
        }
    }

    private static func conditions(_ tenant: String, _ filter: Filter) -> QueryConditions {
        let isListed = filter.includesReversals ? "(in_doubt OR awaits_reversal)" : "in_doubt"
        var conditions = QueryConditions(["tenant = $1", isListed, "NOT test"], [.text(tenant)])
        conditions.add("vendor =", text: filter.vendor?.rawValue)
        conditions.add(merchant: filter.merchant, filter.otherNames)
        conditions.add("terminal =", text: filter.terminal)
        conditions.add("currency =", text: filter.currency)
        if let reader = filter.reader {
            let name = conditions.parameter(.text(StreamName.readerName(reader)))
            conditions.add("\(readerName) = coalesce(\(serial(of: name)), \(name))")
        }
        conditions.add("coalesce(\(holdsResult), false) =", filter.readerHoldsResult.map(PostgresValue.bool))
        conditions.add("occurred_at <=", filter.occurredUpTo.map(PostgresValue.timestamptz))
        return conditions
    }
}

extension PaymentInDoubt {
    /// A payment folded up to a position of the log, in the form that the read model had then.
    package init(_ view: TransactionView, of tenant: String) throws {
        let row = TransactionRow(view, of: tenant)
        guard let status = TransactionStatus(rawValue: row.status) else { throw UnreadableRow() }
        transaction = row.id
        firstPosition = row.firstPosition
        self.status = status
        vendor = row.vendor
        merchant = row.merchant
        terminal = row.terminal
        reference = row.reference
        occurredAt = row.occurredAt
        if let amount = row.amount, let currency = row.currency.flatMap({ Currency(alpha: $0) }) {
            value = Money(amount, currency)
        }
        cardReader = view.state.identity.cardReader
    }

    /// The payment's place in a list.
    package func place(in order: DoubtQuery.Order) -> DoubtQuery.Place {
        DoubtQuery.Place(
            position: firstPosition,
            key: order == .age ? occurredAt.microsecondsSince1970 : value?.value ?? -1
        )
    }

    fileprivate init(_ row: PostgresRow) throws {
        guard let status = TransactionStatus(rawValue: try row.text(2)) else { throw UnreadableRow() }
        transaction = try row.uuid(0)
        firstPosition = try row.int64(1)
        self.status = status
        vendor = try row.textOrNull(3)
        merchant = try row.textOrNull(4)
        terminal = try row.textOrNull(5)
        reference = try row.textOrNull(6)
        occurredAt = try row.timestamp(7)
        if let amount = try row.int64OrNull(8), let currency = try row.textOrNull(9).flatMap({ Currency(alpha: $0) }) {
            value = Money(amount, currency)
        }
        if let vendor = try row.textOrNull(10).flatMap(Vendor.init(rawValue:)), let serial = try row.textOrNull(11) {
            cardReader = ReaderReference(vendor: vendor, serial: serial)
        }
        readerHoldsResult = try row.boolOrNull(12)
    }
}
