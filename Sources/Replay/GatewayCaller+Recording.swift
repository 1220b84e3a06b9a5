import Canonical
import EventLog
import Gateways
import Intake
import Payments
import Postgres
import Vendors

// How the outcome of a call is recorded.
extension GatewayCaller {
    func record(
        _ outcome: GatewayOutcome,
        of call: GatewayCall,
        at gateway: GatewayAccount,
        _ report: GatewayReport,
        _ subject: Subject,
        _ finding: Finding,
        sentAt: Timestamp,
        sender: Sender
    ) async throws {
        var report = report
        var document: PlacedDocument?
        if case .answered(let answer) = outcome, let reported = answer.document {
            do throws(Refusal) {
                document = try PlacedDocument(
                    reported.scrubbed,
                    of: reported.vendor,
                    kind: reported.kind,
                    context: reported.context
                )
            } catch {
                // The gateway already limits answers to this; otherwise the answer is malformed.
                report.failure = GatewayFailure.Code.malformed.rawValue
            }
        }
        let (reported, placed) = (report, document)
        try await persisting {
            let provesUnposted = try await provesUnposted(outcome, of: call, subject, sentAt: sentAt, sender)
            _ = try await recorder.record(
                placed,
                on: subject.stream,
                key: Self.key("answered", call.reference, subject.version, sender.tenant),
                occurredAt: reported.at ?? sentAt,
                sender: sender
            ) { isAboutAnother in
                Self.recording(
                    of: outcome,
                    call,
                    at: gateway,
                    reported,
                    subject,
                    finding,
                    sentAt: sentAt,
                    provesUnposted: provesUnposted,
                    isAboutAnother: isAboutAnother
                )
            }
        }
    }

    /// Whether the answer "not posted" to a query is evidence: the query was recorded late enough, by the clock of the
    /// log. This server's own clock may differ from the clock of the server that made the payment. The time of a record
    /// may be some seconds ahead; then the time of the sending counts.
    private func provesUnposted(
        _ outcome: GatewayOutcome,
        of call: GatewayCall,
        _ subject: Subject,
        sentAt: Timestamp,
        _ sender: Sender
    ) async throws -> Bool {
        guard call.operation == .find, case .answered(let answer) = outcome, answer.verdict == .notPosted,
            let from = subject.unpostedFrom
        else { return false }
        // The ends of abandoned calls precede the query in its append.
        let version = subject.version + Int64(subject.abandoned.count) + 1
        let recordedAt = try await recorder.recordedAt(version, of: subject.stream, tenant: sender.tenant)
        return recordedAt.map { min($0, sentAt) >= from } ?? false
    }

    /// Retries the recording while the error may be temporary, because the gateway's answer may be known nowhere
    /// else. Its key ensures that it is recorded once. After some minutes the call remains open and is queried later.
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

    /// A few minutes, including the pauses.
    private static let mostTries = 60

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as AppendError:
            switch error.code {
            case .queueFull, .outcomeUnknown, .logUnproven, .clockAhead, .notDurable: true
            default: false
            }
        case let error as PostgresError: error.code != .poolShutdown
        default: false
        }
    }

    private static func recording(
        of outcome: GatewayOutcome,
        _ call: GatewayCall,
        at gateway: GatewayAccount,
        _ reported: GatewayReport,
        _ subject: Subject,
        _ finding: Finding,
        sentAt: Timestamp,
        provesUnposted: Bool,
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
            var isTrusted = finding == .payment
            if isAboutAnother || finding == .another {
                report.response.message = nil
                report.references = References()
                report.verdict = .ambiguous
                return AnswerRecording([.gateway(GatewayEvent(.callAnswered, report))], isAboutAnother: true)
            } else if call.operation == .find, answer.verdict == .notPosted {
                // The query was too early, or the payment may be at another gateway, so "not posted" is no evidence
                // yet.
                isTrusted = provesUnposted
                if !isTrusted { report.verdict = subject.unpostedFrom == nil ? .unknown : .pending }
            }
            let answered = TransactionEvent.gateway(GatewayEvent(.callAnswered, report))
            if let lost = subject.lost, isTrusted, answer.found != nil, report.verdict != .refused {
                return AnswerRecording(
                    Self.sent(lost, gateway, answeredAt: sentAt) + [answered],
                    isTrusted: lost.isPayment
                )
            }
            return AnswerRecording([answered], isTrusted: isTrusted)
        }
    }

    /// The events about a call whose record was lost: it was sent, and its answer is unknown.
    private static func sent(_ lost: LostCall, _ gateway: GatewayAccount, answeredAt time: Timestamp)
        -> [TransactionEvent]
    {
        let call = lost.call
        var report = GatewayReport(
            reference: call.reference,
            gateway: gateway.name,
            account: gateway.account,
            vendor: gateway.vendor,
            operation: call.operation,
            amount: call.amount,
            tip: call.tip,
            references: References(gatewayTransaction: call.original.gatewayTransaction, invoice: call.invoice),
            at: time,
            overBy: time
        )
        let sent = TransactionEvent.gateway(GatewayEvent(.callSent, report))
        report.failure = abandoned
        report.account = nil
        report.overBy = nil
        report.references = References()
        return [sent, .gateway(GatewayEvent(.callTimedOut, report))] + doubt(call, report)
    }

    /// The doubts after a call that was sent and not answered.
    private static func doubt(_ call: GatewayCall, _ report: GatewayReport) -> [TransactionEvent] {
        let unknown = TransactionEvent.outcomeUnknown(
            Verdict(
                evidence: .gateway,
                response: Response(code: report.failure),
                at: report.at.map { .instant($0) }
            )
        )
        switch call.operation {
        case .sale, .authorization: return [unknown]
        case .followUp(.refund)
        where call.original.gatewayTransaction == nil && call.original.reference == nil:
            return [unknown]
        case .followUp(let followUp): return [.anomalyRaised(.followUpInDoubt(followUp))]
        default: return []
        }
    }
}
