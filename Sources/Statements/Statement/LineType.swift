/// What a line of a statement stands for.
package enum LineType: String, Sendable, Hashable, CaseIterable {
    case sale
    /// A payment that was authorised before; processors report most sales like this.
    case capture
    case authorization
    /// A payment that was taken back before it moved money.
    case void
    case refund
    case refundReversal = "refund-reversal"
    case chargeback
    case chargebackReversal = "chargeback-reversal"
    case fee
    case adjustment
    /// Held back by the processor.
    case reserve
    /// Held back before, and now given.
    case reserveRelease = "reserve-release"
    /// Paid to the merchant's bank account: on the processor's side below zero, as it is owed no more.
    case payout
    /// A payout that the bank sent back.
    case payoutReturn = "payout-return"
    /// Money that came to a bank account.
    case deposit
    /// Money that left a bank account.
    case withdrawal
    /// From one account or batch of the same owner to another.
    case transfer
    /// One half of an exchange of currencies.
    case conversion
    /// A batch that was closed.
    case batch
    /// A status without money of its own.
    case balance
    /// Known to the file's sender only; see `StatementLine.rawType`.
    case other

    /// True for what a payment of the ledger can be: not for fees, payouts and the like.
    package var isPayment: Bool {
        switch self {
        case .sale, .capture, .authorization, .void, .refund, .refundReversal: true
        default: false
        }
    }
}

/// What a fee is for.
package enum FeeKind: String, Sendable, Hashable, CaseIterable {
    case commission
    case markup
    case scheme
    case interchange
    case discount
    case service
    case tax
    /// Not told apart by the file.
    case processing
    case other
}

/// A fee within a line, in the line's currency.
package struct LineFee: Sendable, Hashable {
    package var kind: FeeKind
    /// Minor units, below zero where the merchant pays.
    package var amount: Int64

    package init(_ kind: FeeKind, _ amount: Int64) {
        self.kind = kind
        self.amount = amount
    }
}

/// How a line's money relates to that of other lines in the file.
package enum LineRole: String, Sendable, Hashable, CaseIterable {
    /// It stands for itself.
    case own
    /// It sums up others, which the file may list as parts of the same group.
    case total
    /// Its money is within the total of its group.
    case part
}
