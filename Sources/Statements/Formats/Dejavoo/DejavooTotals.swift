import Payments

/// The totals of a batch: SPIn's `TransactionsReports`, for one application or for all.
struct DejavooTotals: Sendable {
    private(set) var count: Int64?
    private(set) var sales: Int64?
    private(set) var returns: Int64?
    private(set) var tickets: Int64?
    private(set) var cash: Int64?
    private(set) var total: Int64?

    private init() {}

    /// - Throws: `.badAmount` or `.badNumber`.
    init(_ application: JSONRecord, _ currency: Currency) throws {
        let report =
            application.object("TransactionsReports") ?? application.object("TransactionsReport") ?? application
        let number = report["TransactionsCount"]
        count = number.isEmpty ? nil : try number.count()
        sales = try report["SaleAmount"].printedAmount(currency)
        returns = try report["ReturnAmount"].printedAmount(currency)
        tickets = try report["TicketAmount"].printedAmount(currency)
        cash = try report["CashAdvanceAmount"].printedAmount(currency)
        total = try report["TotalAmount"].printedAmount(currency)
    }

    /// The sums over all applications; a value that one application lacks is missing from the sum. Nil without any
    /// application, or if the sums do not fit.
    static func sum(_ applications: [DejavooTotals]) -> DejavooTotals? {
        guard !applications.isEmpty else { return nil }
        func sum(_ member: KeyPath<DejavooTotals, Int64?>) -> Int64? {
            let parts = applications.map { $0[keyPath: member] }
            guard !parts.contains(nil) else { return nil }
            return Int64(exactly: parts.reduce(Int128(0)) { $0 + Int128($1 ?? 0) })
        }
        var all = DejavooTotals()
        all.count = sum(\.count)
        all.sales = sum(\.sales)
        all.returns = sum(\.returns)
        all.tickets = sum(\.tickets)
        all.cash = sum(\.cash)
        all.total = sum(\.total)
        return all
    }

    /// Checks that sales, tickets and cash advances less returns are the total. Voids are listed but not counted.
    func check(_ scope: String, _ currency: Currency, _ line: Int, _ sink: StatementSink) throws {
        guard let total, let sales else { return }
        let sum = Int128(sales) + Int128(tickets ?? 0) + Int128(cash ?? 0) - Int128(returns ?? 0).magnitude128
        try control(.total, "application-total", scope, total, sum, currency, line, sink)
    }

    /// Compares the totals with the transactions of the same batch in the file.
    func compare(
        _ scope: String,
        sales found: Int128,
        returns back: Int128,
        count transactions: Int64,
        voids: Int64,
        _ currency: Currency,
        _ line: Int,
        _ sink: StatementSink
    ) throws {
        if let count {
            // Some hosts also count voided transactions.
            let computed = count == transactions + voids ? count : transactions
            try control(.count, "batch-transactions", scope, count, Int128(computed), nil, line, sink)
        }
        if let sales {
            let stated = Int128(sales) + Int128(tickets ?? 0) + Int128(cash ?? 0)
            try control(.total, "batch-sales", scope, Int64(clamping: stated), found, currency, line, sink)
        }
        if let returns {
            try control(.total, "batch-returns", scope, abs(returns), back, currency, line, sink)
        }
        if let total { try control(.total, "batch-total", scope, total, found - back, currency, line, sink) }
    }

    private func control(
        _ kind: StatementControl.Kind,
        _ name: String,
        _ scope: String,
        _ stated: Int64,
        _ sum: Int128,
        _ currency: Currency?,
        _ line: Int,
        _ sink: StatementSink
    ) throws {
        let control = StatementControl(
            kind,
            name,
            scope: scope,
            stated: stated,
            sum: sum,
            currency: currency,
            line: line
        )
        try sink(.control(control))
    }
}

extension Int128 {
    /// The absolute value; amounts are far from the limit where it would not fit.
    fileprivate var magnitude128: Int128 { self < 0 ? -self : self }
}
