package import Canonical
package import EventLog
package import Intake
package import Payments
import ReplayRules
import Vendors

/// What a person says became of something that was in doubt.
package struct DoubtEnding: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// It took effect.
        case approved
        case declined
        /// It never reached whoever had to decide.
        case notPosted = "not-posted"
        /// It took effect, and was taken back since.
        case reversed
    }

    package var outcome: Outcome
    /// What was seen, and where.
    package var evidence: String
    package var reason: String
    /// What was approved, or of a follow-up what it was about, where it is another amount than was asked for.
    package var amount: Money?

    package init(_ outcome: Outcome, evidence: String, reason: String, amount: Money? = nil) {
        self.outcome = outcome
        self.evidence = evidence
        self.reason = reason
        self.amount = amount
    }
}

/// Where people end a doubt that nobody could be asked about, with what they have seen as the evidence. What contradicts it
/// later is recorded and flagged like any other contradiction.
package struct DoubtCommands: Sendable {
    /// Why nothing was recorded.
    package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        case noSuchPayment = "no-such-payment"
        case nothingInDoubt = "nothing-in-doubt"
        /// A gateway is being asked at this moment; its answer comes first.
        case callUnderWay = "call-under-way"
        /// Nobody has told how much it is about.
        case amountMissing = "amount-missing"
        /// The amount is in another currency than the payment, or not above zero.
        case amountImpossible = "amount-impossible"
        /// What is in doubt cannot end like this: of such a follow-up a document has to tell.
        case endImpossible = "end-impossible"
    }

    package struct Outcome: Sendable, Hashable {
        /// Of the last event.
        package var position: Int64
        /// True where the same was recorded before.
        package var isDuplicate: Bool
    }

    /// The longest evidence and the longest reason, in bytes.
    package static let longestText = 1_000

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

    /// Records what became of what is in doubt.
    ///
    /// - Parameters:
    ///   - ending: Evidence and reason of 1 to `longestText` bytes; card numbers are masked.
    ///   - version: The version the payment's stream must still have, where somebody says so.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem`; what reading the log throws.
    package func end(
        _ transaction: UUID128,
        _ ending: DoubtEnding,
        version: Int64? = nil,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        var reported = ending
        reported.evidence = TextScrubber().scrub(ending.evidence).text
        reported.reason = TextScrubber().scrub(ending.reason).text
        let ending = reported
        let stream = StreamName.transaction(transaction)
        let amount = ending.amount.map { "\($0.value) \($0.currency.alpha)" } ?? ""
        let entry = try await recorder.recordAll(
            on: stream,
            request: [
                "end-doubt", transaction.text, ending.outcome.rawValue, ending.evidence, ending.reason, amount,
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
        // Where nothing but taking it back is open, that is what the person speaks of.
        let followUp = status.doubt == nil ? "reversal" : status.cause?.followUp
        var resolution = Resolution(
            outcome: ending.outcome.resolution,
            means: .testimony,
            evidence: .gateway,
            answeredAt: now,
            testimony: Testimony(evidence: ending.evidence, reason: ending.reason, followUp: followUp)
        )
        guard let followUp else {
            if ending.outcome == .approved {
                guard let total = ending.amount ?? state.requested.flatMap({ state.money($0) }) else {
                    throw .amountMissing
                }
                let isPart = state.requested.map { total.value < $0 } ?? false
                resolution.outcome = isPart ? .partiallyApproved : .approved
                resolution.amounts = Amounts(total: total)
                if state.operation == nil { resolution.operation = .sale }
            }
            return [.outcomeResolved(resolution)]
        }
        var facts: [TransactionEvent] = []
        switch (ending.outcome, followUp) {
        case (.approved, Anomaly.withdrawnPayment):
            // The amount that counts is the line's; another one would be taken and not counted.
            let counted = [state.captured, state.authorized, state.credit?.amount ?? 0].first { $0 > 0 }
            if let reported = ending.amount, reported.value != counted { throw .amountImpossible }
        // What was counted on the word of a withdrawn line alone is taken out of the sums again.
        case (_, Anomaly.withdrawnPayment):
            facts.append(
                .reversed(Return(id: "testimony-\(state.version)", evidence: .gateway, response: Response(), at: now))
            )
        // It did not take effect, or never got there.
        case (.declined, _), (.notPosted, _):
            guard status.doubt != nil else { throw .endImpossible }
        case (.approved, "void"), (.approved, "reversal"), (.reversed, "void"), (.reversed, "reversal"):
            facts.append(
                .reversed(Return(id: "testimony-\(state.version)", evidence: .gateway, response: Response(), at: now))
            )
        case (.approved, "capture"), (.approved, "ticket"), (.approved, "refund"):
            guard let amount = ending.amount ?? status.sent?.amount else { throw .amountMissing }
            let id = status.sent?.reference ?? "testimony-\(state.version)"
            if followUp == "refund" {
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
