/// An inconsistency in the facts of a stream. The facts stay as they were recorded; the anomaly explains how they
/// disagree.
package struct Anomaly: Sendable, Hashable, Codable {
    /// Stable names, used by the API and the audit trail.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Two final verdicts disagree.
        case conflictingOutcome = "conflicting-outcome"
        /// The same approval, capture or refund was reported with different amounts.
        case conflictingAmount = "conflicting-amount"
        /// A follow-up arrived before, or without, the payment it belongs to.
        case originalNotRecorded = "original-not-recorded"
        /// More was approved than requested (I1).
        case approvalExceedsRequest = "approval-exceeds-request"
        /// The parts do not add up to the total (I2).
        case amountsDoNotAddUp = "amounts-do-not-add-up"
        /// A part, or a follow-up, is in another currency (I2).
        case currencyMismatch = "currency-mismatch"
        /// More was captured than the authorization and its tolerance allow (I3).
        case captureExceedsAuthorization = "capture-exceeds-authorization"
        /// A second capture of an authorization that the vendor captures only once.
        case repeatedCapture = "repeated-capture"
        /// A fact about a dispute that contradicts what is recorded of it or of its chargeback.
        case disputeMismatch = "dispute-mismatch"
        /// Refunds and chargebacks exceed what was captured (I4).
        case refundExceedsCapture = "refund-exceeds-capture"
        /// A capture after a decline, void or expiry.
        case captureNotAllowed = "capture-not-allowed"
        /// A void after settlement.
        case voidAfterSettlement = "void-after-settlement"
        /// A void although nothing was open.
        case voidNotAllowed = "void-not-allowed"
        /// A tip after settlement or without a capture.
        case tipNotAllowed = "tip-not-allowed"
        /// A refund of money that was never captured.
        case refundNotAllowed = "refund-not-allowed"
        /// A settlement of money that was never captured, or of a different amount.
        case settlementMismatch = "settlement-mismatch"
        /// One capture was in two closed batches (I7).
        case settledTwice = "settled-twice"
        /// The amounts signed by the chip differ from the amounts of the payment (I11).
        case chipAmountMismatch = "chip-amount-mismatch"
        /// A figure in the document could not be read; a different one was used.
        case amountUnreadable = "amount-unreadable"
        /// A figure has no known scale; it was read as major units.
        case amountScaleAssumed = "amount-scale-assumed"
        /// The document does not state the kind of payment; a sale was assumed.
        case operationAssumed = "operation-assumed"
        /// The outcome of a capture, tip, void or refund of the payment is unknown.
        case followUpInDoubt = "follow-up-in-doubt"
        /// The keys in one document lead to different transactions.
        case keysDisagree = "keys-disagree"
        /// An amount is too large to be summed and is left out of the sums.
        case amountOverflow = "amount-overflow"
        /// An amount is below zero where only positive amounts have a meaning; it is left out of the sums.
        case negativeAmount = "negative-amount"
        /// The balance reported after a tender is less than what the recorded tenders leave to pay.
        case tenderMissing = "tender-missing"
        /// An authorization was increased or released after it had ended, or released by more than was held.
        case incrementNotAllowed = "increment-not-allowed"
        /// A batch was closed twice with different results, or its totals differ from the ledger's.
        case batchMismatch = "batch-mismatch"
        /// The vendor's adapter does not know this kind of document.
        case unknownKind = "unknown-kind"
        /// A code or name that the vendor does not document.
        case unknownValue = "unknown-value"
        /// A field exceeds a limit the vendor documents.
        case limitExceeded = "limit-exceeded"
        /// A field that no fact depends on could not be read.
        case malformedField = "malformed-field"
        /// The host approved and the terminal did not complete: the approval must be reversed.
        case reversalDue = "reversal-due"
        /// The vendor reports the payment as a duplicate of an earlier one.
        case duplicateSuspected = "duplicate-suspected"
        /// The vendor suspects fraud, reviews the payment, or approved it although the card's verification value
        /// differs.
        case riskReported = "risk-reported"
        /// The time of an event is before the year 2000, or too far ahead of the time at which it was recorded. Its money
        /// is in no business day until an operator acknowledges this.
        case implausibleTime = "implausible-time"
    }

    package var kind: Kind
    /// The observed and the expected value, in words, without card data. For operators only: nothing is read from it.
    package var explanation: String
    /// The other streams that are involved.
    package var related: [String]?
    /// The follow-up in doubt; set for `followUpInDoubt`. Without it only an operator's testimony ends the doubt.
    package var inDoubt: FollowUpInDoubt?

    package init(
        _ kind: Kind,
        _ explanation: String,
        related: [String]? = nil,
        inDoubt: FollowUpInDoubt? = nil
    ) {
        self.kind = kind
        self.explanation = explanation
        self.related = related
        self.inDoubt = inDoubt
    }
}
