/// The type of a line of a statement.
package enum LineType: String, Codable, Sendable, Hashable, CaseIterable {
    case sale
    /// The capture of an earlier authorisation; processors report most sales like this.
    case capture
    case authorization
    /// A payment that was reversed before it moved money.
    case void
    case refund
    case refundReversal = "refund-reversal"
    case chargeback
    case chargebackReversal = "chargeback-reversal"
    case fee
    case adjustment
    /// Money held back by the processor.
    case reserve
    /// Money held back earlier and now released.
    case reserveRelease = "reserve-release"
    /// Money paid to the merchant's bank account: negative on the processor's side, because the processor then owes
    /// less.
    case payout
    /// A payout that the bank returned.
    case payoutReturn = "payout-return"
    /// Money that arrived on a bank account.
    case deposit
    /// Money that left a bank account.
    case withdrawal
    /// Money moved between accounts or batches of the same owner.
    case transfer
    /// One half of an exchange of currencies.
    case conversion
    /// A batch that was closed.
    case batch
    /// A status without money.
    case balance
    /// Known only to the file's sender; see `StatementLine.rawType`.
    case other

    /// True for types that a payment of the ledger can have; false for fees, payouts and the like.
    package var isPayment: Bool {
        switch self {
        case .sale, .capture, .authorization, .void, .refund, .refundReversal: true
        default: false
        }
    }
}

/// The kind of a fee.
package enum FeeKind: String, Sendable, Hashable, CaseIterable {
    case commission
    case markup
    case scheme
    case interchange
    case discount
    case service
    case tax
    /// The file does not distinguish the kind.
    case processing
    case other
}

/// A fee within a line, in the line's currency.
package struct LineFee: Sendable, Hashable {
    package var kind: FeeKind
    /// Minor units, negative if the merchant pays.
    package var amount: Int64

    package init(_ kind: FeeKind, _ amount: Int64) {
        self.kind = kind
        self.amount = amount
    }
}

/// The relation of a line's money to that of other lines in the file.
package enum LineRole: String, Codable, Sendable, Hashable, CaseIterable {
    /// The line's money counts on its own.
    case own
    /// The line sums up others, which the file may list as parts of the same group.
    case total
    /// The line's money is within the total of its group.
    case part
}
