package import Canonical
import Crypto
package import EventLog
package import Intake
package import Matching
import Payments
import Vendors

/// Where people close business days of merchants, and open them again.
package struct PeriodDesk: Sendable {
    /// What was recorded.
    package struct Outcome: Sendable, Hashable {
        package var period: UUID128
        /// Of the event.
        package var position: Int64
        /// True where the same was recorded before, under the same key.
        package var isReplay: Bool
    }

    /// Why nothing was recorded.
    package enum Refusal: String, Error, Hashable, Sendable {
        case alreadyClosed = "already-closed"
        case notClosed = "not-closed"
        /// The day has not ended by the merchant's clocks.
        case notOver = "day-not-over"
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

    /// Freezes what is believed of a day.
    ///
    /// - Parameters:
    ///   - closing: Card numbers in the reason are masked.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; `IntakeProblem` where the log does not take it.
    package func close(_ closing: PeriodClosing, idempotencyKey: String?, sender: Sender) async throws -> Outcome {
        var told = closing
        told.reason = TextScrubber().scrub(told.reason).text
        let request = ["close", told.merchant, told.day, told.reason, sender.actor]
        return try await record(.closed(told), told.merchant, told.day, request, idempotencyKey, sender) { last in
            guard last != PeriodEvent.Name.closed.rawValue else { throw Refusal.alreadyClosed }
        }
    }

    /// Opens a day that was closed.
    ///
    /// - Throws: `Refusal`; `IntakeProblem` where the log does not take it.
    package func reopen(
        merchant: String,
        day: String,
        reason: String,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        let told = PeriodReopening(reason: TextScrubber().scrub(reason).text)
        let request = ["reopen", merchant, day, told.reason, sender.actor]
        return try await record(.reopened(told), merchant, day, request, idempotencyKey, sender) { last in
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
        let period = StreamName.periodID(merchant, day, of: sender.tenant)
        let stream = StreamName.period(merchant, day, of: sender.tenant)
        let digest = Self.digest(request)
        let key = idempotencyKey.map { IdempotencyKey(key: Self.digest(["period", $0]), request: digest) }
        if let key, let earlier = try await reader.appended(under: key.key, of: sender.tenant) {
            guard earlier.request == digest else { throw IntakeProblem.idempotencyMismatch }
            return Outcome(period: period, position: earlier.range.lastPosition, isReplay: true)
        }
        var filter = EventFilter()
        filter.stream = stream
        let newest = try await reader.newest(of: sender.tenant, matching: filter, limit: 1).last
        try check(newest?.type)
        let result: AppendResult
        do {
            result = try await sequencer.append(
                AppendItem(
                    tenant: sender.tenant,
                    stream: stream,
                    expected: .version(newest?.version ?? 0),
                    idempotency: [key].compactMap(\.self),
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
        case .appended(let range): return Outcome(period: period, position: range.lastPosition, isReplay: false)
        case .duplicate(let range): return Outcome(period: period, position: range.lastPosition, isReplay: true)
        case .conflict(let actual): throw IntakeProblem.versionConflict(actual: actual)
        case .mismatch: throw IntakeProblem.idempotencyMismatch
        case .claimed: throw IntakeProblem(appending: AppendError(.refused))
        }
    }

    /// SHA-256 of parts, each with its length, so that they cannot run into one another.
    private static func digest(_ parts: [String]) -> [UInt8] {
        Array(SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)))
    }
}
