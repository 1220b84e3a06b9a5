package import Canonical
package import EventLog
package import Intake
package import Matching
import Payments
package import Projections
package import Redaction

/// The commands with which operators set a tenant's matching rules.
package struct RulesCommands: Sendable {
    package typealias Outcome = CommandRecorder.Entry

    private let recorder: CommandRecorder
    private let proposals: Proposals
    private let reader: EventReader
    private let readModels: ReadModels
    private let rules: ReconciliationQuery

    package init(
        sequencer: Sequencer,
        reader: EventReader,
        proposals: Proposals,
        readModels: ReadModels,
        rules: ReconciliationQuery,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        recorder = CommandRecorder("rules", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        self.proposals = proposals
        self.reader = reader
        self.readModels = readModels
        self.rules = rules
    }

    /// Reads rules in the form that users write; see `MatchingRules.init(reading:)`. They are stored unchanged, so
    /// card numbers and similar text are refused.
    ///
    /// - Throws: `RulesProblem`.
    package static func rules(_ json: JSONValue) throws(RulesProblem) -> MatchingRules {
        let rules = try MatchingRules(reading: json)
        for (place, calendar) in rules.calendars.enumerated() {
            if let problem = calendar.problem(at: "/calendars/\(place)") { throw problem }
        }
        for (place, contract) in rules.contracts.enumerated() {
            if let problem = contract.problem(at: "/contracts/\(place)") { throw problem }
        }
        let scrubber = TextScrubber()
        if let found = rules.texts.first(where: { scrubber.scrub($0.text).text != $0.text }) {
            throw RulesProblem(.cardData, at: found.pointer, "The text resembles card data, which is not stored.")
        }
        return rules
    }

    /// Proposes rules. Another operator approves them.
    ///
    /// - Parameters:
    ///   - rules: Rules that were read with `rules`.
    ///   - version: The expected number of changes so far, 0 for the standard rules; nil to accept any.
    ///   - idempotencyKey: The sender's name of the request.
    ///   - waitLimit: The most time to wait for the read model.
    /// - Throws: `Reconciler.Refusal` when the read model is behind; `IntakeProblem` when the log rejects the event,
    ///   the version differs, or the key was used for another request.
    package func propose(
        _ rules: MatchingRules,
        reason: Reason,
        version: Int64? = nil,
        idempotencyKey: String? = nil,
        sender: Sender,
        waitLimit: Duration = .seconds(10)
    ) async throws -> Proposals.Outcome {
        let stream = StreamName.reconciliation(of: sender.tenant)
        return try await proposals.propose(
            .changeRules,
            of: stream,
            request: try JSONValueEncoder().encode(rules),
            reason: reason.text,
            idempotencyKey: idempotencyKey,
            sender: sender
        ) {
            let actual = try await self.version(of: sender.tenant, stream, waitLimit)
            if let version, version != actual { throw IntakeProblem.versionConflict(actual: actual) }
            return actual
        }
    }

    /// The rules of a proposal.
    ///
    /// - Throws: `Proposals.Refusal`; the errors of reading the log.
    package func proposed(_ id: UUID128, of tenant: String) async throws -> MatchingRules {
        let proposed = try await proposals.proposal(id, of: tenant).proposed
        guard proposed.change == .changeRules else { throw Proposals.Refusal.noSuchProposal }
        return try JSONValueDecoder().decode(MatchingRules.self, from: proposed.request)
    }

    /// Approves proposed rules for the next run, which examines everything, if the rules in force are still those for
    /// which they were proposed.
    ///
    /// - Throws: `Proposals.Refusal`; `Reconciler.Refusal` when the read model is behind; `IntakeProblem` when the log
    ///   rejects the event, events of runs keep interfering, or the key was used for another request.
    package func approve(
        _ proposal: UUID128,
        reason: Reason,
        idempotencyKey: String? = nil,
        sender: Sender,
        waitLimit: Duration = .seconds(10)
    ) async throws -> Outcome {
        let stream = StreamName.reconciliation(of: sender.tenant)
        let rules = try await proposed(proposal, of: sender.tenant)
        // A run records several events a second on the same stream. The change is recorded between two of them.
        return try await proposals.approve(
            proposal,
            for: .changeRules,
            reason: reason,
            idempotencyKey: idempotencyKey,
            sender: sender,
            through: recorder
        ) { approved in
            let change = RulesChange(
                rules: rules,
                reason: approved.proposed.reason,
                approval: approved.approval
            )
            return [ReconciliationEvent.rulesChanged(change)]
        } at: { _ in
            try await version(of: sender.tenant, stream, waitLimit)
        }
    }

    /// The number of changes of the rules, including every event in the log.
    private func version(of tenant: String, _ stream: String, _ waitLimit: Duration) async throws -> Int64 {
        var filter = EventFilter()
        filter.stream = stream
        filter.type = ReconciliationEvent.Name.rulesChanged.rawValue
        guard let newest = try await reader.newest(of: tenant, matching: filter, limit: 1).last else { return 0 }
        guard try await readModels.wait(for: "reconciliation", toReach: newest.position, timeout: waitLimit) else {
            throw Reconciler.Refusal.behind
        }
        return try await rules.rules(of: tenant)?.version ?? 0
    }
}
