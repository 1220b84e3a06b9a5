package import Canonical
package import Payments

/// One line of a statement. All amounts are minor units of `currency`, signed as the merchant sees them: above zero is
/// owed to the merchant by the processor, or came to the merchant's account at the bank.
package struct StatementLine: Sendable, Hashable {
    /// The 1-based physical line of the file on which it begins.
    package var line: Int
    package var side: StatementSide
    package var type: LineType
    /// The sender's own word for the type, where there is one.
    package var rawType: String?
    package var role: LineRole = .own
    /// What the lines of one total have in common; unique within the file.
    package var group: String?

    /// Of `gross`, `fees` and `net`: what is settled in.
    package var currency: Currency
    package var gross: Int64?
    package var fees: [LineFee] = []
    /// Gross and fees together, as the file states it, or as it follows where the file has no fees for the line.
    package var net: Int64?
    /// What the cardholder paid or got back, where that is in another currency.
    package var transactionAmount: Money?

    package var references = LineReferences()

    /// When it happened; only where the zone of the file's clock is known.
    package var occurredAt: Timestamp?
    /// What the file's clock showed then, written as if it were UTC.
    package var localTime: Timestamp?
    /// The zone of `localTime` as the file names it.
    package var zone: String?
    /// The day of the transaction or of the entry, by the file's clock.
    package var day: CivilDate?
    /// The day on which it was processed or booked.
    package var bookedDay: CivilDate?
    /// The day from which the money counts.
    package var valueDay: CivilDate?
    /// The sender's own word for how it stands: approved, declined, booked.
    package var rawStatus: String?

    /// Of something that is told again when it changes: which telling of it this is. Of two the higher one holds. Nil for
    /// everything else.
    package var revision: Int64?

    package init(line: Int, side: StatementSide, type: LineType, rawType: String? = nil, currency: Currency) {
        self.line = line
        self.side = side
        self.type = type
        self.rawType = rawType
        self.currency = currency
    }

    /// All fees together; nil where they do not fit 64 bits.
    package var feeTotal: Int64? {
        var sum: Int64 = 0
        for fee in fees {
            let (next, overflow) = sum.addingReportingOverflow(fee.amount)
            if overflow { return nil }
            sum = next
        }
        return sum
    }

    /// What the line moves on its account: the net, else the gross. Sum this over lines that are not parts.
    package var amount: Int64? { net ?? gross }
}
