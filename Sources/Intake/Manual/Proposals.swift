package import Canonical
package import EventLog
package import Payments
package import Redaction

/// Changes that two operators make: one proposes, another approves.
///
/// A proposal ends once: an approval, a rejection and a proposal that replaces it claim the same name in the log
/// together with their events, so that of two that are recorded at once, one is decided again.
package struct Proposals: Sendable {
    /// A proposal and who made it.
    package struct Proposal: Sendable, Hashable {
        package var proposed: ChangeProposal
        package var by: String
        package var at: Timestamp
        package var position: Int64

        package var id: UUID128 { proposed.id }
        package var proposer: KeyHolder { KeyHolder(actor: by, holder: proposed.holder) }
    }

    package struct Outcome: Sendable, Hashable {
        package var proposal: Proposal
        /// True when the same was recorded before under the same key.
        package var isDuplicate: Bool
    }

    /// A proposal that another operator approves.
    package struct Approved: Sendable, Hashable {
        package var proposed: ChangeProposal
        package var approval: ChangeApproval
    }

    /// The reason why a proposal is not approved or rejected.
    package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        case noSuchProposal = "not-found"
        /// It was approved or rejected.
        case notProposed = "not-proposed"
        /// Another proposal about the same subject replaced it.
        case replaced = "proposal-replaced"
        case ownProposal = "own-proposal"
        case unknownHolder = "unknown-holder"
    }

    /// The most proposals that are read for a list.
    package static let longestList = 500

    private let recorder: CommandRecorder
    private let reader: EventReader
    private let ids: any UUIDGenerator

    package init(sequencer: Sequencer, reader: EventReader, ids: any UUIDGenerator, clock: any WallClock) {
        recorder = CommandRecorder("proposal", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
        self.reader = reader
        self.ids = ids
    }

    // MARK: Proposing

    /// Records a proposal, which replaces an open one about the same subject.
    ///
    /// - Parameters:
    ///   - request: What is changed, scrubbed.
    ///   - idempotencyKey: The sender's name of the request.
    ///   - check: Checks the change, and returns the version of the subject that it was checked for.
    /// - Throws: The errors of `check`; `IntakeProblem`; the errors of reading the log.
    package func propose(
        _ change: ChangeProposal.Change,
        of subject: String,
        request: JSONValue,
        reason: String,
        idempotencyKey: String?,
        sender: Sender,
        checking check: () async throws -> Int64
    ) async throws -> Outcome {
        let entry = try await recorder.recordClaiming(
            on: StreamName.proposal(change.rawValue, of: subject, tenant: sender.tenant),
            request: [change.rawValue, subject, request.text, reason, sender.actor],
            key: idempotencyKey,
            sender: sender
        ) { newest in
            let version = try await check()
            let id = ids.next()
            var claims = [Self.name(id)]
            if let newest, case .proposed(let earlier) = try ProposalEvent(newest),
                try await !isEnded(earlier.id, sender.tenant)
            {
                claims.append(Self.end(earlier.id))
            }
            let proposed = ChangeProposal(
                id: id,
                change: change,
                subject: subject,
                version: version,
                request: request,
                reason: reason,
                holder: sender.holder
            )
            return ([ProposalEvent.proposed(proposed)], claims)
        }
        let event = try await recorder.event(of: entry)
        guard let proposal = try Proposal(event) else { throw Refusal.noSuchProposal }
        return Outcome(proposal: proposal, isDuplicate: entry.isDuplicate)
    }

    // MARK: Deciding

    /// Approves a proposal: records its change on the subject's stream, if the subject still has the version that it was
    /// proposed for.
    ///
    /// - Parameters:
    ///   - idempotencyKey: The sender's name of the request.
    ///   - recorder: That of the command, by which keys of several commands differ.
    ///   - decide: The events of the change.
    ///   - version: The version of the subject, from the newest event of its stream; by default that of the stream.
    /// - Throws: `Refusal`; the errors of `decide` and `version`; `IntakeProblem`; the errors of reading the log.
    package func approve<Event: LedgerEvent>(
        _ id: UUID128,
        for change: ChangeProposal.Change,
        reason: Reason,
        idempotencyKey: String?,
        sender: Sender,
        through recorder: CommandRecorder,
        deciding decide: (Approved) async throws -> [Event],
        at version: (_ newest: RecordedEvent?) async throws -> Int64 = { $0?.version ?? 0 }
    ) async throws -> CommandRecorder.Entry {
        let subject = try await proposal(id, of: sender.tenant).proposed.subject
        return try await recorder.recordClaiming(
            on: subject,
            request: ["approve", id.text, reason.text, sender.actor],
            key: idempotencyKey,
            sender: sender
        ) { newest in
            let approved = try await self.approved(id, for: change, reason: reason, sender: sender)
            let actual = try await version(newest)
            guard actual == approved.proposed.version else { throw IntakeProblem.versionConflict(actual: actual) }
            return (try await decide(approved), [Self.end(id)])
        }
    }

    /// The approval of an open proposal by a sender.
    ///
    /// - Throws: `Refusal`; the errors of reading the log.
    private func approved(
        _ id: UUID128,
        for change: ChangeProposal.Change,
        reason: Reason,
        sender: Sender
    ) async throws -> Approved {
        let proposal = try await open(id, of: sender.tenant)
        guard proposal.proposed.change == change else { throw Refusal.noSuchProposal }
        switch KeyHolder(actor: sender.actor, holder: sender.holder).refusal(toApproveFor: proposal.proposer) {
        case .ownProposal?: throw Refusal.ownProposal
        case .unknownHolder?: throw Refusal.unknownHolder
        case nil: break
        }
        guard let proposer = proposal.proposed.holder, let approver = sender.holder else {
            throw Refusal.unknownHolder
        }
        let approval = ChangeApproval(
            proposal: id,
            proposedBy: proposal.by,
            proposer: proposer,
            approver: approver,
            reason: reason.text
        )
        return Approved(proposed: proposal.proposed, approval: approval)
    }

    /// Records the rejection of a proposal.
    ///
    /// - Throws: `Refusal`; `IntakeProblem`; the errors of reading the log.
    package func reject(
        _ id: UUID128,
        reason: Reason,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        let proposal = try await find(id, of: sender.tenant)
        let entry = try await recorder.recordClaiming(
            on: proposal.stream,
            request: ["reject", id.text, reason.text, sender.actor],
            key: idempotencyKey,
            sender: sender
        ) { _ in
            _ = try await open(id, of: sender.tenant)
            return ([ProposalEvent.rejected(ChangeRejection(proposal: id, reason: reason.text))], [Self.end(id)])
        }
        var outcome = Outcome(proposal: proposal.value, isDuplicate: entry.isDuplicate)
        outcome.proposal.position = entry.position
        return outcome
    }

    // MARK: Reading

    /// A proposal, whether it is open or not.
    ///
    /// - Throws: `Refusal.noSuchProposal`; the errors of reading the log.
    package func proposal(_ id: UUID128, of tenant: String) async throws -> Proposal {
        try await find(id, of: tenant).value
    }

    /// The open proposals of a tenant among its newest ones, oldest first.
    ///
    /// - Throws: The errors of reading the log.
    package func open(of tenant: String) async throws -> [Proposal] {
        var filter = EventFilter()
        filter.type = ProposalEvent.Name.proposed.rawValue
        let all = try await reader.newest(of: tenant, matching: filter, limit: Self.longestList)
            .compactMap { try Proposal($0) }
        let ended = Set(
            try await reader.streams(named: all.map { Self.end($0.id) }, of: tenant).keys.map(\.name)
        )
        return all.filter { !ended.contains(Self.end($0.id)) }
    }

    private func open(_ id: UUID128, of tenant: String) async throws -> Proposal {
        let (stream, proposal) = try await find(id, of: tenant)
        guard try await isEnded(id, tenant) else { return proposal }
        var filter = EventFilter()
        filter.stream = stream
        filter.type = ProposalEvent.Name.proposed.rawValue
        let newest = try await reader.newest(of: tenant, matching: filter, limit: 1).last
        let isNewest = newest?.position == proposal.position
        throw isNewest ? Refusal.notProposed : Refusal.replaced
    }

    private func find(_ id: UUID128, of tenant: String) async throws -> (stream: String, value: Proposal) {
        let name = Self.name(id)
        guard let stream = try await reader.streams(named: [name], of: tenant)[TenantName(tenant: tenant, name: name)]
        else { throw Refusal.noSuchProposal }
        for event in try await reader.stream(stream, of: tenant) {
            if let proposal = try Proposal(event), proposal.id == id { return (stream, proposal) }
        }
        throw Refusal.noSuchProposal
    }

    private func isEnded(_ id: UUID128, _ tenant: String) async throws -> Bool {
        try await !reader.streams(named: [Self.end(id)], of: tenant).isEmpty
    }

    private static func name(_ id: UUID128) -> String { "proposal:\(id.text)" }
    private static func end(_ id: UUID128) -> String { "proposal-ended:\(id.text)" }
}

extension Proposals.Proposal {
    /// Nil for another event than a proposal.
    fileprivate init?(_ event: RecordedEvent) throws {
        guard case .proposed(let proposed) = try ProposalEvent(event) else { return nil }
        self.init(proposed: proposed, by: event.actor, at: event.recordedAt, position: event.position)
    }
}

extension ProposalEvent {
    fileprivate init(_ event: RecordedEvent) throws {
        try self.init(type: event.type, schema: event.schema, data: JSONValue(parsing: event.data.utf8))
    }
}
