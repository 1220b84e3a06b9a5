import Canonical
import EventLog
import Payments
import Testing

@testable import Replay

/// Documents that cross, of which the terminal prints local times: only the senders' clocks show that a payment was
/// attempted again.
@Suite("Replay of documents that cross") struct CrossedDocumentTests {
    /// The events of a payment whose second attempt is recorded before the decline of the first one.
    ///
    /// - Parameter second: The time of the attempt, in seconds. The decline was sent at second 5.
    private func history(attemptedAgainAt second: Int64) -> [RecordedEvent] {
        func time(_ second: Int64) -> Timestamp { Sample.requestedAt.adding(microseconds: second * 1_000_000) }
        func sent(_ second: Int64) -> TransactionEvent {
            .device(DeviceEvent(.authorizationSent, DeviceReport(at: .instant(time(second)))))
        }
        let decline = Verdict(
            evidence: .gateway,
            response: Response(code: "05"),
            at: .local(LocalTime(shown: time(5)))
        )
        let sale = TransactionEvent.saleRequested(PaymentRequest(amounts: Amounts(total: Sample.amount)))
        let documents: [(second: Int64, event: TransactionEvent)] = [
            (second: 0, event: sale), (second: 1, event: sent(1)), (second: second, event: sent(second)),
            (second: 5, event: .declined(decline)),
        ]
        return documents.enumerated().map { index, document in
            RecordedEvent(
                position: Int64(100 + index),
                id: UUID128(high: 1, low: UInt64(index)),
                tenant: "acme",
                stream: StreamName.transaction(Sample.payment),
                version: Int64(index + 1),
                type: document.event.type,
                schema: document.event.schema,
                occurredAt: time(document.second),
                recordedAt: time(100 + Int64(index)),
                actor: "test",
                correlation: "app",
                causation: nil,
                data: "",
                source: EventSource(document.event)
            )
        }
    }

    @Test(
        "Queries, plans and histories judge the state that the ledger has",
        arguments: [(2, false), (60, true)] as [(Int64, Bool)]
    )
    func states(second: Int64, isAwaited: Bool) throws {
        let recorded = history(attemptedAgainAt: second)
        let payment = try RecordedPayment(recorded).state
        let snapshot = try ReplaySnapshot(recorded, plan: Sample.plan, item: Sample.sale).state
        let steps = try ReplayHistory(recorded).steps
        let step = try #require(steps.last?.state)
        for state in [payment, snapshot, step] {
            #expect(state.status == .declined && state.awaitsAttempt == isAwaited)
        }
        // All of them have the time at which the payment began.
        #expect(payment.times.begunAt == Sample.requestedAt && payment == snapshot && payment == step)
    }
}
