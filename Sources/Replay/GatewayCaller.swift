package import Canonical
import Crypto
import EventLog
package import Gateways
package import Intake
package import Payments
import Postgres
import Vendors

/// Calls gateways about payments, so that whatever happens the log knows of it: `GatewayCallSent` is there before anything
/// is sent, and what became of it after.
package struct GatewayCaller: Sendable {
    private let recorder: TransactionRecorder
    private let clock: any WallClock
    private let waiting: any Clock<Duration>

    /// - Parameter waiting: By which it waits where an answer cannot be recorded at once.
    package init(
        recorder: TransactionRecorder,
        clock: any WallClock,
        waiting: any Clock<Duration> = ContinuousClock()
    ) {
        self.recorder = recorder
        self.clock = clock
        self.waiting = waiting
    }

    /// What a call is about, and by what it is judged.
    package struct Subject: Sendable {
        /// The payment's stream.
        package var stream: String
        /// Of the stream, as it was when the call was decided upon. Of two who decide at once one acts.
        package var version: Int64
        /// The reference of the earlier call that this one asks about.
        package var about: String?
        /// Earlier calls that were cut short, which this one takes the place of.
        package var abandoned: [OpenCalls.Call]
        /// From when on "not posted" says something; nil where it never does.
        package var unpostedFrom: Timestamp?
        /// What a find has to find; nil for other calls.
        package var sought: SoughtPayment?
        /// Names that the call takes: where somebody has one of them already, nothing is sent.
        package var claims: [String]

        package init(
            stream: String,
            version: Int64,
            about: String? = nil,
            abandoned: [OpenCalls.Call] = [],
            unpostedFrom: Timestamp? = nil,
            sought: SoughtPayment? = nil,
            claims: [String] = []
        ) {
            self.stream = stream
            self.version = version
            self.about = about
            self.abandoned = abandoned
            self.unpostedFrom = unpostedFrom
            self.sought = sought
            self.claims = claims
        }
    }

    /// Makes one call.
    ///
    /// A caller that is cancelled cuts the call short; what became of it is recorded all the same.
    ///
    /// - Returns: Nil where somebody else did something about the payment first; nothing was sent then.
    /// - Throws: `AppendError`, or what reading the log throws. Thrown before the call, nothing was sent; after it, the call
    ///   stays open, and is looked up.
    package func call(
        _ call: GatewayCall,
        at gateway: any PaymentGateway,
        _ subject: Subject,
        sender: Sender
    ) async throws -> GatewayOutcome? {
        // From here on, and not from when it is sent: recording that it is about to be may take its time.
        let deadline = ContinuousClock.now.advanced(by: .milliseconds(gateway.longestCallMilliseconds))
        let sentAt = clock.now()
        var report = GatewayReport(
            reference: call.reference,
            gateway: gateway.name,
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
                key: Self.key("sent", call.reference, sender.tenant),
                occurredAt: sentAt,
                sender: sender
            )
        else { return nil }
        let (outcome, isFound) = Self.compared(await gateway.call(call, by: deadline), subject.sought, &report)
        report.at = clock.now()
        report.overBy = nil
        report.references = References()
        // A task of its own: who asked may be cancelled, and what was done is recorded all the same.
        let recording = Task { [report] in
            try await record(outcome, of: call, report, subject, isFound: isFound, sentAt: sentAt, sender: sender)
        }
        try await recording.value
        return outcome
    }

    /// What a find found, compared with the payment: what is another one says nothing about it.
    ///
    /// - Returns: The answer, as far as it counts, and whether what it tells is about the payment.
    private static func compared(
        _ outcome: GatewayOutcome,
        _ sought: SoughtPayment?,
        _ report: inout GatewayReport
    ) -> (GatewayOutcome, isFound: Bool) {
        guard case .answered(var answer) = outcome, let sought, let found = answer.found else { return (outcome, true) }
        if case .refused = answer.verdict { return (outcome, true) }
        switch sought.comparison(with: found) {
        case .same: return (outcome, true)
        case .unproven(let reason):
            // Whose end is open anyway tells nothing yet.
            switch answer.verdict {
            case .pending, .unknown: return (outcome, false)
            default: report.differs = reason
            }
        case .another(let difference): report.differs = difference
        }
        answer.verdict = .ambiguous
        return (.answered(answer), false)
    }

    /// Why a call that was cut short by the end of a process is without an answer.
    package static let abandoned = "abandoned"

    private func record(
        _ outcome: GatewayOutcome,
        of call: GatewayCall,
        _ report: GatewayReport,
        _ subject: Subject,
        isFound: Bool,
        sentAt: Timestamp,
        sender: Sender
    ) async throws {
        var report = report
        var document: PlacedDocument?
        if case .answered(let answer) = outcome, let reported = answer.document {
            do throws(Refusal) {
                document = try PlacedDocument(reported.scrubbed, of: reported.vendor, kind: reported.kind, context: reported.context)
            } catch {
                // The gateway holds answers to this already; then it is none.
                report.failure = GatewayFailure.Code.malformed.rawValue
            }
        }
        let (reported, placed) = (report, document)
        try await persisting {
            _ = try await recorder.record(
                placed,
                on: subject.stream,
                key: Self.key("answered", call.reference, sender.tenant),
                occurredAt: reported.at ?? sentAt,
                sender: sender
            ) { isAboutAnother in
                Self.recording(
                    of: outcome,
                    call,
                    reported,
                    subject,
                    isFound: isFound,
                    sentAt: sentAt,
                    isAboutAnother: isAboutAnother
                )
            }
        }
    }

    /// Tries to record again what could not be recorded, while that may pass: what a gateway has answered may be known
    /// nowhere else. Its key lets it be recorded once. After some minutes the call is left open, to be asked about.
    private func persisting(_ record: () async throws -> Void) async throws {
        var pause = Duration.milliseconds(50)
        for _ in 0..<Self.mostTries {
            do {
                return try await record()
            } catch {
                guard Self.mayPass(error) else { throw error }
            }
            try await waiting.sleep(for: pause)
            pause = min(pause * 2, .seconds(5))
        }
        try await record()
    }

    /// Some minutes, with the pauses between them.
    private static let mostTries = 60

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as AppendError: error.code == .queueFull || error.code == .outcomeUnknown
        case let error as PostgresError: error.code != .poolShutdown
        default: false
        }
    }

    private static func recording(
        of outcome: GatewayOutcome,
        _ call: GatewayCall,
        _ reported: GatewayReport,
        _ subject: Subject,
        isFound: Bool,
        sentAt: Timestamp,
        isAboutAnother: Bool
    ) -> AnswerRecording {
        var report = reported
        switch outcome {
        case .notSent(let failure):
            report.failure = failure.code.rawValue
            return AnswerRecording([.gateway(GatewayEvent(.callFailed, report))])
        case .unanswered(let failure):
            report.failure = failure.code.rawValue
            return AnswerRecording([.gateway(GatewayEvent(.callTimedOut, report))] + doubt(call, report))
        case .answered where report.failure != nil:
            return AnswerRecording([.gateway(GatewayEvent(.callTimedOut, report))] + doubt(call, report))
        case .answered(let answer):
            report.response = answer.response
            report.references = answer.references
            report.verdict = answer.verdict.name
            var isTrusted = isFound
            if isAboutAnother {
                report.verdict = .ambiguous
                isTrusted = false
            } else if call.operation == .find, answer.verdict == .notPosted {
                // Asked too early, or one of several gateways: that it has nothing says nothing yet.
                isTrusted = subject.unpostedFrom.map { sentAt >= $0 } ?? false
                if !isTrusted { report.verdict = subject.unpostedFrom == nil ? .unknown : .pending }
            }
            return AnswerRecording([.gateway(GatewayEvent(.callAnswered, report))], isTrusted: isTrusted)
        }
    }

    /// What is not known after a call that was sent and not answered.
    private static func doubt(_ call: GatewayCall, _ report: GatewayReport) -> [TransactionEvent] {
        let unknown = TransactionEvent.outcomeUnknown(
            Verdict(evidence: .gateway, response: Response(code: report.failure), at: report.at)
        )
        switch call.operation {
        case .sale, .authorization: return [unknown]
        case .refund where call.original.gatewayTransaction == nil && call.original.reference == nil: return [unknown]
        case .capture, .tipAdjustment, .void, .refund, .reversal:
            return [.anomalyRaised(.followUpInDoubt(call.operation.rawValue))]
        default: return []
        }
    }

    private static func key(_ step: String, _ reference: String, _ tenant: String) -> IdempotencyKey {
        let digest = Array(SHA256.hash(data: Array("gateway-\(step):\(tenant):\(reference)".utf8)))
        return IdempotencyKey(key: digest, request: digest)
    }
}
