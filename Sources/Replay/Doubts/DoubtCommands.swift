package import Canonical
package import EventLog
package import Intake
import Payments
package import Redaction
import ReplayRules

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

    package typealias Outcome = CommandRecorder.Entry

    /// The longest evidence, in bytes.
    package static let longestEvidence = 1_000

    private let recorder: CommandRecorder
    private let proposals: Proposals
    private let reader: EventReader
    private let books: RuleBooks
    private let clock: any WallClock

    package init(
        sequencer: Sequencer,
        reader: EventReader,
        proposals: Proposals,
        books: RuleBooks = RuleBooks(),
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        recorder = CommandRecorder("doubt", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        self.proposals = proposals
        self.reader = reader
        self.books = books
        self.clock = clock
    }

    /// Proposes the outcome of something in doubt. Another operator approves it.
    ///
    /// - Parameters:
    ///   - ending: The outcome, with evidence of 1 to `longestEvidence` bytes; card numbers in it are masked.
    ///   - version: The expected version of the payment's stream; nil to accept any.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem`; the errors of reading the log.
    package func propose(
        _ transaction: UUID128,
        _ ending: DoubtEnding,
        version: Int64? = nil,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Proposals.Outcome {
        var ending = ending
        ending.evidence = TextScrubber().scrub(ending.evidence).text
        let stream = StreamName.transaction(transaction)
        let request = try JSONValueEncoder().encode(ProposedEnding(ending))
        return try await proposals.propose(
            .endDoubt,
            of: stream,
            request: request,
            reason: ending.reason.text,
            idempotencyKey: idempotencyKey,
            sender: sender
        ) {
            let history = try await reader.stream(stream, of: sender.tenant)
            guard let newest = history.last else { throw Refusal.noSuchPayment }
            if let version, version != newest.version { throw IntakeProblem.versionConflict(actual: newest.version) }
            _ = try decide(ending, history)
            return newest.version
        }
    }

    /// Approves a proposal: records the outcome, if the payment is as it was when it was proposed.
    ///
    /// - Throws: `Proposals.Refusal`; `Refusal`; `IntakeProblem`; the errors of reading the log.
    package func approve(
        _ proposal: UUID128,
        reason: Reason,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        try await proposals.approve(
            proposal,
            for: .endDoubt,
            reason: reason,
            idempotencyKey: idempotencyKey,
            sender: sender,
            through: recorder
        ) { approved in
            let asked = try JSONValueDecoder().decode(ProposedEnding.self, from: approved.proposed.request)
            guard let own = Reason(approved.proposed.reason) else { throw IntakeProblem.noReason }
            let history = try await reader.stream(approved.proposed.subject, of: sender.tenant)
            return try decide(asked.ending(reason: own), history, approval: approved.approval)
        }
    }

    private func decide(
        _ ending: DoubtEnding,
        _ history: [RecordedEvent],
        approval: ChangeApproval? = nil
    ) throws -> [TransactionEvent] {
        let now = clock.now()
        let status = try DoubtStatus(history, now: now, book: try books.book(at: now))
        guard status.isOpen else { throw Refusal.nothingInDoubt }
        guard status.underWayUntil == nil else { throw Refusal.callUnderWay }
        if let amount = ending.amount {
            guard amount.value > 0, status.state.currency.map({ $0 == amount.currency }) ?? true else {
                throw Refusal.amountImpossible
            }
        }
        let facts = try facts(ending, status, now, approval)
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
        _ now: Timestamp,
        _ approval: ChangeApproval?
    ) throws(Refusal) -> [TransactionEvent] {
        let state = status.state
        // When only a reversal is open, the testimony is about the reversal.
        let followUp = status.doubt == nil ? FollowUpInDoubt(.reversal) : status.cause?.followUp
        var resolution = Resolution(
            outcome: ending.outcome.resolution,
            means: .testimony,
            evidence: .gateway,
            answeredAt: now,
            testimony: Testimony(
                evidence: ending.evidence,
                reason: ending.reason.text,
                followUp: followUp,
                approval: approval
            )
        )
        guard let followUp else {
            if ending.outcome == .approved {
                // Without a requested amount nothing bounds the reported one.
                guard let requested = state.authorization.requested.flatMap({ state.money($0) }) else {
                    throw .amountMissing
                }
                let total = ending.amount ?? requested
                guard total.value <= max(requested.value, state.authorized) else { throw .amountImpossible }
                let isPart = total.value < requested.value
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
                .reversed(
                    Return(
                        id: "testimony-\(state.version)",
                        evidence: .gateway,
                        response: Response(),
                        at: .instant(now)
                    )
                )
            )
        // It took no effect or was never received.
        case (.declined, _), (.notPosted, _):
            guard status.doubt != nil else { throw .endImpossible }
        case (.approved, .followUp(.void)), (.approved, .followUp(.reversal)), (.reversed, .followUp(.void)),
            (.reversed, .followUp(.reversal)):
            facts.append(
                .reversed(
                    Return(
                        id: "testimony-\(state.version)",
                        evidence: .gateway,
                        response: Response(),
                        at: .instant(now)
                    )
                )
            )
        case (.approved, .followUp(.capture)), (.approved, .followUp(.refund)):
            guard let most = Self.most(followUp.subject, status) else { throw .amountMissing }
            guard let amount = ending.amount ?? status.sent?.amount else { throw .amountMissing }
            guard amount.value <= most else { throw .amountImpossible }
            let id = status.sent?.reference ?? "testimony-\(state.version)"
            if followUp.subject == .followUp(.refund) {
                facts.append(.refunded(Return(id: id, amount: amount, evidence: .gateway, at: .instant(now))))
            } else {
                let amounts = Amounts(total: amount)
                facts.append(.captured(Capture(id: id, amounts: amounts, evidence: .gateway, at: .instant(now))))
            }
        case (.approved, _), (.reversed, _): throw .endImpossible
        }
        return [.outcomeResolved(resolution)] + facts
    }

    /// The most money that a capture or refund can have moved, in minor units: what was asked for, or else what is
    /// left to capture or to refund.
    private static func most(_ subject: FollowUpInDoubt.Subject, _ status: DoubtStatus) -> Int64? {
        if let asked = status.sent?.amount { return asked.value }
        let state = status.state
        return subject == .followUp(.refund)
            ? state.captured - state.refunded
            : max(0, state.countedCaptures.reduce(state.authorized) { $1.isInferred ? $0 : $0 - $1.net })
    }
}
