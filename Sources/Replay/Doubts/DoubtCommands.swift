package import Canonical
package import EventLog
package import Intake
package import Payments
package import Redaction
import ReplayRules

/// An operator's statement of the outcome of something in doubt.
package struct DoubtEnding: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// It took effect.
        case approved
        case declined
        /// It never reached the host or gateway.
        case notPosted = "not-posted"
        /// It took effect and was reversed since.
        case reversed
    }

    package var outcome: Outcome
    /// The evidence and its source.
    package var evidence: String
    package var reason: Reason
    /// The approved amount, or the amount of the follow-up, if it differs from the requested one.
    package var amount: Money?

    package init(_ outcome: Outcome, evidence: String, reason: Reason, amount: Money? = nil) {
        self.outcome = outcome
        self.evidence = evidence
        self.reason = reason
        self.amount = amount
    }
}

/// The commands with which operators resolve a doubt that no gateway can resolve, with their own observation as the
/// evidence. A later contradiction is recorded and flagged like any other.
package struct DoubtCommands: Sendable {
    /// The reason why nothing was recorded.
    package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        case noSuchPayment = "no-such-payment"
        case nothingInDoubt = "nothing-in-doubt"
        /// A query to a gateway is in progress; its answer comes first.
        case callUnderWay = "call-under-way"
        /// The amount is unknown.
        case amountMissing = "amount-missing"
        /// The amount is not positive, or not in the payment's currency.
        case amountImpossible = "amount-impossible"
        /// This doubt cannot be resolved with this outcome; such a follow-up needs a document.
        case endImpossible = "end-impossible"
    }

    package struct Outcome: Sendable, Hashable {
        /// The position of the last event.
        package var position: Int64
        /// True when the same was recorded before.
        package var isDuplicate: Bool
    }

    /// The longest evidence, in bytes.
    package static let longestEvidence = 1_000

    private let recorder: CommandRecorder
    private let reader: EventReader
    private let books: RuleBooks
    private let clock: any WallClock

    package init(
        sequencer: Sequencer,
        reader: EventReader,
        books: RuleBooks = RuleBooks(),
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        recorder = CommandRecorder("doubt", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        self.reader = reader
        self.books = books
        self.clock = clock
    }

    /// Records the outcome of something in doubt.
    ///
    /// - Parameters:
    ///   - ending: The outcome, with evidence of 1 to `longestEvidence` bytes; card numbers in it are masked.
    ///   - version: The expected version of the payment's stream; nil to accept any.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem`; the errors of reading the log.
    package func end(
        _ transaction: UUID128,
        _ ending: DoubtEnding,
        version: Int64? = nil,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        var reported = ending
        reported.evidence = TextScrubber().scrub(ending.evidence).text
        let ending = reported
        let stream = StreamName.transaction(transaction)
        let amount = ending.amount.map { "\($0.value) \($0.currency.alpha)" } ?? ""
        let entry = try await recorder.recordAll(
            on: stream,
            request: [
                "end-doubt", transaction.text, ending.outcome.rawValue, ending.evidence, ending.reason.text, amount,
                version.map(String.init) ?? "", sender.actor,
            ],
            key: idempotencyKey,
            sender: sender
        ) { newest in
            guard newest != nil else { throw Refusal.noSuchPayment }
            let history = try await reader.stream(stream, of: sender.tenant)
            if let version, version != history.last?.version {
                throw IntakeProblem.versionConflict(actual: history.last?.version ?? 0)
            }
            return try decide(ending, history)
        }
        return Outcome(position: entry.position, isDuplicate: entry.isDuplicate)
    }

    private func decide(_ ending: DoubtEnding, _ history: [RecordedEvent]) throws -> [TransactionEvent] {
        let now = clock.now()
        let status = try DoubtStatus(history, now: now, book: try books.book(at: now))
        guard status.isOpen else { throw Refusal.nothingInDoubt }
        guard status.underWayUntil == nil else { throw Refusal.callUnderWay }
        if let amount = ending.amount {
            guard amount.value > 0, status.state.currency.map({ $0 == amount.currency }) ?? true else {
                throw Refusal.amountImpossible
            }
        }
        let facts = try facts(ending, status, now)
        let events = Lifecycle.decide(
            facts,
            after: try history.map(TransactionEvent.init),
            policy: LifecyclePolicy()
        )
        guard !events.isEmpty else { throw Refusal.nothingInDoubt }
        return events
    }

    private func facts(
        _ ending: DoubtEnding,
        _ status: DoubtStatus,
        _ now: Timestamp
    ) throws(Refusal) -> [TransactionEvent] {
        let state = status.state
        // When only a reversal is open, the testimony is about the reversal.
        let followUp = status.doubt == nil ? FollowUpInDoubt(.reversal) : status.cause?.followUp
        var resolution = Resolution(
            outcome: ending.outcome.resolution,
            means: .testimony,
            evidence: .gateway,
            answeredAt: now,
            testimony: Testimony(evidence: ending.evidence, reason: ending.reason.text, followUp: followUp)
        )
        guard let followUp else {
            if ending.outcome == .approved {
                guard let total = ending.amount ?? state.authorization.requested.flatMap({ state.money($0) }) else {
                    throw .amountMissing
                }
                let isPart = state.authorization.requested.map { total.value < $0 } ?? false
                resolution.outcome = isPart ? .partiallyApproved : .approved
                resolution.amounts = Amounts(total: total)
                if state.operation == nil { resolution.operation = .sale }
            }
            return [.outcomeResolved(resolution)]
        }
        var facts: [TransactionEvent] = []
        switch (ending.outcome, followUp.subject) {
        case (.approved, .withdrawnPayment):
            // The line's amount is the one that counts. Another amount would be accepted and not counted.
            let counted = [state.captured, state.authorized, state.credit?.amount ?? 0].first { $0 > 0 }
            if let reported = ending.amount, reported.value != counted { throw .amountImpossible }
        // Money that was counted on the evidence of a withdrawn line alone is removed from the sums.
        case (_, .withdrawnPayment):
            facts.append(
                .reversed(Return(id: "testimony-\(state.version)", evidence: .gateway, response: Response(), at: now))
            )
        // It took no effect or was never received.
        case (.declined, _), (.notPosted, _):
            guard status.doubt != nil else { throw .endImpossible }
        case (.approved, .followUp(.void)), (.approved, .followUp(.reversal)), (.reversed, .followUp(.void)),
            (.reversed, .followUp(.reversal)):
            facts.append(
                .reversed(Return(id: "testimony-\(state.version)", evidence: .gateway, response: Response(), at: now))
            )
        case (.approved, .followUp(.capture)), (.approved, .followUp(.refund)):
            guard let amount = ending.amount ?? status.sent?.amount else { throw .amountMissing }
            let id = status.sent?.reference ?? "testimony-\(state.version)"
            if followUp.subject == .followUp(.refund) {
                facts.append(.refunded(Return(id: id, amount: amount, evidence: .gateway, at: now)))
            } else {
                let amounts = Amounts(total: amount)
                facts.append(.captured(Capture(id: id, amounts: amounts, evidence: .gateway, at: now)))
            }
        case (.approved, _), (.reversed, _): throw .endImpossible
        }
        return [.outcomeResolved(resolution)] + facts
    }
}

extension DoubtEnding.Outcome {
    fileprivate var resolution: Resolution.Outcome {
        switch self {
        case .approved: .approved
        case .declined: .declined
        case .notPosted: .notPosted
        case .reversed: .reversed
        }
    }
}
