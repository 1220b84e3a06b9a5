package import Canonical
package import EventLog
package import Intake
import Payments

/// Where apps leave what stands for the cards of payments, so that the log knows who did and when.
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

    /// Keeps the token of a payment's card, in the place of one that was kept before.
    ///
    /// Another token than the one that is kept is recorded on the payment's stream before it is: what was judged of the payment
    /// has moved on then. The same once more is kept for longer, and nothing is recorded.
    ///
    /// - Returns: Until when it is kept.
    /// - Throws: `CardVault.Refusal`; `IntakeProblem` where the log does not take it; `PostgresError`.
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
