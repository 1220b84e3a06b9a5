package import Canonical
package import EventLog
package import Intake
import Payments
import Redaction

/// The commands with which apps store tokens for the cards of payments, so that the log records who did so and when.
package struct CardTokenCommands: Sendable {
    /// The holder of a key by its name in events.
    package typealias Holders = @Sendable (_ actor: String, _ tenant: String) async throws -> String?

    /// The result of a token that was sent.
    package enum Sent: Sendable, Hashable {
        /// It is stored until this time.
        case kept(until: Timestamp)
        /// Another operator must send the same token.
        case proposed(Proposals.Outcome)
    }

    /// The reason of every proposal of a token, because senders of tokens give none.
    private static let reason: Reason = "a card token for a payment of another sender"

    private let vault: CardVault
    private let proposals: Proposals
    private let holders: Holders
    private let recorder: CommandRecorder
    private let reader: EventReader
    private let clock: any WallClock

    package init(
        vault: CardVault,
        proposals: Proposals,
        holders: @escaping Holders,
        sequencer: Sequencer,
        reader: EventReader,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.vault = vault
        self.proposals = proposals
        self.holders = holders
        self.reader = reader
        self.clock = clock
        recorder = CommandRecorder(
            "card-token",
            sequencer: sequencer,
            reader: reader,
            ids: ids,
            clock: clock,
            versionLimit: StreamName.eventLimit
        )
    }

    /// Stores the token of a payment's card, replacing an earlier one.
    ///
    /// The sender of the payment leaves its first token, and the sender of a token replaces it. Another sender proposes
    /// the token, and another operator sends the same token with the id of the proposal: a proposal contains a digest
    /// and no token.
    ///
    /// A new token is first recorded on the payment's stream, which invalidates earlier judgements of the payment.
    /// For the same token, only the retention is extended and nothing is recorded.
    ///
    /// - Parameter proposal: The proposal that this token approves.
    /// - Throws: `CardVault.Refusal`; `Proposals.Refusal`; `IntakeProblem` when the log rejects the event;
    ///   `PostgresError`.
    package func keep(
        _ token: String,
        of transaction: UUID128,
        approving proposal: UUID128? = nil,
        sender: Sender
    ) async throws -> Sent {
        let digest = try vault.digest(token, of: transaction, tenant: sender.tenant)
        if let proposal {
            try await approve(proposal, digest, transaction, sender)
        } else if try await vault.held([transaction], tenant: sender.tenant)[transaction] != digest {
            guard try await record(digest, transaction, sender) else {
                return .proposed(try await propose(digest, transaction, sender))
            }
        }
        return .kept(until: try await vault.keep(token, of: transaction, tenant: sender.tenant))
    }

    /// Records a token of its owner.
    ///
    /// - Returns: False if the sender is not the owner.
    private func record(_ digest: String, _ transaction: UUID128, _ sender: Sender) async throws -> Bool {
        do {
            _ = try await recorder.record(
                on: StreamName.transaction(transaction),
                request: [transaction.text, digest],
                key: nil,
                sender: sender
            ) { _ in
                guard try await isOwner(sender, of: transaction) else { throw AnotherOwner() }
                return event(digest, holder: sender.holder)
            }
            return true
        } catch is AnotherOwner {
            return false
        }
    }

    private func propose(
        _ digest: String,
        _ transaction: UUID128,
        _ sender: Sender
    ) async throws -> Proposals.Outcome {
        let stream = StreamName.transaction(transaction)
        return try await proposals.propose(
            .keepCardToken,
            of: stream,
            request: ["digest": .string(digest)],
            reason: Self.reason.text,
            idempotencyKey: nil,
            sender: sender
        ) {
            try await reader.versions(of: [stream], tenant: sender.tenant)[stream] ?? 0
        }
    }

    private func approve(
        _ proposal: UUID128,
        _ digest: String,
        _ transaction: UUID128,
        _ sender: Sender
    ) async throws {
        let stream = StreamName.transaction(transaction)
        _ = try await proposals.approve(
            proposal,
            for: .keepCardToken,
            reason: Self.reason,
            idempotencyKey: nil,
            sender: sender,
            through: recorder
        ) { approved in
            guard approved.proposed.subject == stream, approved.proposed.request["digest"]?.string == digest else {
                throw CardVault.Refusal.otherToken
            }
            return [event(digest, holder: sender.holder, approval: approved.approval)]
        }
    }

    private struct AnotherOwner: Error {}

    /// Whether a sender left the payment's newest token, or reported the payment if there is no token.
    private func isOwner(_ sender: Sender, of transaction: UUID128) async throws -> Bool {
        let stream = StreamName.transaction(transaction)
        var filter = EventFilter()
        filter.stream = stream
        filter.type = CardTokenEvent.Name.kept.rawValue
        var owner = try await reader.newest(of: sender.tenant, matching: filter, limit: 1).last
        if owner == nil { owner = try await reader.stream(stream, of: sender.tenant, limit: 1).first }
        guard let owner else { return false }
        if owner.actor == sender.actor { return true }
        guard let person = Person(sender.holder) else { return false }
        return Person(try await holders(owner.actor, sender.tenant)) == person
    }

    private func event(_ digest: String, holder: String?, approval: ChangeApproval? = nil) -> TransactionEvent {
        let until = clock.now().adding(microseconds: CardVault.keptSeconds * 1_000_000)
        let report = CardTokenReport(digest: digest, keptUntil: until, holder: holder, approval: approval)
        return .cardToken(CardTokenEvent(.kept, report))
    }
}
