/// Contradictions in a payment as a whole: the invariants that compare sums, and follow-ups without a payment. Each is
/// measured, so that an anomaly is raised when it gets worse and cleared when later facts explain it.
struct Contradictions {
    private struct Measure {
        var kind: Anomaly.Kind
        /// The size of the contradiction; zero if there is none.
        var size: Int64
        var explanation: String
    }

    /// The anomalies raised or cleared between two states.
    static func changes(
        from before: TransactionState,
        to after: TransactionState,
        policy: LifecyclePolicy
    ) -> [TransactionEvent] {
        zip(measures(before, policy), measures(after, policy)).compactMap { old, new in
            let current = after.anomalies.last { $0.kind == new.kind }
            if new.size > old.size {
                // A document that reports both sides raises the anomaly itself.
                if new.kind == .reversalDue, current != nil { return nil }
                let anomaly = Anomaly(new.kind, new.explanation)
                return after.anomalies.contains(anomaly) ? nil : .anomalyRaised(anomaly)
            }
            guard new.size == 0, old.size > 0, let current else { return nil }
            return .anomalyCleared(current)
        }
    }

    private static func measures(_ state: TransactionState, _ policy: LifecyclePolicy) -> [Measure] {
        let returned = state.refunded + state.chargedBack
        let hasReturn = !(state.refunds.allSatisfy(\.isUndone) && state.chargebacks.allSatisfy(\.isUndone))
        let knowsPayment = state.isOriginalKnown || !state.captures.isEmpty
        let (base, limit) = captureLimit(state, policy)
        // Tips inside tenders are already left out.
        let hasAddedTip = policy.addsTipAfterRequest && state.tenders.entries.isEmpty
        let addedTip = hasAddedTip ? state.authorization.breakdown?.countedTip ?? 0 : 0
        return [
            Measure(
                kind: .reversalDue,
                size: policy.terminalCompletes && state.isReversalDue ? 1 : 0,
                explanation: "the host approved, the terminal did not carry it out: the approval is to be reversed"
            ),
            Measure(
                kind: .originalNotRecorded,
                size: state.awaitsOriginal ? 1 : 0,
                explanation: "the payment this belongs to has not been recorded yet"
            ),
            Measure(
                kind: .approvalExceedsRequest,
                size: policy.requestIsFloor
                    ? 0 : state.authorization.requested.map { max(0, state.tendered - addedTip - $0) } ?? 0,
                explanation: "approved \(state.tendered) of a requested \(state.authorization.requested ?? 0)"
            ),
            Measure(
                kind: .tenderMissing,
                size: state.missingTenders,
                explanation: "\(state.missingTenders) was paid by tenders that have not been recorded"
            ),
            Measure(
                kind: .captureExceedsAuthorization,
                size: max(0, base - limit),
                explanation: "captured \(base), without what comes on top, where \(limit) is allowed"
            ),
            Measure(
                kind: .refundNotAllowed,
                size: knowsPayment && state.captures.isEmpty && hasReturn ? max(1, returned) : 0,
                explanation: "\(returned) was given back although nothing was captured"
            ),
            Measure(
                kind: .refundExceedsCapture,
                size: state.captures.isEmpty ? 0 : max(0, returned - state.captured),
                explanation: "\(returned) was given back where \(state.captured) was captured"
            ),
        ]
    }

    /// I3: C <= A x (1 + tolerance). After a partial approval there is no tolerance. C excludes an adjusted tip and a
    /// tip that comes on top of the authorization; and taxes and fees, if the terminal adds them.
    private static func captureLimit(_ state: TransactionState, _ policy: LifecyclePolicy) -> (Int64, limit: Int64) {
        guard state.authorization.approved != nil, let authorized = state.money(state.authorized) else { return (0, 0) }
        let known = state.authorization.extras
        let base = state.countedCaptures.reduce(Int64(0)) { sum, capture in
            let tip = policy.tipExceedsAuthorization ? capture.tip : max(0, capture.tip - capture.firstTip)
            let onTop = tip.addingSaturated(policy.requestIsFloor ? max(0, capture.extras - known) : 0)
            return sum + max(0, capture.net - onTop)
        }
        let tolerance = state.authorization.isPartial ? 0 : min(max(0, policy.overcaptureBasisPoints), 10_000)
        let limit = try? authorized.scaled(byBasisPoints: 10_000 + tolerance, rounding: .down)
        return (base, limit?.value ?? .max)
    }
}

extension TransactionState {
    /// The amount paid by tenders that are not recorded: what the recorded tenders leave to pay, less the vendor's
    /// balance.
    fileprivate var missingTenders: Int64 {
        guard !tenders.entries.isEmpty, let requested = authorization.requested,
            let leastBalance = tenders.leastBalance
        else { return 0 }
        return max(0, requested - tendered - leastBalance)
    }

    /// True while the host holds money for a payment that the terminal ended without an approval.
    fileprivate var isReversalDue: Bool {
        guard let host = verdicts.gateway?.saidOutcome, let terminal = verdicts.reader?.saidOutcome else {
            return false
        }
        return host.movesMoney && [.declined, .cancelled, .failed].contains(terminal) && countedCaptures.isEmpty
            && !isVoidedOrReversed
    }

    /// True once a verdict or an approval was recorded, so that a follow-up has an original.
    var isOriginalKnown: Bool { hasApproval || outcome?.isDecisive == true }

    /// True while a follow-up is recorded whose payment, refund or capture is not recorded.
    fileprivate var awaitsOriginal: Bool {
        if pending.hasReversals { return true }
        guard !isOriginalKnown else { return false }
        let follows =
            !captures.isEmpty || !authorization.increments.isEmpty || pending.tip != nil || !closing.voids.isEmpty
            || !refunds.isEmpty || !chargebacks.isEmpty
        // A request without an answer may be reversed, and may expire.
        let isRequested = identity.operation?.isReported == true
        return follows || (!isRequested && outcome == nil && (!closing.reversals.isEmpty || closing.isExpired))
    }
}

extension Facet {
    /// The outcome this side reported, whether or not it settles the payment.
    fileprivate var saidOutcome: Outcome { said ?? outcome }
}
