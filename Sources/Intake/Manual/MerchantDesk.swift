package import Canonical
import Crypto
package import EventLog
package import Payments
import Vendors

/// Where people say where a merchant is and when its day begins. What was said last holds.
package struct MerchantDesk: Sendable {
    /// The longest reason and the longest name of a merchant, in bytes.
    package static let longestReason = 1000
    package static let longestName = 256

    private let sequencer: Sequencer
    private let reader: EventReader
    private let ids: any UUIDGenerator
    private let clock: any WallClock

    package init(sequencer: Sequencer, reader: EventReader, ids: any UUIDGenerator, clock: any WallClock) {
        self.sequencer = sequencer
        self.reader = reader
        self.ids = ids
        self.clock = clock
    }

    /// Whether a text can name a merchant: 1 to `longestName` bytes, without card data.
    package static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count) && TextScrubber().scrub(text).text == text
    }

    /// Records what is said about a merchant.
    ///
    /// - Parameters:
    ///   - description: A zone and a cut-off that are known; card numbers in the reason are masked.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Returns: The event that says so, and whether it had been recorded before.
    /// - Throws: `IntakeProblem`; what reading the log throws.
    package func describe(
        _ description: MerchantDescription,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> (event: RecordedEvent, isReplay: Bool) {
        var told = description
        told.reason = TextScrubber().scrub(told.reason).text
        let event = TenantEvent.merchantDescribed(told)
        let request = Self.digest(["describe", told.merchant, told.zone, told.cutoff, told.reason, sender.actor])
        let named = idempotencyKey.map { IdempotencyKey(key: Self.digest(["key", $0]), request: request) }
        let result: AppendResult
        do {
            result = try await sequencer.append(
                AppendItem(
                    tenant: sender.tenant,
                    stream: StreamName.tenant(sender.tenant),
                    expected: .any,
                    idempotency: [named].compactMap(\.self),
                    events: [
                        ProposedEvent(
                            id: ids.next(),
                            type: event.type,
                            schema: event.schema,
                            occurredAt: clock.now(),
                            actor: sender.actor,
                            correlation: sender.correlation,
                            data: try event.data().text,
                            source: EventSource(event)
                        )
                    ]
                )
            )
        } catch let error as AppendError {
            throw IntakeProblem(appending: error)
        }
        switch result {
        case .appended(let range): return (try await recorded(range), false)
        case .duplicate(let range): return (try await recorded(range), true)
        case .mismatch: throw IntakeProblem.idempotencyMismatch
        case .claimed, .conflict: throw IntakeProblem(appending: AppendError(.refused))
        }
    }

    private func recorded(_ range: AppendedRange) async throws -> RecordedEvent {
        guard let event = try await reader.range(range).first else {
            throw IntakeProblem(appending: AppendError(.outcomeUnknown))
        }
        return event
    }

    /// SHA-256 of parts, each with its length, so that they cannot run into one another.
    private static func digest(_ parts: [String]) -> [UInt8] {
        Array(SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)))
    }
}
