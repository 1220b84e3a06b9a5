package import Canonical
package import EventLog
package import Intake
import Payments

/// The commands with which apps store tokens for the cards of payments, so that the log records who did so and when.
package struct CardTokenCommands: Sendable {
    private let vault: CardVault
    private let recorder: CommandRecorder
    private let clock: any WallClock

    package init(
        vault: CardVault,
        sequencer: Sequencer,
        reader: EventReader,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.vault = vault
        self.clock = clock
        recorder = CommandRecorder("card-token", sequencer: sequencer, reader: reader, ids: ids, clock: clock)
    }

    /// Stores the token of a payment's card, replacing an earlier one.
    ///
    /// A new token is first recorded on the payment's stream, which invalidates earlier judgements of the payment.
    /// For the same token, only the retention is extended and nothing is recorded.
    ///
    /// - Returns: The end of the retention.
    /// - Throws: `CardVault.Refusal`; `IntakeProblem` when the log rejects the event; `PostgresError`.
    package func keep(_ token: String, of transaction: UUID128, sender: Sender) async throws -> Timestamp {
        let digest = try vault.digest(token, of: transaction, tenant: sender.tenant)
        if try await vault.held([transaction], tenant: sender.tenant)[transaction] != digest {
            let until = clock.now().adding(microseconds: CardVault.keptSeconds * 1_000_000)
            _ = try await recorder.record(
                TransactionEvent.cardToken(CardTokenEvent(.kept, CardTokenReport(digest: digest, keptUntil: until))),
                on: StreamName.transaction(transaction),
                request: [transaction.text, digest],
                key: nil,
                sender: sender
            )
        }
        return try await vault.keep(token, of: transaction, tenant: sender.tenant)
    }
}
