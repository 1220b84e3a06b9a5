import Matching
import Payments
import Statements

/// What statements move in the journal once they are reconciled, and the exceptions that stay open: `docs/journal.md`,
/// Statements. Written from that page alone: it shares nothing with the ledger's own books.
struct StatementBook {
    private(set) var balances: [AccountName: Int64] = [:]

    // MARK: Lines

    /// Enters a line of a file, as it is explained in the end.
    mutating func enter(_ posted: PostedLine, _ format: StatementFormat) {
        let line = posted.line
        let currency = line.currency.alpha
        guard line.side == .processor else {
            // Other transfers are the bank's business, unless an exception asks about them.
            guard posted.payout != nil else { return }
            return move(line.amount ?? 0, currency, from: AccountPlace(.cashInTransit), to: AccountPlace(.bank))
        }
        let own = Self.receivable(of: format)
        for fee in line.fees {
            move(-fee.amount, currency, from: own, to: AccountPlace(.fees, fee.kind.rawValue))
        }
        // The money of a total is that of its parts.
        guard line.role != .total, ![.void, .authorization, .balance].contains(line.type) else { return }
        let gross = (line.amount ?? 0) - line.fees.reduce(0) { $0 + $1.amount }
        let contra = Self.contra(of: posted, format)
        if let paid = line.transactionAmount, paid.currency != line.currency {
            move(gross, currency, from: AccountPlace(.currencyClearing), to: own)
            move(paid.value, paid.currency.alpha, from: contra, to: AccountPlace(.currencyClearing))
        } else {
            move(gross, currency, from: contra, to: own)
        }
        if let disputed = posted.disputed { move(-gross, currency, from: contra, to: disputed) }
    }

    private static func receivable(of format: StatementFormat) -> AccountPlace {
        AccountPlace(.processorReceivable, format.rawValue)
    }

    /// The account on the other side of a line's gross amount.
    private static func contra(of posted: PostedLine, _ format: StatementFormat) -> AccountPlace {
        switch posted.line.type {
        case .fee: return AccountPlace(.fees, "other")
        case .payout, .payoutReturn, .deposit, .withdrawal: return AccountPlace(.cashInTransit)
        case .reserve, .reserveRelease: return AccountPlace(.reserve, format.rawValue)
        // A balance is carried over within the account.
        case .transfer: return receivable(of: format)
        default: break
        }
        let classes = posted.wrongs.map(\.exceptionClass)
        if posted.payment != nil || classes.contains(where: namesPayment) {
            return posted.holder ?? receivable(of: format)
        }
        // The exception takes it to suspense.
        return classes.isEmpty ? AccountPlace(.suspense) : receivable(of: format)
    }

    // MARK: Exceptions

    /// Whether an exception of the class relates its line to a payment.
    private static func namesPayment(_ exceptionClass: ExceptionClass) -> Bool {
        switch exceptionClass {
        case .amountDiffers, .currencyDiffers, .statusDiffers, .duplicateAtProcessor, .duplicateInLedger,
            .missingAtProcessor, .late, .expiredAuthorization, .inDoubtResolved, .chargebackNotRecorded:
            true
        case .missingInLedger, .chargebackWithoutSale, .unexplainedLine, .unmatchedDeposit, .payoutDiffers,
            .negativeBalance, .controlFailed, .missingStatement, .batchOutOfBalance, .feeDiffers:
            false
        }
    }

    /// The account against which the amount of a line's exception is in suspense.
    static func place(
        of exceptionClass: ExceptionClass,
        _ posted: PostedLine,
        _ format: StatementFormat
    ) -> AccountPlace {
        switch exceptionClass {
        case .feeDiffers: AccountPlace(.fees, "other")
        case .unmatchedDeposit: AccountPlace(posted.line.side == .bank ? .bank : .cashInTransit)
        default: namesPayment(exceptionClass) ? posted.holder ?? receivable(of: format) : receivable(of: format)
        }
    }

    /// Puts the amount of an exception into suspense.
    ///
    /// - Parameter place: The account that it is about; nil if no money is.
    mutating func raise(_ discrepancy: DiscrepancyTruth, against place: AccountPlace?) {
        // The run itself records these on their payments, and clears the exception.
        guard ![.inDoubtResolved, .chargebackNotRecorded].contains(discrepancy.exceptionClass) else { return }
        guard let place, let amount = discrepancy.amount, let currency = discrepancy.currency else { return }
        move(amount, currency, from: AccountPlace(.suspense), to: place)
    }

    private mutating func move(_ amount: Int64, _ currency: String, from: AccountPlace, to: AccountPlace) {
        balances.add(-amount, to: from.name(in: currency))
        balances.add(amount, to: to.name(in: currency))
    }
}
