/// The reason why a line of a statement, or money of the ledger, is not explained.
package enum ExceptionClass: String, Sendable, Hashable, Codable, CaseIterable {
    /// The processor moved money that the ledger does not know.
    case missingInLedger = "missing-in-ledger"
    /// The ledger's money is in no line, although the processor's lines already reach far enough past it.
    case missingAtProcessor = "missing-at-processor"
    case amountDiffers = "amount-differs"
    case currencyDiffers = "currency-differs"
    /// One side moved money although the other reports that no money moved.
    case statusDiffers = "status-differs"
    /// A second line for money that is already explained, or for a fee that another file may report, too.
    case duplicateAtProcessor = "duplicate-at-processor"
    /// A second movement for a line that is already explained.
    case duplicateInLedger = "duplicate-in-ledger"
    /// Money at the bank that no payout explains, a payout that did not arrive, or another transfer at a processor that
    /// no bank reports.
    case unmatchedDeposit = "unmatched-deposit"
    /// A payout differs from the sum of the lines that it pays.
    case payoutDiffers = "payout-differs"
    /// A balance below zero that a processor carried over to its next period, and that no later line takes over.
    case negativeBalance = "negative-balance"
    /// A total, count or balance that a file states does not agree with its lines. It has no amount.
    case controlFailed = "control-failed"
    /// A processor's calendar expects a file about a business day, and no file covers it. It has no amount.
    case missingStatement = "missing-statement"
    /// A batch's total differs from the batch's contents.
    case batchOutOfBalance = "batch-out-of-balance"
    case feeDiffers = "fee-differs"
    /// The line arrived later than agreed.
    case late
    case chargebackWithoutSale = "chargeback-without-sale"
    /// A chargeback, or its reversal, of a payment that has not recorded it. Recording it clears this.
    case chargebackNotRecorded = "chargeback-not-recorded"
    /// Money of the processor that is no payment and no transfer, and that neither its type nor a posting rule, a contract
    /// or another line explains; or a balance above zero that was carried over and not taken over.
    case unexplainedLine = "unexplained-line"
    /// Approved and never captured.
    case expiredAuthorization = "expired-authorization"
    /// The line reports the outcome of a payment in doubt.
    case inDoubtResolved = "in-doubt-resolved"
}
