/// One line of a double entry: debit positive, credit negative, in minor units.
package struct Posting: Sendable, Hashable {
    package enum Account: String, Sendable, Hashable, CaseIterable {
        /// The money the processor owes the merchant and has not paid yet.
        case processorReceivable = "processor-receivable"
        case bank
        case sales
        case tips
        case refunds
        case chargebacks
    }

    package var account: Account
    package var amount: Int64

    package init(_ account: Account, _ amount: Int64) {
        self.account = account
        self.amount = amount
    }

    /// The postings that take the books from `before` to `after`. They add up to zero (I9).
    package static func postings(from before: TransactionState, to after: TransactionState) -> [Posting] {
        func change(_ amount: (TransactionState) -> Int64) -> Int64 { amount(after) - amount(before) }
        let captured = change(\.captured)
        let tips = change(\.tips)
        let refunded = change(\.refunded) + change(\.credited)
        let disputed = change(\.chargedBack)
        let funded = change(\.settlement.funded)
        return [
            Posting(.processorReceivable, captured - refunded - disputed - funded),
            Posting(.sales, tips - captured),
            Posting(.tips, -tips),
            Posting(.refunds, refunded),
            Posting(.chargebacks, disputed),
            Posting(.bank, funded),
        ].filter { $0.amount != 0 }
    }
}

/// The expected amount of a bank deposit (I8): the nets of its batches, less fees and chargebacks, plus adjustments and
/// the change of the reserve.
package struct DepositEquation: Sendable, Hashable {
    package var batchNets: [Money]
    package var fees: Money
    package var chargebacks: Money
    /// Signed.
    package var adjustments: Money
    /// Signed: positive if reserve is paid out.
    package var reserve: Money

    package init(batchNets: [Money], fees: Money, chargebacks: Money, adjustments: Money, reserve: Money) {
        self.batchNets = batchNets
        self.fees = fees
        self.chargebacks = chargebacks
        self.adjustments = adjustments
        self.reserve = reserve
    }

    /// The deposit that makes the equation hold.
    ///
    /// - Throws: `MoneyError` with `.overflow` or `.currencyMismatch`.
    package func expectedDeposit() throws(MoneyError) -> Money {
        let (plus, minus) = (batchNets + [adjustments, reserve], [fees, chargebacks])
        guard (plus + minus).allSatisfy({ $0.currency == fees.currency }) else { throw MoneyError(.currencyMismatch) }
        func sum(_ amounts: [Money]) -> Int128 { amounts.reduce(0) { $0 + Int128($1.value) } }
        guard let deposit = Int64(exactly: sum(plus) - sum(minus)) else { throw MoneyError(.overflow) }
        return Money(deposit, fees.currency)
    }
}
