import Canonical
import EventLog
import Gateways
import Intake
import Payments
import Projections
import ReplayRules

/// Executes items of plans: performs the actions of their machines.
///
/// Nothing is locked. An item is executed only after `GatewayCallSent` is appended to the payment's stream, at a
/// version after which there are only the judged events and this item's own. So of two workers, one succeeds.
struct ReplayExecutor: Sendable {
    static let actor = "process:replay"

    let reader: EventReader
    let planCache: PlanCache
    let caller: GatewayCaller
    let gateways: GatewayRegistry
    let vault: CardVault
    let orderDuplicates: OrderDuplicates
    let readModels: ReadModels
    /// Asked before every call: an append of the item itself may have noticed an adoption of the log.
    let mayBegin: @Sendable () -> Bool
    let clock: any WallClock

    /// - Throws: `AppendError`, or the errors of reading: then the result is unknown, and the item is executed again
    ///   later.
    func execute(_ work: ReplayItemMachine.Work) async throws -> ReplayItemMachine.Result {
        let item = work.item
        let sender = Sender(
            tenant: work.tenant,
            actor: Self.actor,
            correlation: ReplayReference.text(work.plan, item.number, .work)
        )
        var machine = ReplayItemMachine(work, gateways: gateways)
        var event = ReplayItemMachine.Event.begun
        while true {
            switch machine.handle(event, at: clock.now()) {
            case .takeSnapshot:
                let history = try await reader.stream(StreamName.transaction(item.transaction), of: work.tenant)
                event = .snapshot(try ReplaySnapshot(history, plan: work.plan, item: item))
            case .readStatus:
                event = .status(try await planCache.plan(work.plan, of: work.tenant)?.status ?? .stopped)
            case .call(let call, let gateway, let subject):
                let epoch = caller.epoch
                guard mayBegin() else { return .later(clock.now().adding(microseconds: 1_000_000)) }
                event = .called(
                    try await caller.call(call, at: gateway, subject, sender: sender, decidedIn: epoch)
                )
            case .readClaims(let state):
                event = .claims(try await orderDuplicates.claims(state, tenant: work.tenant))
            case .findOrderDuplicates(let book): event = try await findOrderDuplicates(work, book)
            case .readToken: event = .token(try await vault.token(of: item.transaction, tenant: work.tenant))
            case .finish(let result): return result
            }
        }
    }

    /// Checks whether the order was paid on another stream, according to all events in the log.
    private func findOrderDuplicates(
        _ work: ReplayItemMachine.Work,
        _ book: RuleBook
    ) async throws -> ReplayItemMachine.Event {
        let head = try await reader.head()
        guard try await readModels.wait(for: "transactions", toReach: head, timeout: .seconds(10)) else {
            return .readModelBehind
        }
        let id = work.item.transaction
        let found = try await orderDuplicates.rulings(against: [id], tenant: work.tenant, book: book, now: clock.now())
        return .orderDuplicates(found[id])
    }
}
