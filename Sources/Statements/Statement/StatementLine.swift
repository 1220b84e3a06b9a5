package import Canonical
package import Payments

/// One line of a statement. All amounts are minor units of `currency`, signed from the merchant's view: positive
/// amounts are owed to the merchant by the processor, or arrived on the merchant's bank account.
package struct StatementLine: Sendable, Hashable {
    /// The 1-based physical line of the file on which it begins.
    package var line: Int
    package var side: StatementSide
    package var type: LineType
    /// The sender's word for the type, if there is one.
    package var rawType: String?
    package var role: LineRole = .own
    /// Shared by the lines of one total; unique within the file.
    package var group: String?

    /// The settlement currency, of `gross`, `fees` and `net`.
    package var currency: Currency
    package var gross: Int64?
    package var fees: [LineFee] = []
    /// Gross and fees together, as stated in the file, or as computed if the file has no fees for the line.
    package var net: Int64?
    /// The amount that the cardholder paid or got back, if it is in another currency.
    package var transactionAmount: Money?

    package var references = LineReferences()

    /// The time of the event; only if the zone of the file's clock is known.
    package var occurredAt: Timestamp?
    /// The time on the file's clock, written as if it were UTC.
    package var localTime: Timestamp?
    /// The zone of `localTime` as named in the file.
    package var zone: String?
    /// The day of the transaction or of the entry, by the file's clock.
    package var day: CivilDate?
    /// The day on which it was processed or booked.
    package var bookedDay: CivilDate?
    /// The day from which the money counts.
    package var valueDay: CivilDate?
    /// The sender's word for the status: approved, declined, booked.
    package var rawStatus: String?

    /// The revision of something that is reported again when it changes; of two, the higher one holds. Nil for
    /// everything else.
    package var revision: Int64?

    package init(line: Int, side: StatementSide, type: LineType, rawType: String? = nil, currency: Currency) {
        self.line = line
        self.side = side
        self.type = type
        self.rawType = rawType
        self.currency = currency
    }

    /// The sum of all fees; nil if it does not fit 64 bits.
    package var feeTotal: Int64? {
        var sum: Int64 = 0
        for fee in fees {
            let (next, overflow) = sum.addingReportingOverflow(fee.amount)
            if overflow { return nil }
            sum = next
        }
        return sum
    }

    /// The amount that the line moves on its account: the net, else the gross. Sum it over lines that are not parts.
    package var amount: Int64? { net ?? gross }
}
