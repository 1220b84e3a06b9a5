package import Canonical
import Postgres
package import Projections

/// The scope of a report: the days of lines and movements, and one merchant or all.
package struct ReportScope: Sendable, Hashable {
    /// The first and last day: a line's own day, and for movements the report's business day; nil for all.
    package var from: CivilDate?
    package var to: CivilDate?
    package var merchant: String?
    /// The other names of `merchant`. The query sets them.
    package var otherNames = OtherNames()

    /// True for all days and merchants.
    package var isWhole: Bool { from == nil && to == nil && merchant == nil }

    package init(from: CivilDate? = nil, to: CivilDate? = nil, merchant: String? = nil) {
        self.from = from
        self.to = to
        self.merchant = merchant
    }
}

/// The explanation of every cent of the processors' lines and the ledger's movements. Minor units, positive when the
/// merchant receives the money; nil when a sum is beyond 64 bits.
package struct ReconciliationReport: Sendable, Hashable {
    /// The report contains exactly the events up to this position.
    package var position: Int64
    /// The position up to which the newest completed run has examined all events; nil without a run.
    package var covers: Int64?
    /// The end of the ages of exceptions.
    package var now: Timestamp
    /// The business day that decides the day of movements, and of exceptions without a line.
    package var days: BusinessDay
    /// The money moved on the processors' accounts.
    package var account: [AccountLine]
    /// Payments in the processors' lines, and lines that only a posting rule or an exception explains.
    package var processor: [Share]
    /// Payments in the ledger's movements.
    package var ledger: [Share]
    /// Exceptions by class, open and resolved.
    package var exceptions: [ExceptionShare]

    /// Payouts and bank lines by state, for the whole tenant.
    package var deposits: [DepositCoverage] = []

    /// The balances of the journal's account suspense by currency, in minor units, a debit if positive; a balance is
    /// nil beyond 64 bits. Nil as a whole in a report of some days or one merchant, because entries have other days
    /// and merchants than exceptions.
    package var suspense: [String: Int64?]?

    /// Lines of one kind in one currency.
    package struct AccountLine: Sendable, Hashable {
        package enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
            case payments, refunds, chargebacks, fees, reserve, adjustments, payouts, transfers, other
        }

        package var currency: String
        package var kind: Kind
        package var count: Int64
        /// Minor units before the fees that the processor deducts from the lines.
        package var gross: Int64?
        package var fees: Int64?
        /// The moved amount: gross and fees together.
        package var amount: Int64?
    }

    /// Payments in one state of explanation.
    package struct Share: Sendable, Hashable {
        package enum State: String, Codable, Sendable, Hashable, CaseIterable {
            /// Explained by the other side.
            case matched
            /// Explained by a posting rule.
            case posted
            /// Explained by an open exception.
            case exception
            /// Explained by a resolution of an operator.
            case resolved
            /// Not explained yet: the processor's lines do not reach that far.
            case pending
            /// Not explained: no run has examined it.
            case unexamined
        }

        package var currency: String
        package var state: State
        package var count: Int64
        package var amount: Int64?
    }

    /// Exceptions of one class in one currency.
    package struct ExceptionShare: Sendable, Hashable {
        /// An `ExceptionClass`.
        package var exceptionClass: String
        package var currency: String?
        /// The counts by age in days: below 2, below 8, below 31, and older.
        package var ages: [Int64]
        package var open: Int64
        /// The amount of the open exceptions. For a currency mismatch, it is the line's whole amount in
        /// the line's currency; the ledger's amount is in the ledger's shares.
        package var openAmount: Int64?
        /// The number of open exceptions without a known merchant. They are in no merchant's report.
        package var unattributed: Int64
        package var resolved: Int64
        package var resolvedAmount: Int64?
    }

    /// Payments of one currency on both sides, and suspense.
    package struct Balance: Sendable, Hashable {
        package var currency: String
        package var processor: Int64?
        package var ledger: Int64?
        /// The unexplained difference: the processors' money less the ledger's that no match or exception accounts for.
        /// Unexamined payments on both sides may cancel to zero.
        package var difference: Int64?
        /// The number of payments on both sides that no run has examined.
        package var unexamined: Int64
        /// The balance of suspense, a debit if positive; nil if it is not compared.
        package var suspense: Int64?
        /// What the open exceptions have in suspense: the opposite of their amounts; nil if it is not compared.
        package var openExceptions: Int64?
        /// True if suspense is what the open exceptions have there, or is not compared. A sum beyond 64 bits equals
        /// none.
        package var isSuspenseExplained: Bool

        /// True once everything has been examined, no difference is unexplained, and every cent in suspense has an open
        /// exception.
        package var isExplained: Bool { difference == 0 && unexamined == 0 && isSuspenseExplained }
    }

    /// True if every cent in suspense has an open exception, in each currency.
    package var isSuspenseExplained: Bool { balances.allSatisfy(\.isSuspenseExplained) }

    /// The balances by currency.
    package var balances: [Balance] {
        let compared = suspense.map { Set($0.keys).union(exceptions.filter { $0.open > 0 }.compactMap(\.currency)) }
        return Set((processor + ledger).map(\.currency)).union(compared ?? []).sorted().map { currency in
            func sum(_ shares: [Share], _ isCounted: (Share) -> Bool = { _ in true }) -> Int64? {
                shares.filter { $0.currency == currency && isCounted($0) }.reduce(Int64?(0)) { sum, share in
                    guard let sum, let amount = share.amount else { return nil }
                    let (value, isOver) = sum.addingReportingOverflow(amount)
                    return isOver ? nil : value
                }
            }
            let processorLeft = sum(processor) { $0.state == .unexamined }
            let ledgerLeft = sum(ledger) { $0.state == .unexamined }
            let difference = processorLeft.flatMap { left in
                ledgerLeft.flatMap { right in
                    let (value, isOver) = left.subtractingReportingOverflow(right)
                    return isOver ? nil : value
                }
            }
            let unexamined = (processor + ledger).filter { $0.currency == currency && $0.state == .unexamined }
            let suspended = suspense.flatMap { $0[currency, default: 0] }
            let open = suspense == nil ? nil : suspendedByExceptions(currency)
            return Balance(
                currency: currency,
                processor: sum(processor),
                ledger: sum(ledger),
                difference: difference,
                unexamined: unexamined.reduce(0) { $0 + $1.count },
                suspense: suspended,
                openExceptions: open,
                isSuspenseExplained: suspense == nil || suspended != nil && suspended == open
            )
        }
    }

    /// The opposite of the amounts of the open exceptions; nil beyond 64 bits.
    private func suspendedByExceptions(_ currency: String) -> Int64? {
        exceptions.filter { $0.currency == currency }.reduce(Int64?(0)) { sum, share in
            guard let sum, let amount = share.openAmount else { return nil }
            let (value, isOver) = sum.subtractingReportingOverflow(amount)
            return isOver ? nil : value
        }
    }
}

extension ReconciliationReport.Share {
    init(_ row: PostgresRow) throws {
        self.init(
            currency: try row.text(0),
            state: State(rawValue: try row.text(1)) ?? .unexamined,
            count: try row.int64(2),
            amount: try row.int64OrNull(3)
        )
    }
}
