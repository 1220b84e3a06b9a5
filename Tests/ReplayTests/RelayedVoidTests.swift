import Canonical
import DaybookTestKit
import EventLog
import Gateways
import Intake
import Payments
import Replay
import Testing

/// A till relays a void of a payment that Daybook made at the gateway itself.
@Suite("Relayed voids") struct RelayedVoidTests {
    private struct NoAnswer: Error {}

    private func relayVoid(of id: UUID128, _ world: World) async throws {
        _ = try await world.recorder.record(
            [.voided(Return(id: "v-1", evidence: .relayed))],
            from: nil,
            stream: StreamName.transaction(id),
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: world.log.clock.now(),
            sender: World.sender
        )
    }

    /// Voids the payment at the gateway without a record in the ledger.
    private func voidElsewhere(_ state: TransactionState, _ world: World) async throws {
        let call = GatewayCall(
            .void,
            reference: "till-1",
            original: OriginalPayment(gatewayTransaction: state.references.gatewayTransaction)
        )
        guard case .answered = await (try world.account(at: "bridge")).call(call) else { throw NoAnswer() }
    }

    @Test("The gateway is queried, and its answer decides", arguments: [true, false])
    func query(isVoided: Bool) async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.sell(1_250)
                let sold = try await world.state(id)
                #expect(sold.captured == 1_250 && sold.captures.map(\.evidence) == [.gateway])
                if isVoided { try await voidElsewhere(sold, world) }
                try await relayVoid(of: id, world)
                let relayed = try await world.state(id)
                #expect(relayed.captured == 1_250 && relayed.isInDoubt)
                #expect(relayed.anomalies == [.followUpInDoubt(.void)])
                let after = try await world.settle(id)
                #expect(try await world.questions(id).count >= 1)
                if isVoided {
                    #expect(after.status == .voided && after.captured == 0 && !after.isInDoubt)
                    #expect(after.closing.evidence == .gateway && after.anomalies.isEmpty)
                } else {
                    // The gateway still has the money: an operator looks at the void.
                    #expect(after.status == .captured && after.captured == 1_250 && after.isInDoubt)
                    #expect(try await world.status(id)?.next == .person(rule: "doubt.evidence"))
                }
            }
        }
    }
}
