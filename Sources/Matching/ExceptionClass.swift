/// Why a line of a statement, or money of the ledger, is not explained.
package enum ExceptionClass: String, Sendable, Hashable, Codable, CaseIterable {
    /// The processor moved money of which the ledger knows nothing.
    case missingInLedger = "missing-in-ledger"
    /// The ledger's money is in no line, although the processor's lines have come far enough.
    case missingAtProcessor = "missing-at-processor"
    case amountDiffers = "amount-differs"
    case currencyDiffers = "currency-differs"
    /// One side moved money where the other says that none should.
    case statusDiffers = "status-differs"
    /// A second line for money that is already explained.
    case duplicateAtProcessor = "duplicate-at-processor"
    /// A second movement for a line that is already explained.
    case duplicateInLedger = "duplicate-in-ledger"
    /// Money at the bank that no payout explains, or a payout that did not arrive.
    case unmatchedDeposit = "unmatched-deposit"
    /// A batch's total is not what is in the batch.
    case batchOutOfBalance = "batch-out-of-balance"
    case feeDiffers = "fee-differs"
    /// The line came later than agreed.
    case late
    case chargebackWithoutSale = "chargeback-without-sale"
    /// Approved, and never captured.
    case expiredAuthorization = "expired-authorization"
    /// The outcome nobody knew is told by the line.
    case inDoubtResolved = "in-doubt-resolved"
}
