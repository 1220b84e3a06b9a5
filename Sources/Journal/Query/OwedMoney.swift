package import Canonical
package import Matching
package import Payments
import Postgres
import Projections

/// Money that a processor owes, or has sent and no bank has reported, since one day.
package struct OwedMoney: Sendable, Hashable {
    /// `processorReceivable` or `cashInTransit`.
    package var account: Account
    /// The processor by the format of its files, or the vendor whose documents report the money until a statement does.
    /// Nil if it is not known.
    package var processor: String?
    package var merchant: String?
    /// The payout's line in a statement, for money in transit.
    package var line: UUID128?
    /// The business day since which the money is there.
    package var day: CivilDate
    /// Below zero if the merchant owes it.
    package var amount: Money

    /// The day on which the money is expected at the bank; nil if no calendar says.
    package func due(by calendars: [ProcessorCalendar]) -> CivilDate? {
        guard let processor, let calendar = calendars.calendar(of: processor, merchant: merchant) else { return nil }
        return calendar.days.day(account == .cashInTransit ? calendar.payoutDays : calendar.depositDays, after: day)
    }
}

/// The conditions on money that is owed. Everything set must hold.
package struct OwedFilter: Sendable, Hashable {
    package var processor: String?
    package var merchant: String?
    package var currency: String?

    package init() {}
}

extension JournalQuery {
    /// The money that processors owe a tenant or have sent. In each currency it adds up to the balances of both
    /// accounts, unless the filter leaves some out.
    ///
    /// Payouts are applied to the oldest money of their processor and merchant, and other credits to the money of their
    /// day first.
    ///
    /// - Parameter position: The position up to which entries count; nil for all.
    /// - Throws: `BalanceError`, `PostgresError`.
    package func owed(
        to tenant: String,
        matching filter: OwedFilter = OwedFilter(),
        at position: Int64? = nil
    ) async throws -> [OwedMoney] {
        let others = try await MerchantQuery(pool: pool).others(of: filter.merchant, tenant: tenant, at: position)
        let names = filter.merchant.map { [$0] + others }
        let rows = try await pool.query(
            EmbeddedFiles.owedMoney_sql,
            [
                .text(tenant), .int64(position ?? .max), .optional(filter.processor, PostgresValue.text),
                .optional(names) { .textArray($0) }, .optional(filter.currency, PostgresValue.text),
                .int64(Int64(Self.balanceLimit) + 1),
            ]
        )
        guard rows.count <= Self.balanceLimit else { throw BalanceError.tooMany }
        return try rows.map(OwedMoney.init)
    }
}

extension OwedMoney {
    /// Reads a row of `owedMoney.sql`.
    fileprivate init(_ row: PostgresRow) throws {
        func name(_ column: Int) throws -> String? {
            let text = try row.text(column)
            return text.isEmpty ? nil : text
        }
        guard let account = Account(rawValue: try row.text(0)), let currency = Currency(alpha: try row.text(3)),
            let day = CivilDate(try row.text(5))
        else { throw UnreadableRow() }
        guard let amount = Int64(try row.text(6)) else { throw BalanceError.overflow }
        self.init(
            account: account,
            processor: try name(1),
            merchant: try name(2),
            line: try row.uuidOrNull(4),
            day: day,
            amount: Money(amount, currency)
        )
    }
}
