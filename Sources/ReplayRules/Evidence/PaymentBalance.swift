package import Canonical
package import Payments

/// The status and amounts of a payment that decide whether something may be resubmitted. Minor units of `currency`.
package struct PaymentBalance: Sendable, Hashable {
    package var status: TransactionStatus
    package var operation: Operation?
    package var currency: Currency?
    /// The amount held or approved, with increments and less releases.
    package var authorized: Int64
    package var captured: Int64
    package var refunded: Int64
    package var chargedBack: Int64
    /// The tip inside the last open capture.
    package var tip: Int64?
    package var hasOpenCapture: Bool
    package var hasSettledCapture: Bool
    package var isPartial: Bool
    package var isVoided: Bool
    package var isReversed: Bool
    package var isExpired: Bool
    /// The number of voids.
    package var voids: Int
    /// The host approved, the terminal did not execute the payment, and the approval was not reversed.
    package var isReversalDue: Bool
    /// The kinds of contradictions in the payment.
    package var contradictions: Set<Anomaly.Kind>
    /// The time of the approval, if known.
    package var approvedAt: Timestamp?
    package var capturedAt: Timestamp?
    /// True if a Daybook call may have moved money and its outcome is unknown: it is running, was cut short, or was not
    /// answered.
    package var mayHaveActed: Bool
    /// True if it was made at the vendor's test system: no gateway that is called has it.
    package var isTest: Bool

    package init(
        status: TransactionStatus,
        operation: Operation? = .sale,
        currency: Currency? = nil,
        authorized: Int64 = 0,
        captured: Int64 = 0,
        refunded: Int64 = 0,
        chargedBack: Int64 = 0,
        tip: Int64? = nil,
        hasOpenCapture: Bool = false,
        hasSettledCapture: Bool = false,
        isPartial: Bool = false,
        isVoided: Bool = false,
        isReversed: Bool = false,
        isExpired: Bool = false,
        voids: Int = 0,
        isReversalDue: Bool = false,
        contradictions: Set<Anomaly.Kind> = [],
        approvedAt: Timestamp? = nil,
        capturedAt: Timestamp? = nil,
        mayHaveActed: Bool = false,
        isTest: Bool = false
    ) {
        self.status = status
        self.operation = operation
        self.currency = currency
        self.authorized = authorized
        self.captured = captured
        self.refunded = refunded
        self.chargedBack = chargedBack
        self.tip = tip
        self.hasOpenCapture = hasOpenCapture
        self.hasSettledCapture = hasSettledCapture
        self.isPartial = isPartial
        self.isVoided = isVoided
        self.isReversed = isReversed
        self.isExpired = isExpired
        self.voids = voids
        self.isReversalDue = isReversalDue
        self.contradictions = contradictions
        self.approvedAt = approvedAt
        self.capturedAt = capturedAt
        self.mayHaveActed = mayHaveActed
        self.isTest = isTest
    }

    /// - Parameter approvedAt: The time of the approval. The fold only has the time of the decision, which may be
    ///   later.
    package init(_ state: TransactionState, approvedAt: Timestamp?) {
        let open = state.countedCaptures.last(where: \.isOpen)
        self.init(
            status: state.status,
            operation: state.operation,
            currency: state.currency,
            authorized: state.authorized,
            captured: state.captured,
            refunded: state.refunded,
            chargedBack: state.chargedBack,
            tip: open?.tip,
            hasOpenCapture: open != nil,
            hasSettledCapture: state.countedCaptures.contains(where: \.isSettled) || state.settlement.funded != 0,
            isPartial: state.authorization.isPartial,
            isVoided: state.closing.isVoided,
            isReversed: state.closing.isReversed,
            isExpired: state.closing.isExpired,
            voids: state.closing.voids.count,
            isReversalDue: state.anomalies.contains { $0.kind == .reversalDue },
            contradictions: Set(state.anomalies.map(\.kind)).intersection(Self.contradicting),
            approvedAt: approvedAt,
            capturedAt: state.countedCaptures.compactMap(\.at).min(),
            mayHaveActed: state.openCalls.mayHaveActed,
            isTest: state.isTest
        )
        if !state.linked.isEmpty { contradictions.insert(.keysDisagree) }
    }

    /// The anomalies after which no rule can decide what is true about the money.
    package static let contradicting: Set<Anomaly.Kind> = [
        .conflictingOutcome, .conflictingAmount, .currencyMismatch, .keysDisagree, .captureNotAllowed, .repeatedCapture,
        .captureExceedsAuthorization, .refundExceedsCapture, .refundNotAllowed, .settlementMismatch, .settledTwice,
        .approvalExceedsRequest, .tenderMissing, .duplicateSuspected, .amountOverflow, .originalNotRecorded,
    ]

    /// The amount that can still be given back; below zero if more was given back than captured.
    package var refundable: Int64 { captured.subtractingSaturated(refunded).subtractingSaturated(chargedBack) }

    /// True if, by the current status, money moves, is held, or has moved.
    package var isPosted: Bool {
        switch status {
        case .authorized, .partiallyApproved, .partiallyCaptured, .captured, .credited, .verified, .completed, .settled,
            .settlementRejected, .funded, .partiallyRefunded, .refunded, .chargedBack:
            true
        case .requested, .declined, .cancelled, .failed, .inDoubt, .notPosted, .voided, .reversed, .expired: false
        }
    }
}

extension Int64 {
    func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}
