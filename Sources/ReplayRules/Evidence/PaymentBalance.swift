package import Canonical
package import Payments

/// Where a payment stands, as far as that decides what may be asked for again. Minor units of `currency`.
package struct PaymentBalance: Sendable, Hashable {
    package var status: TransactionStatus
    package var operation: Operation?
    package var currency: Currency?
    /// What is held or was approved, with increments and without releases.
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
    /// How often something of it was voided.
    package var voids: Int
    /// The host approved, the terminal did not carry it out, and nothing has taken it back.
    package var isReversalDue: Bool
    /// What does not fit together.
    package var contradictions: Set<Anomaly.Kind>
    /// When it was approved, as far as is known.
    package var approvedAt: Timestamp?
    package var capturedAt: Timestamp?
    /// A call of Daybook's own may have moved money, and nobody knows: it is under way, was cut short, or was not answered.
    package var mayHaveActed: Bool

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
        mayHaveActed: Bool = false
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
    }

    /// - Parameter approvedAt: When it was approved; the fold knows when it was decided, which may be later.
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
            hasSettledCapture: state.countedCaptures.contains(where: \.isSettled) || state.funded != 0,
            isPartial: state.isPartial,
            isVoided: state.isVoided,
            isReversed: state.isReversed,
            isExpired: state.isExpired,
            voids: state.voids.count,
            isReversalDue: state.anomalies.contains { $0.kind == .reversalDue },
            contradictions: Set(state.anomalies.map(\.kind)).intersection(Self.contradicting),
            approvedAt: approvedAt,
            capturedAt: state.countedCaptures.compactMap(\.at).min(),
            mayHaveActed: state.openCalls.mayHaveActed
        )
        if !state.linked.isEmpty { contradictions.insert(.keysDisagree) }
    }

    /// The anomalies after which nobody can say by rule what is true about the money.
    package static let contradicting: Set<Anomaly.Kind> = [
        .conflictingOutcome, .conflictingAmount, .currencyMismatch, .keysDisagree, .captureNotAllowed, .repeatedCapture,
        .captureExceedsAuthorization, .refundExceedsCapture, .refundNotAllowed, .settlementMismatch, .settledTwice,
        .approvalExceedsRequest, .tenderMissing, .duplicateSuspected, .amountOverflow, .originalNotRecorded,
    ]

    /// What can still be given back; below zero where more was than is there.
    package var refundable: Int64 { captured.subtractingSaturated(refunded).subtractingSaturated(chargedBack) }

    /// True where money moves or is held, or has, by what stands.
    package var isPosted: Bool {
        switch status {
        case .authorized, .partiallyApproved, .partiallyCaptured, .captured, .credited, .verified, .settled,
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
