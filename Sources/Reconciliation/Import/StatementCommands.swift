package import Canonical
package import EventLog
package import Intake
import Payments
package import Redaction
import Statements

/// The commands with which operators withdraw a statement that was misread or imported by mistake.
package struct StatementCommands: Sendable {
    package typealias Outcome = CommandRecorder.Entry

    /// The reason why nothing was recorded.
    package enum Refusal: String, Error, Hashable, Sendable {
        case noSuchStatement = "not-found"
        case alreadyWithdrawn = "already-withdrawn"
    }

    /// Every line of the statement is recorded.
    private struct Complete: Error {}

    /// The result of a request to withdraw a statement.
    package enum Requested: Sendable, Hashable {
        /// An import that was interrupted is withdrawn at once: no line of it counted.
        case withdrawn(Outcome)
        case proposed(Proposals.Outcome)
    }

    private let recorder: CommandRecorder
    private let reader: EventReader
    private let proposals: Proposals

    package init(
        sequencer: Sequencer,
        reader: EventReader,
        proposals: Proposals,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.reader = reader
        self.proposals = proposals
        recorder = CommandRecorder("statement", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
    }

    /// Proposes to withdraw a statement. An import that was interrupted is withdrawn at once.
    ///
    /// The lines of a complete statement may have ended exceptions and doubts, and a run may end more of them while
    /// this is decided: another operator must approve it.
    ///
    /// - Parameters:
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem` when the log rejects the event, or the key was used for another request.
    package func withdraw(
        _ id: UUID128,
        reason: Reason,
        idempotencyKey: String? = nil,
        sender: Sender
    ) async throws -> Requested {
        let stream = StreamName.statement(id)
        var filter = EventFilter()
        filter.stream = stream
        filter.type = StatementEvent.Name.imported.rawValue
        guard try await reader.newest(of: sender.tenant, matching: filter, limit: 1).isEmpty else {
            return .proposed(try await propose(stream, reason, idempotencyKey, sender))
        }
        do {
            let entry = try await recorder.record(
                on: stream,
                request: ["withdraw", id.text, reason.text, sender.actor],
                key: idempotencyKey,
                sender: sender
            ) { newest in
                _ = try Self.version(newest)
                // The import may have been completed meanwhile.
                guard newest?.type != StatementEvent.Name.imported.rawValue else { throw Complete() }
                return StatementEvent.withdrawn(StatementWithdrawal(reason: reason.text))
            }
            return .withdrawn(entry)
        } catch is Complete {
            return .proposed(try await propose(stream, reason, idempotencyKey, sender))
        }
    }

    private func propose(
        _ stream: String,
        _ reason: Reason,
        _ idempotencyKey: String?,
        _ sender: Sender
    ) async throws -> Proposals.Outcome {
        try await proposals.propose(
            .withdrawStatement,
            of: stream,
            request: [:],
            reason: reason.text,
            idempotencyKey: idempotencyKey,
            sender: sender
        ) {
            var filter = EventFilter()
            filter.stream = stream
            return try Self.version(try await reader.newest(of: sender.tenant, matching: filter, limit: 1).last)
        }
    }

    /// Approves the withdrawal of a statement: its lines no longer count, and the same file can be imported again.
    ///
    /// - Throws: `Proposals.Refusal`; `Refusal`; `IntakeProblem`; the errors of reading the log.
    package func approve(
        _ proposal: UUID128,
        reason: Reason,
        idempotencyKey: String? = nil,
        sender: Sender
    ) async throws -> Outcome {
        try await proposals.approve(
            proposal,
            for: .withdrawStatement,
            reason: reason,
            idempotencyKey: idempotencyKey,
            sender: sender,
            through: recorder
        ) { approved in
            let withdrawal = StatementWithdrawal(reason: approved.proposed.reason, approval: approved.approval)
            return [StatementEvent.withdrawn(withdrawal)]
        } at: {
            try Self.version($0)
        }
    }

    /// The version of a statement's stream.
    ///
    /// - Throws: `Refusal` if there is no such statement, or it is withdrawn.
    private static func version(_ newest: RecordedEvent?) throws(Refusal) -> Int64 {
        guard let newest else { throw .noSuchStatement }
        guard newest.type != StatementEvent.Name.withdrawn.rawValue else { throw .alreadyWithdrawn }
        return newest.version
    }
}
