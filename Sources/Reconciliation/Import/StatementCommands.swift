package import Canonical
package import EventLog
package import Intake
import Payments
package import Redaction
import Statements

/// The commands with which operators withdraw a statement that was misread or imported by mistake.
package struct StatementCommands: Sendable {
    /// The result of a withdrawal.
    package struct Outcome: Sendable, Hashable {
        /// The position of the event.
        package var position: Int64
        /// True when the same withdrawal was recorded before under the same key.
        package var isDuplicate: Bool
    }

    /// The reason why nothing was recorded.
    package enum Refusal: String, Error, Hashable, Sendable {
        case noSuchStatement = "not-found"
        case alreadyWithdrawn = "already-withdrawn"
    }

    private let recorder: CommandRecorder

    package init(sequencer: Sequencer, reader: EventReader, ids: any UUIDGenerator, clock: any WallClock) {
        recorder = CommandRecorder("statement", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
    }

    /// Withdraws a statement: its lines no longer count, and the same file can be imported again. An interrupted
    /// import can be withdrawn too.
    ///
    /// - Parameters:
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem` when the log rejects the event, or the key was used for another request.
    package func withdraw(
        _ id: UUID128,
        reason: Reason,
        idempotencyKey: String? = nil,
        sender: Sender
    ) async throws -> Outcome {
        let reported = StatementWithdrawal(reason: reason.text)
        let entry = try await recorder.record(
            on: StreamName.statement(id),
            request: ["withdraw", id.text, reported.reason, sender.actor],
            key: idempotencyKey,
            sender: sender
        ) { newest in
            guard let newest else { throw Refusal.noSuchStatement }
            guard newest.type != StatementEvent.Name.withdrawn.rawValue else { throw Refusal.alreadyWithdrawn }
            return StatementEvent.withdrawn(reported)
        }
        return Outcome(position: entry.position, isDuplicate: entry.isDuplicate)
    }
}
