package import Canonical
import Crypto
package import EventLog
package import Intake
package import Matching
import Payments
package import Projections
import Vendors

/// Where people say by which rules a tenant is reconciled.
package struct RulesDesk: Sendable {
    /// What was recorded.
    package struct Outcome: Sendable, Hashable {
        /// Of the event.
        package var position: Int64
        /// True where the same was recorded before, under the same key.
        package var isReplay: Bool
    }

    /// The longest reason, in bytes.
    package static let longestReason = 1000
    /// A run records some events a second on the same stream: the change is made between two of them.
    private static let attempts = 100

    private let sequencer: Sequencer
    private let reader: EventReader
    private let readModels: ReadModels
    private let rules: ReconciliationQuery
    private let ids: any UUIDGenerator
    private let clock: any WallClock

    package init(
        sequencer: Sequencer,
        reader: EventReader,
        readModels: ReadModels,
        rules: ReconciliationQuery,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.sequencer = sequencer
        self.reader = reader
        self.readModels = readModels
        self.rules = rules
        self.ids = ids
        self.clock = clock
    }

    /// Reads rules as people write them; see `MatchingRules.init(reading:)`. They are kept as they are: card numbers and
    /// what looks like them are refused.
    ///
    /// - Throws: `RulesProblem`.
    package static func rules(_ json: JSONValue) throws(RulesProblem) -> MatchingRules {
        let rules = try MatchingRules(reading: json)
        let scrubber = TextScrubber()
        if let found = rules.texts.first(where: { scrubber.scrub($0.text).text != $0.text }) {
            throw RulesProblem(.cardData, at: found.pointer, "It looks like card data, which is not kept.")
        }
        return rules
    }

    /// Has the tenant reconciled by other rules from the next run on, which looks at everything.
    ///
    /// - Parameters:
    ///   - rules: That were read with `rules`.
    ///   - reason: In the words of whoever does it, 1 to `longestReason` bytes; card numbers are masked.
    ///   - version: Of the rules, where they must not have changed: how often they have, 0 for the standard ones.
    ///   - idempotencyKey: The sender's name of the request.
    ///   - patience: How long to wait for the read model.
    /// - Throws: `Reconciler.Refusal` where the read model is behind, or runs do not let it through; `IntakeProblem`
    ///   where the log does not take it, the version is another one, or the key was used for something else.
    package func change(
        to rules: MatchingRules,
        reason: String,
        version: Int64? = nil,
        idempotencyKey: String? = nil,
        sender: Sender,
        patience: Duration = .seconds(10)
    ) async throws -> Outcome {
        let stream = StreamName.reconciliation(of: sender.tenant)
        let event = ReconciliationEvent.rulesChanged(
            RulesChange(rules: rules, reason: TextScrubber().scrub(reason).text)
        )
        let data = try event.data().text
        let request = Self.digest([sender.actor, data])
        let key = idempotencyKey.map { IdempotencyKey(key: Self.digest(["rules", $0]), request: request) }
        if let key, let earlier = try await reader.appended(under: key.key, of: sender.tenant) {
            guard earlier.request == request else { throw IntakeProblem.idempotencyMismatch }
            return Outcome(position: earlier.range.lastPosition, isReplay: true)
        }
        for _ in 0..<Self.attempts {
            var filter = EventFilter()
            filter.stream = stream
            let newest = try await reader.newest(of: sender.tenant, matching: filter, limit: 1).last
            if let version {
                let actual = try await self.version(of: sender.tenant, stream, patience)
                guard version == actual else { throw IntakeProblem.versionConflict(actual: actual) }
            }
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
                                data: data,
                                source: EventSource(event)
                            )
                        ]
                    )
                )
            } catch {
                throw IntakeProblem(appending: error)
            }
            switch result {
            case .appended(let range): return Outcome(position: range.lastPosition, isReplay: false)
            case .duplicate(let range): return Outcome(position: range.lastPosition, isReplay: true)
            // A run has recorded something, or somebody else has changed the rules: the version says which.
            case .conflict: continue
            case .mismatch: throw IntakeProblem.idempotencyMismatch
            case .claimed: throw IntakeProblem(appending: AppendError(.refused))
            }
        }
        throw Reconciler.Refusal.disturbed
    }

    /// How often the rules have changed, with everything that is in the log.
    private func version(of tenant: String, _ stream: String, _ patience: Duration) async throws -> Int64 {
        var filter = EventFilter()
        filter.stream = stream
        filter.type = ReconciliationEvent.Name.rulesChanged.rawValue
        guard let newest = try await reader.newest(of: tenant, matching: filter, limit: 1).last else { return 0 }
        guard try await readModels.wait(for: "reconciliation", toReach: newest.position, timeout: patience) else {
            throw Reconciler.Refusal.behind
        }
        return try await rules.rules(of: tenant)?.version ?? 0
    }

    /// SHA-256 of parts, each with its length, so that they cannot run into one another.
    private static func digest(_ parts: [String]) -> [UInt8] {
        Array(SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)))
    }
}
