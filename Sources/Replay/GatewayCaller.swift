package import Canonical
import Crypto
package import EventLog
package import Gateways
package import Intake
package import Payments
import Postgres
import Vendors

/// Calls gateways about payments, so that the log records every call: `GatewayCallSent` is appended before anything
/// is sent, and the result afterwards.
package struct GatewayCaller: Sendable {
    let recorder: TransactionRecorder
    private let logGuard: LogGuard?
    private let clock: any WallClock
    let waiting: any Clock<Duration>

    /// - Parameters:
    ///   - logGuard: Asked before each call, if given.
    ///   - waiting: The clock for pauses when an answer cannot be recorded at once.
    package init(
        recorder: TransactionRecorder,
        logGuard: LogGuard? = nil,
        clock: any WallClock,
        waiting: any Clock<Duration> = ContinuousClock()
    ) {
        self.recorder = recorder
        self.logGuard = logGuard
        self.clock = clock
        self.waiting = waiting
    }

    /// Whether the log and the database allow calls now.
    var mayCall: Bool { logGuard.map { !$0.isContradicted && $0.hold == nil } ?? true }

    /// The epoch of the log that this process knows; nil if it knows none.
    var epoch: Int64? { logGuard?.epoch?.number }

    /// The payment of a call, and the data to judge its answer.
    package struct Subject: Sendable {
        /// The payment's stream.
        package var stream: String
        /// The version of the stream at which the call was decided. Of two concurrent decisions, one succeeds.
        package var version: Int64
        /// The payment's merchant accounts at the vendor.
        package var accounts: Set<String>
        /// The reference of the earlier call that this one queries.
        package var about: String?
        /// Earlier calls that were interrupted and that this one replaces.
        package var abandoned: [OpenCalls.Call]
        /// The time from which "not posted" counts as evidence; nil if it never does.
        package var unpostedFrom: Timestamp?
        /// The payment to compare a query's result with; nil for other calls.
        package var sought: SoughtPayment?
        /// The call of Daybook that a query is for; recorded if the gateway has it.
        package var lost: LostCall?
        /// Names that the call claims: if one of them is already taken, nothing is sent.
        package var claims: [String]
        /// Whether a stream with the largest number of events refuses the call: a query about a doubt, which is then an
        /// operator's. Everything that an approved plan needs is recorded.
        package var isRefusedByFullStream: Bool

        package init(
            stream: String,
            version: Int64,
            accounts: Set<String>,
            about: String? = nil,
            abandoned: [OpenCalls.Call] = [],
            unpostedFrom: Timestamp? = nil,
            sought: SoughtPayment? = nil,
            lost: LostCall? = nil,
            claims: [String] = [],
            isRefusedByFullStream: Bool = false
        ) {
            self.stream = stream
            self.version = version
            self.accounts = accounts
            self.about = about
            self.abandoned = abandoned
            self.unpostedFrom = unpostedFrom
            self.sought = sought
            self.lost = lost
            self.claims = claims
            self.isRefusedByFullStream = isRefusedByFullStream
        }
    }

    /// A call of Daybook whose record may be lost with the end of the log.
    package struct LostCall: Sendable {
        package var call: GatewayCall
        /// Whether it pays or credits. The answer to a query shows the outcome of a payment, and nothing certain about
        /// a follow-up.
        package var isPayment: Bool

        package init(_ call: GatewayCall, isPayment: Bool) {
            self.call = call
            self.isPayment = isPayment
        }
    }

    /// The account is another tenant's, or none of the payment's. Nothing was recorded or sent.
    package struct ForeignAccount: Error, Hashable {}

    /// Makes one call.
    ///
    /// Cancelling the caller interrupts the call; its result is recorded nevertheless.
    ///
    /// - Parameter known: The epoch of the log in which the call was decided; nil for the one that is known now.
    /// - Returns: Nil when another event changed the payment first; then nothing was sent.
    /// - Throws: `ForeignAccount`, `CallHold`, `AppendError`, or the errors of reading the log. An error before the
    ///   call means that nothing was sent. After an error following the call, the call remains open and is queried
    ///   later.
    package func call(
        _ call: GatewayCall,
        at gateway: GatewayAccount,
        _ subject: Subject,
        sender: Sender,
        decidedIn known: Int64? = nil
    ) async throws -> GatewayOutcome? {
        guard gateway.tenant == sender.tenant, subject.accounts.contains(gateway.account) else {
            throw ForeignAccount()
        }
        // A process that has just started proves the log with the append that follows.
        if let hold = logGuard?.hold { throw hold }
        if logGuard?.isContradicted ?? false { throw AppendError(.logContradicted) }
        let known = known ?? epoch
        // The deadline starts here and not at the sending, because recording the call first may take time.
        let begun = clock.steady()
        let deadline = ContinuousClock.now.advanced(by: .milliseconds(gateway.longestCallMilliseconds))
        let sentAt = clock.now()
        var report = GatewayReport(
            reference: call.reference,
            gateway: gateway.name,
            account: gateway.account,
            vendor: gateway.vendor,
            operation: call.operation,
            about: subject.about,
            amount: call.amount,
            tip: call.tip,
            references: References(
                gatewayTransaction: call.original.gatewayTransaction,
                authorizationCode: call.original.authorizationCode,
                retrievalReference: call.original.retrievalReference,
                invoice: call.invoice ?? call.original.invoice
            ),
            at: sentAt,
            overBy: sentAt.adding(microseconds: gateway.longestCallMilliseconds * 1_000)
        )
        var events: [TransactionEvent] = subject.abandoned.map { open in
            .gateway(
                GatewayEvent(
                    .callTimedOut,
                    GatewayReport(
                        reference: open.reference,
                        gateway: open.gateway,
                        vendor: gateway.vendor,
                        operation: open.operation,
                        failure: Self.abandoned,
                        at: sentAt
                    )
                )
            )
        }
        events.append(.gateway(GatewayEvent(.callSent, report)))
        guard
            try await recorder.record(
                events,
                on: subject.stream,
                version: subject.version,
                claims: subject.claims,
                key: Self.key("sent", call.reference, subject.version, sender.tenant),
                occurredAt: sentAt,
                sender: sender,
                isQuery: subject.isRefusedByFullStream
            )
        else { return nil }
        let answer: GatewayOutcome
        if let hold = await hold(since: known) ?? clockWasSet(since: sentAt, begun) {
            answer = .notSent(GatewayFailure(.held, hold.detail))
        } else {
            answer = await gateway.call(call, by: deadline)
        }
        let (outcome, finding) = Self.compared(answer, subject.sought, &report)
        report.at = clock.now()
        report.overBy = nil
        report.account = nil
        report.references = References()
        // A separate task: the result is recorded even when the caller is cancelled.
        let recording = Task { [report] in
            try await record(
                outcome,
                of: call,
                at: gateway,
                report,
                subject,
                finding,
                sentAt: sentAt,
                sender: sender
            )
        }
        try await recording.value
        return outcome
    }

    /// Why a call that has been recorded may not be sent; nil if it may.
    ///
    /// - Parameter known: The epoch before the call was recorded, if one was known: the append may have noticed an
    ///   adoption of the log.
    private func hold(since known: Int64?) async -> CallHold? {
        if let hold = await logGuard?.holdBeforeSending() { return hold }
        return known == nil || known == epoch ? nil : .otherEpoch
    }

    /// Not nil if the clock was set since the call was recorded, whose times are then not those of the call.
    private func clockWasSet(since sentAt: Timestamp, _ begun: ContinuousClock.Instant) -> CallHold? {
        let (seconds, attoseconds) = begun.duration(to: clock.steady()).components
        let passed = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let difference = clock.now().microseconds(since: sentAt) - passed
        return difference.magnitude > DatabaseWatch.mostDifference ? .clockWasSet : nil
    }

    /// Why a call that was recorded was not sent; nil if another outcome is known.
    func hold(in outcome: GatewayOutcome?) -> CallHold? {
        guard case .notSent(let failure)? = outcome, failure.code == .held else { return nil }
        if let known = [CallHold.otherEpoch, .clockWasSet].first(where: { $0.detail == failure.detail }) {
            return known
        }
        return CallHold(code: (logGuard?.hold ?? .unanswered).code, detail: failure.detail)
    }

    /// What an answer is about.
    enum Finding {
        case payment
        /// Too little is known to tell.
        case unproven
        /// Another transaction, of which only the codes are recorded.
        case another
    }

    /// Compares the result of a query with the payment. Another transaction is no evidence about the payment.
    ///
    /// - Returns: The answer as far as it counts, and what it is about.
    private static func compared(
        _ outcome: GatewayOutcome,
        _ sought: SoughtPayment?,
        _ report: inout GatewayReport
    ) -> (GatewayOutcome, Finding) {
        guard case .answered(var answer) = outcome, let sought, let found = answer.found else {
            return (outcome, .payment)
        }
        if case .refused = answer.verdict { return (outcome, .payment) }
        var finding = Finding.unproven
        switch sought.comparison(with: found) {
        case .same: return (outcome, .payment)
        case .unproven(let reason):
            // An unfinished transaction is no evidence yet.
            switch answer.verdict {
            case .pending, .unknown: return (outcome, .unproven)
            default: report.differs = reason
            }
        case .another(let difference):
            report.differs = difference
            finding = .another
        }
        answer.verdict = .ambiguous
        return (.answered(answer), finding)
    }

    /// The failure of a call that the end of a process interrupted.
    package static let abandoned = "abandoned"

    /// A reference that was certainly never sent is used again, at a later version.
    static func key(
        _ step: String,
        _ reference: String,
        _ version: Int64,
        _ tenant: String
    ) -> IdempotencyKey {
        let digest = Array(SHA256.hash(data: Array("gateway-\(step):\(tenant):\(reference):\(version)".utf8)))
        return IdempotencyKey(key: digest, request: digest)
    }
}
