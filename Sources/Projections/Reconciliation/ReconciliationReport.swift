package import Canonical
import Postgres

/// What a report is about: the days of lines and movements, and one merchant or all.
package struct ReportScope: Sendable, Hashable {
    /// The first and last day, as lines say it, and by the clocks of the report for movements; nil for all.
    package var from: CivilDate?
    package var to: CivilDate?
    package var merchant: String?

    package init(from: CivilDate? = nil, to: CivilDate? = nil, merchant: String? = nil) {
        self.from = from
        self.to = to
        self.merchant = merchant
    }
}

/// How every cent of the processors' lines and of the ledger's movements is explained. Minor units, above zero to the
/// merchant; nil where a sum is beyond 64 bits.
package struct ReconciliationReport: Sendable, Hashable {
    /// Nothing after this position is in it, and everything up to there.
    package var position: Int64
    /// Everything up to here has been looked at by the newest run; nil where there was none.
    package var covers: Int64?
    /// What ages are counted to.
    package var now: Timestamp
    /// By whose clocks movements, and exceptions that are about no line, have their day.
    package var days: BusinessDay
    /// What moved on the processors' accounts.
    package var account: [AccountLine]
    /// Payments, as processors tell of them.
    package var processor: [Share]
    /// Payments, as the ledger has them.
    package var ledger: [Share]
    /// What is open, or was, by class.
    package var exceptions: [ExceptionShare]

    /// Payouts and lines of banks by whether they are explained; of the whole tenant.
    package var deposits: [DepositCoverage] = []

    /// Lines of one kind in one currency.
    package struct AccountLine: Sendable, Hashable {
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            case payments, refunds, chargebacks, fees, reserve, adjustments, payouts, transfers, other
        }

        package var currency: String
        package var kind: Kind
        package var count: Int64
        /// Before the fees that are kept of the lines themselves.
        package var gross: Int64?
        package var fees: Int64?
        /// What moved: gross and fees together.
        package var amount: Int64?
    }

    /// How some payments are explained.
    package struct Share: Sendable, Hashable {
        package enum State: String, Sendable, Hashable, CaseIterable {
            /// By the other side.
            case matched
            /// By an exception that somebody works on.
            case exception
            /// By people.
            case resolved
            /// The processor's lines have not come far enough.
            case pending
            /// By nothing: no run has looked at it.
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
        /// By their age in days: below 2, below 8, below 31, and older.
        package var ages: [Int64]
        package var open: Int64
        /// What of the open ones nobody has explained; of those whose currencies differ all of the line's money, in its
        /// currency. The ledger's money of these is in its own shares.
        package var openAmount: Int64?
        /// How many of the open ones belong to no merchant, as far as anything tells: no merchant's report has them.
        package var unattributed: Int64
        package var resolved: Int64
        package var resolvedAmount: Int64?
    }

    /// Payments of one currency on both sides.
    package struct Balance: Sendable, Hashable {
        package var currency: String
        package var processor: Int64?
        package var ledger: Int64?
        /// What neither the other side nor an exception explains: of the processors, less what it is of the ledger. What
        /// nobody has looked at on both sides may come to zero.
        package var difference: Int64?
        /// How many payments of both sides no run has looked at.
        package var unexamined: Int64

        /// True once everything was looked at, and every cent is explained.
        package var isExplained: Bool { difference == 0 && unexamined == 0 }
    }

    /// By currency.
    package var balances: [Balance] {
        Set((processor + ledger).map(\.currency)).sorted().map { currency in
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
            return Balance(
                currency: currency,
                processor: sum(processor),
                ledger: sum(ledger),
                difference: difference,
                unexamined: unexamined.reduce(0) { $0 + $1.count }
            )
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
