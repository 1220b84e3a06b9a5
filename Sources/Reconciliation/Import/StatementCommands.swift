package import Canonical
package import EventLog
package import Intake
import Payments
import Statements
import Vendors

/// Where people take back a statement that was read in the wrong way, or should not have been imported.
package struct StatementCommands: Sendable {
    /// What was recorded.
    package struct Outcome: Sendable, Hashable {
        /// Of the event.
        package var position: Int64
        /// True where the same was recorded before, under the same key.
        package var isDuplicate: Bool
    }

    /// Why nothing was recorded.
    package enum Refusal: String, Error, Hashable, Sendable {
        case noSuchStatement = "not-found"
        case alreadyWithdrawn = "already-withdrawn"
    }

    /// The longest reason, in bytes.
    package static let longestReason = 1000

    private let recorder: CommandRecorder

    package init(sequencer: Sequencer, reader: EventReader, ids: any UUIDGenerator, clock: any WallClock) {
        recorder = CommandRecorder("statement", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
    }

    /// Withdraws a statement: its lines do not count any more, and the same file can be imported again. One whose import was
    /// cut off can be withdrawn, too.
    ///
    /// - Parameters:
    ///   - reason: In the words of whoever does it, 1 to `longestReason` bytes; card numbers are masked.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem` where the log does not take it, or the key was used for something else.
    package func withdraw(
        _ id: UUID128,
        reason: String,
        idempotencyKey: String? = nil,
        sender: Sender
    ) async throws -> Outcome {
        let reported = StatementWithdrawal(reason: TextScrubber().scrub(reason).text)
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
