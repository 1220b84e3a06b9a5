package import Canonical
package import EventLog
package import Intake
package import Matching
import Payments
package import Redaction

/// The commands with which operators close and reopen business days of merchants.
package struct PeriodCommands: Sendable {
    /// The result of a command.
    package struct Outcome: Sendable, Hashable {
        package var period: UUID128
        /// The position of the event.
        package var position: Int64
        /// True when the same command was recorded before under the same key.
        package var isDuplicate: Bool
    }

    /// The reason why nothing was recorded.
    package enum Refusal: String, Error, Hashable, Sendable {
        case alreadyClosed = "already-closed"
        case notClosed = "not-closed"
        /// The day has not ended in the merchant's zone.
        case notOver = "day-not-over"
        /// The merchant has no description, and nothing in the ledger names it.
        case unknownMerchant = "unknown-merchant"
    }

    private let recorder: CommandRecorder

    package init(sequencer: Sequencer, reader: EventReader, ids: any UUIDGenerator, clock: any WallClock) {
        recorder = CommandRecorder("period", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
    }

    /// Records the state of a day at its closing.
    ///
    /// - Parameters:
    ///   - closing: The recorded state.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem` when the log rejects the event.
    package func close(_ closing: PeriodClosing, idempotencyKey: String?, sender: Sender) async throws -> Outcome {
        let request = ["close", closing.merchant, closing.day, closing.reason, sender.actor]
        return try await record(.closed(closing), closing.merchant, closing.day, request, idempotencyKey, sender) {
            last in
            guard last != PeriodEvent.Name.closed.rawValue else { throw Refusal.alreadyClosed }
        }
    }

    /// Reopens a closed day.
    ///
    /// - Throws: `Refusal`; `IntakeProblem` when the log rejects the event.
    package func reopen(
        merchant: String,
        day: String,
        reason: Reason,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        let reported = PeriodReopening(reason: reason)
        let request = ["reopen", merchant, day, reported.reason, sender.actor]
        return try await record(.reopened(reported), merchant, day, request, idempotencyKey, sender) { last in
            guard last == PeriodEvent.Name.closed.rawValue else { throw Refusal.notClosed }
        }
    }

    private func record(
        _ event: PeriodEvent,
        _ merchant: String,
        _ day: String,
        _ request: [String],
        _ idempotencyKey: String?,
        _ sender: Sender,
        check: (_ last: String?) throws -> Void
    ) async throws -> Outcome {
        let entry = try await recorder.record(
            on: StreamName.period(merchant, day, of: sender.tenant),
            request: request,
            key: idempotencyKey,
            sender: sender
        ) { newest in
            try check(newest?.type)
            return event
        }
        return Outcome(
            period: StreamName.periodID(merchant, day, of: sender.tenant),
            position: entry.position,
            isDuplicate: entry.isDuplicate
        )
    }
}
