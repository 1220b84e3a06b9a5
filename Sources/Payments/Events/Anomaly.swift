/// Something does not fit together. The facts are kept as they were told; this says why they disagree.
package struct Anomaly: Sendable, Hashable, Codable {
    /// Stable names; the API and the audit trail use them.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Two terminal verdicts disagree.
        case conflictingOutcome = "conflicting-outcome"
        /// The same approval, capture or refund was told with different amounts.
        case conflictingAmount = "conflicting-amount"
        /// A follow-up arrived before, or without, the payment it belongs to.
        case originalNotRecorded = "original-not-recorded"
        /// More was approved than requested (I1).
        case approvalExceedsRequest = "approval-exceeds-request"
        /// The parts do not add up to the total (I2).
        case amountsDoNotAddUp = "amounts-do-not-add-up"
        /// A part, or a follow-up, is in another currency (I2).
        case currencyMismatch = "currency-mismatch"
        /// More was captured than the authorisation and its tolerance allow (I3).
        case captureExceedsAuthorization = "capture-exceeds-authorization"
        /// A second capture where the vendor allows one.
        case repeatedCapture = "repeated-capture"
        /// Refunds and chargebacks exceed what was captured (I4).
        case refundExceedsCapture = "refund-exceeds-capture"
        /// A capture after a decline, void or expiry.
        case captureNotAllowed = "capture-not-allowed"
        /// A void after settlement.
        case voidAfterSettlement = "void-after-settlement"
        /// A void of something that had nothing open.
        case voidNotAllowed = "void-not-allowed"
        /// A tip after settlement or without a capture.
        case tipNotAllowed = "tip-not-allowed"
        /// A refund of money that was never captured.
        case refundNotAllowed = "refund-not-allowed"
        /// A settlement of money that was never captured, or of another amount.
        case settlementMismatch = "settlement-mismatch"
        /// One capture turned up in two closed batches (I7).
        case settledTwice = "settled-twice"
        /// The amounts the chip signed are not the amounts of the payment (I11).
        case chipAmountMismatch = "chip-amount-mismatch"
        /// A figure in the document could not be read; another one was used.
        case amountUnreadable = "amount-unreadable"
        /// A figure has no scale; it was read as major units.
        case amountScaleAssumed = "amount-scale-assumed"
        /// The document does not say what kind of payment it is about; a sale was assumed.
        case operationAssumed = "operation-assumed"
        /// Nobody can say yet whether a capture, tip, void or refund of the payment took effect.
        case followUpInDoubt = "follow-up-in-doubt"
        /// The keys in one document lead to different transactions.
        case keysDisagree = "keys-disagree"
        /// An amount is too large to be summed; it is not.
        case amountOverflow = "amount-overflow"
        /// An amount is below zero where only its opposite would be told; it is not summed.
        case negativeAmount = "negative-amount"
        /// The balance told after a tender is less than the tenders told so far leave to pay.
        case tenderMissing = "tender-missing"
        /// An authorisation was raised or released after it had ended, or by more than it held.
        case incrementNotAllowed = "increment-not-allowed"
        /// A batch was closed twice with different results, or its totals differ from ours.
        case batchMismatch = "batch-mismatch"
        /// The vendor's adapter does not know documents of this kind.
        case unknownKind = "unknown-kind"
        /// A code or a name is not one of those the vendor documents.
        case unknownValue = "unknown-value"
        /// A field breaks a limit the vendor documents.
        case limitExceeded = "limit-exceeded"
        /// A field on which no fact hangs could not be read.
        case malformedField = "malformed-field"
        /// The host approved and the terminal did not complete: the approval has to be reversed.
        case reversalDue = "reversal-due"
        /// The vendor takes the payment for one it has already.
        case duplicateSuspected = "duplicate-suspected"
    }

    package var kind: Kind
    /// What was seen and what was expected, in words, without card data.
    package var explanation: String
    /// Other streams this is about.
    package var related: [String]?

    package init(_ kind: Kind, _ explanation: String, related: [String]? = nil) {
        self.kind = kind
        self.explanation = explanation
        self.related = related
    }
}
