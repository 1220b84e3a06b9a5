package import Canonical
import Crypto
package import EventLog
import Payments
import Vendors

/// Where people say that an anomaly has been dealt with. It is said once, and stays said.
package struct AnomalyDesk: Sendable {
    /// What became of an acknowledgement.
    package enum Outcome: Sendable, Hashable {
        /// The event that says so; true where it had been recorded before.
        case recorded(RecordedEvent, isReplay: Bool)
        /// Somebody else, or for another reason, has acknowledged it before.
        case alreadyAcknowledged
    }

    /// The longest reason, in bytes.
    package static let longestReason = 1000

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
        let told = AnomalyAcknowledgement(anomaly: anomaly.text, reason: TextScrubber().scrub(reason).text)
        let event = TenantEvent.anomalyAcknowledged(told)
        let request = Self.digest(["acknowledge", told.anomaly, sender.actor, told.reason])
        // The anomaly itself is a key: of two who acknowledge it at once, one is the first.
        let own = IdempotencyKey(key: Self.digest(["acknowledge", told.anomaly]), request: request)
        let named = idempotencyKey.map { IdempotencyKey(key: Self.digest(["key", $0]), request: request) }
        let result: AppendResult
        do {
            result = try await sequencer.append(
                AppendItem(
                    tenant: sender.tenant,
                    stream: StreamName.tenant(sender.tenant),
                    expected: .any,
                    idempotency: [own] + [named].compactMap(\.self),
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
        case .appended(let range): return .recorded(try await recorded(range), isReplay: false)
        case .duplicate(let range): return .recorded(try await recorded(range), isReplay: true)
        case .mismatch:
            if let named, let earlier = try await reader.appended(under: named.key, of: sender.tenant),
                earlier.request != request
            {
                throw IntakeProblem.idempotencyMismatch
            }
            return .alreadyAcknowledged
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
