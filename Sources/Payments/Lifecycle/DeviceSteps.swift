import Canonical

/// The cardholder's signature and the cancellation of a payment, as the device reports them.
package struct DeviceSteps: Sendable, Hashable, Codable {
    package enum Signature: String, Sendable, Hashable, Codable, CaseIterable {
        case requested, accepted, declined
        case timedOut = "timed-out"

        /// True if the payment should not go on.
        var isRefusal: Bool { self == .declined || self == .timedOut }
    }

    /// True once the reader reported itself. Before, the payment's reader is the device to which the app sent a command.
    package var isReaderReported = false
    /// Nil until a signature is reported.
    package var signature: Signature?
    /// True once the reader asked for a PIN.
    package var isPINRequested = false
    /// True once the reader reported that the entry of the PIN ended.
    package var isPINEntered = false
    /// True once the device asked for the card: from then on it reports its progress.
    package var isProgressReported = false
    /// True once the request was reported as sent to the host.
    package var isSent = false
    /// The code of the first report that the request was sent, from before any outcome.
    package var sentAs: String?
    /// True while the request was sent again after an outcome without money, and not answered.
    package var isSentAgain = false
    /// The last report that the request was sent, of those with a time.
    var lastSent = LastSent()
    var attempts = AttemptReports()
    /// True while the payment's outcome is only that the device failed before anything was sent.
    package var restsOnProgress = false
    /// True once an outcome that a reader had stored was reported.
    package var hasStoredResult = false
    /// True once the app or the cardholder asked for the payment to be cancelled.
    package var isCancelRequested = false
    /// True if the device answered that it cannot cancel any more.
    package var isCancelRefused = false

    package var followUps = AskedFollowUps()

    package init() {}

    /// The detail with the device's answer to a request to cancel: `false` if it is too late.
    package static let cancelAnswer = "accepted"

    mutating func take(_ event: DeviceEvent) {
        switch event.name {
        // A request that arrives late changes nothing.
        case .signatureRequested: signature = signature ?? .requested
        case .signatureAccepted: signature = .accepted
        case .signatureDeclined: signature = .declined
        case .signatureTimedOut: signature = .timedOut
        case .cardRequested: isProgressReported = true
        case .pinRequested: isPINRequested = true
        case .pinEntered: isPINEntered = true
        case .authorizationSent: isSent = true
        case .cancelRequested:
            isCancelRequested = true
            let answers = event.report.details ?? []
            if answers.contains(where: { $0.name == Self.cancelAnswer && $0.value == "false" }) {
                isCancelRefused = true
            }
        default: break
        }
    }
}

/// The latest times of the reports that the request was sent to the host.
struct LastSent: Sendable, Hashable, Codable {
    /// By the reports themselves.
    var at = ReportedTimes()
    /// By the clocks of the senders.
    var event: Timestamp?

    mutating func take(_ time: ReportedTime, _ sent: Timestamp?) {
        at.takeLater(time)
        if let sent { event = max(event ?? sent, sent) }
    }

    /// True if it is later than an outcome: by times of one kind, or else by the clocks of the senders. A terminal that
    /// prints its local time may have a wrong clock, by days. An outcome may have the time at which its attempt began
    /// (document 004, line 161), so the clocks of the senders must not show the contrary.
    ///
    /// - Parameter sender: The time of the outcome by the clock of its sender.
    func isLater(than outcome: ReportedTimes, _ sender: Timestamp?) -> Bool {
        if let event, let sender, event <= sender { return false }
        if let sent = at.instant, let decided = outcome.instant { return decided < sent }
        if let sent = at.local, let decided = outcome.local { return decided < sent }
        guard let event, let sender else { return false }
        return sender < event
    }
}

/// The outcome of the request to cancel a payment.
package enum Cancellation: String, Sendable, Hashable, Codable, CaseIterable {
    case requested, honoured
    /// The payment was completed, or the device refused to cancel it.
    case tooLate = "too-late"
}

extension TransactionState {
    /// The facts of an answer that does not name what it answers: those of what was asked for last, if there are any for
    /// it.
    package func answer(
        _ facts: [TransactionEvent],
        ifAsked: [AskedOperation: [TransactionEvent]]
    ) -> [TransactionEvent] {
        if isOriginalKnown, let asked = steps.followUps.open.last { return ifAsked[.followUp(asked)] ?? facts }
        return operation.flatMap { ifAsked[.payment($0)] } ?? facts
    }

    /// The device that a command names may have another name than the reader behind it.
    mutating func note(reader event: DeviceEvent) {
        guard let reader = event.report.reader, event.name != .commandSent || !steps.isReaderReported else { return }
        identity.cardReader = reader
        if event.name != .commandSent { steps.isReaderReported = true }
    }

    mutating func note(_ event: DeviceEvent) {
        if event.name == .authorizationSent { noteSent(event) }
        steps.take(event)
        // The failure was recorded before the report that the request had been sent.
        guard event.name == .authorizationSent, steps.restsOnProgress, verdicts.current?.evidence == .reader else {
            return
        }
        let reported = verdicts.reader?.outcome
        verdicts.reader?.said = reported
        verdicts.reader?.outcome = .unknown
        steps.attempts.take(
            AttemptReports.Report(kind: .unknown, at: verdicts.reader?.at, event: verdicts.decidedAtEvent)
        )
        verdicts.current = CurrentOutcome(outcome: .unknown, evidence: .reader)
        steps.restsOnProgress = false
    }

    /// A verdict under its condition. A device that failed before it reported the request as sent has failed.
    mutating func end(_ verdict: Outcome, _ reported: Verdict) {
        switch reported.condition {
        case .unlessSent? where verdict != .unknown:
            guard outcome == nil, steps.isSent else {
                if outcome == nil { steps.restsOnProgress = true }
                return rule(verdict, reported)
            }
            var doubt = reported
            doubt.said = verdict
            rule(.unknown, doubt)
        case .unlessSent?:
            guard let said = reported.said, outcome == nil, steps.isProgressReported, !steps.isSent else {
                return rule(verdict, reported)
            }
            steps.restsOnProgress = true
            rule(said, reported)
        case .unlessBegun? where counts(reported):
            steps.restsOnProgress = true
            rule(verdict, reported)
        case .whileOpen? where counts(reported): rule(verdict, reported)
        case nil:
            if verdict != .unknown { steps.restsOnProgress = false }
            rule(verdict, reported)
        case .whileOpen?, .unlessBegun?: learn(reported.references, reported.card, reported.at)
        }
    }

    /// Whether a verdict counts under its condition, before it is folded.
    func counts(_ reported: Verdict) -> Bool {
        switch reported.condition {
        case .whileOpen?: outcome == nil
        case .unlessBegun?: outcome == nil && !steps.isProgressReported && !steps.isSent
        case .unlessSent?, nil: true
        }
    }

    /// Nil if no request to cancel was reported.
    package var cancellation: Cancellation? {
        guard steps.isCancelRequested else { return nil }
        switch outcome {
        case .cancelled?, .notPosted?, .reversed?: return .honoured
        case let outcome? where outcome.movesMoney: return .tooLate
        default: return steps.isCancelRefused ? .tooLate : .requested
        }
    }
}
