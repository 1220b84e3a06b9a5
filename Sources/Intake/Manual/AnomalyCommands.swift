package import Canonical
package import EventLog
import Payments
import Vendors

/// Where people say that an anomaly has been dealt with. It is said once, and stays said.
package struct AnomalyCommands: Sendable {
    /// What became of an acknowledgement.
    package enum Outcome: Sendable, Hashable {
        /// The event that says so; true where it had been recorded before.
        case recorded(RecordedEvent, isDuplicate: Bool)
        /// Somebody else, or for another reason, has acknowledged it before.
        case alreadyAcknowledged
    }

    /// The longest reason, in bytes.
    package static let longestReason = 1000

    private let recorder: CommandRecorder

    package init(sequencer: Sequencer, reader: EventReader, ids: any UUIDGenerator, clock: any WallClock) {
        recorder = CommandRecorder("key", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
    }

    /// Records that an anomaly has been dealt with.
    ///
    /// - Parameters:
    ///   - anomaly: The id of the event that raised it.
    ///   - reason: In the words of whoever has dealt with it; card numbers are masked.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `IntakeProblem`; what reading the log throws.
    package func acknowledge(
        _ anomaly: UUID128,
        reason: String,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        let reported = AnomalyAcknowledgement(anomaly: anomaly.text, reason: TextScrubber().scrub(reason).text)
        do {
            let entry = try await recorder.record(
                TenantEvent.anomalyAcknowledged(reported),
                on: StreamName.tenant(sender.tenant),
                request: ["acknowledge", reported.anomaly, sender.actor, reported.reason],
                // Of two who acknowledge it at once, one is the first.
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
