package import Canonical
package import EventLog
package import Intake
package import Payments
package import Redaction

/// What an operator reports of a dispute.
package enum DisputeFact: Sendable, Hashable {
    /// The scheme's reason code, and the last day on which the merchant can answer: at least one of them.
    case described(reasonCode: String?, respondBy: CivilDate?)
    /// What was sent to the processor.
    case represented(documents: String)
}

/// The commands with which operators follow the dispute of a chargeback. The end of a dispute moves money in the books:
/// one operator proposes it, another one approves it.
///
/// A fact that contradicts what is known is recorded and flagged.
package struct DisputeCommands: Sendable {
    /// The reason why nothing was recorded.
    package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        case noSuchDispute = "not-found"
        /// Nothing of it is new.
        case alreadyRecorded = "already-recorded"
    }

    package typealias Outcome = CommandRecorder.Entry

    /// What a proposal stores: the outcome, and the id of the chargeback within the payment.
    private struct Proposed: Codable {
        var chargeback: String
        var outcome: DisputeCase.Outcome
    }

    /// The longest text about what was sent, in bytes.
    package static let longestDocuments = 1_000

    private let recorder: CommandRecorder
    private let proposals: Proposals
    private let reader: EventReader
    private let query: DisputeQuery
    private let clock: any WallClock

    package init(
        sequencer: Sequencer,
        reader: EventReader,
        proposals: Proposals,
        query: DisputeQuery,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        recorder = CommandRecorder("dispute", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        self.proposals = proposals
        self.reader = reader
        self.query = query
        self.clock = clock
    }

    /// Records what an operator reports of a dispute.
    ///
    /// - Parameters:
    ///   - fact: Card numbers in its texts are masked.
    ///   - version: The expected version of the payment's stream; nil to accept any.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem`; the errors of reading the log.
    package func record(
        _ fact: DisputeFact,
        of dispute: UUID128,
        reason: Reason,
        version: Int64? = nil,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        let found = try await find(dispute, of: sender.tenant)
        var report = DisputeReport(chargeback: found.chargeback, reason: reason.text, at: clock.now())
        let name: DisputeEventName
        switch fact {
        case .described(let code, let day):
            name = .described
            report.reasonCode = code.map { TextScrubber().scrub($0).text }
            report.respondBy = day?.description
        case .represented(let documents):
            name = .represented
            report.documents = TextScrubber().scrub(documents).text
        }
        let event = DisputeEvent(name, report)
        return try await recorder.recordAll(
            on: found.stream,
            request: [
                name.rawValue, dispute.text, report.reasonCode ?? "", report.respondBy ?? "", report.documents ?? "",
                reason.text, sender.actor,
            ],
            key: idempotencyKey,
            sender: sender
        ) { newest in
            if let version, version != newest?.version {
                throw IntakeProblem.versionConflict(actual: newest?.version ?? 0)
            }
            return try decide(event, try await reader.stream(found.stream, of: sender.tenant))
        }
    }

    /// Proposes the outcome of a dispute. Another operator approves it.
    ///
    /// - Parameters:
    ///   - version: The expected version of the payment's stream; nil to accept any.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem`; the errors of reading the log.
    package func close(
        _ dispute: UUID128,
        as outcome: DisputeCase.Outcome,
        reason: Reason,
        version: Int64? = nil,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Proposals.Outcome {
        let (stream, chargeback) = try await find(dispute, of: sender.tenant)
        let proposed = Proposed(chargeback: chargeback, outcome: outcome)
        return try await proposals.propose(
            .closeDispute,
            of: stream,
            request: try JSONValueEncoder().encode(proposed),
            reason: reason.text,
            idempotencyKey: idempotencyKey,
            sender: sender
        ) {
            let history = try await reader.stream(stream, of: sender.tenant)
            guard let newest = history.last else { throw Refusal.noSuchDispute }
            if let version, version != newest.version { throw IntakeProblem.versionConflict(actual: newest.version) }
            _ = try decide(closing(as: proposed, reason: reason.text), history)
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
            for: .closeDispute,
            reason: reason,
            idempotencyKey: idempotencyKey,
            sender: sender,
            through: recorder
        ) { approved in
            let asked = try JSONValueDecoder().decode(Proposed.self, from: approved.proposed.request)
            let event = closing(as: asked, reason: approved.proposed.reason, approval: approved.approval)
            return try decide(event, try await reader.stream(approved.proposed.subject, of: sender.tenant))
        }
    }

    private func closing(as proposed: Proposed, reason: String, approval: ChangeApproval? = nil) -> DisputeEvent {
        DisputeEvent(
            proposed.outcome == .won ? .won : .lost,
            DisputeReport(
                chargeback: proposed.chargeback,
                reason: reason,
                at: clock.now(),
                approval: approval
            )
        )
    }

    /// The stream of a dispute's payment, and the id of its chargeback within the payment. The read model may have
    /// another text for that id.
    private func find(_ dispute: UUID128, of tenant: String) async throws -> (stream: String, chargeback: String) {
        guard let found = try await query.dispute(dispute, of: tenant) else { throw Refusal.noSuchDispute }
        let stream = StreamName.transaction(found.transaction)
        let history = try await reader.stream(stream, of: tenant)
        let state = try TransactionState(folding: history.map(TransactionEvent.init))
        let entry = state.chargebacks.first { StreamName.disputeID(of: $0.id, in: found.transaction) == dispute }
        guard let entry else { throw Refusal.noSuchDispute }
        return (stream, entry.id)
    }

    private func decide(_ event: DisputeEvent, _ history: [RecordedEvent]) throws -> [TransactionEvent] {
        let events = Lifecycle.decide(
            [.dispute(event)],
            after: try history.map(TransactionEvent.init),
            policy: LifecyclePolicy()
        )
        guard !events.isEmpty else { throw Refusal.alreadyRecorded }
        return events
    }
}
