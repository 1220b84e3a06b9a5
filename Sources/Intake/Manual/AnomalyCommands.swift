package import Canonical
package import EventLog
import Payments
package import Redaction

/// Commands to acknowledge an anomaly. An acknowledgement is recorded once and is final.
package struct AnomalyCommands: Sendable {
    /// The outcome of an acknowledgement.
    package enum Outcome: Sendable, Hashable {
        /// The event that records it; true if it had been recorded before.
        case recorded(RecordedEvent, isDuplicate: Bool)
        /// It was acknowledged before, by another user or for another reason.
        case alreadyAcknowledged
    }

    private let recorder: CommandRecorder

    package init(sequencer: Sequencer, reader: EventReader, ids: any UUIDGenerator, clock: any WallClock) {
        recorder = CommandRecorder("key", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
    }

    /// Records the acknowledgement of an anomaly.
    ///
    /// - Parameters:
    ///   - anomaly: The id of the event that raised it.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `IntakeProblem`; the errors of reading the log.
    package func acknowledge(
        _ anomaly: UUID128,
        reason: Reason,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        let reported = AnomalyAcknowledgement(anomaly: anomaly.text, reason: reason.text)
        do {
            let entry = try await recorder.record(
                TenantEvent.anomalyAcknowledged(reported),
                on: StreamName.tenant(sender.tenant),
                request: ["acknowledge", reported.anomaly, sender.actor, reported.reason],
                // If two users acknowledge it at once, one of them is first.
                once: ["acknowledge", reported.anomaly],
                key: idempotencyKey,
                sender: sender
            )
            return .recorded(try await recorder.event(of: entry), isDuplicate: entry.isDuplicate)
        } catch is CommandRecorder.ConflictingRecord {
            return .alreadyAcknowledged
        }
    }
}
