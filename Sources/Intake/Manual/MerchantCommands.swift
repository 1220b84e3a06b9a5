package import Canonical
package import EventLog
import Payments
package import Redaction

/// Commands to record where a merchant is and when its day begins. The latest record applies.
package struct MerchantCommands: Sendable {
    /// The longest name of a merchant, in bytes.
    package static let longestName = 256

    private let recorder: CommandRecorder

    package init(sequencer: Sequencer, reader: EventReader, ids: any UUIDGenerator, clock: any WallClock) {
        recorder = CommandRecorder("key", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
    }

    /// Whether a text can name a merchant: 1 to `longestName` bytes, without card data.
    package static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count) && TextScrubber().scrub(text).text == text
    }

    /// Records the description of a merchant.
    ///
    /// - Parameters:
    ///   - merchant: A text that `isName` accepts.
    ///   - zone: The name of a known zone.
    ///   - cutoff: The time at which its day begins: `04:00`.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Returns: The event, and whether it had been recorded before.
    /// - Throws: `IntakeProblem`; the errors of reading the log.
    package func describe(
        _ merchant: String,
        zone: String,
        cutoff: String,
        reason: Reason,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> (event: RecordedEvent, isDuplicate: Bool) {
        let reported = MerchantDescription(merchant: merchant, zone: zone, cutoff: cutoff, reason: reason.text)
        let entry = try await recorder.record(
            TenantEvent.merchantDescribed(reported),
            on: StreamName.tenant(sender.tenant),
            request: ["describe", reported.merchant, reported.zone, reported.cutoff, reported.reason, sender.actor],
            key: idempotencyKey,
            sender: sender
        )
        return (try await recorder.event(of: entry), entry.isDuplicate)
    }
}
