import Canonical
import Gateways
import Payments
import ReplayRules
import Vendors

// The calls of an item.
extension ReplayItemMachine {
    /// The query that precedes every submission.
    func query(
        _ snapshot: ReplaySnapshot,
        at gateway: GatewayAccount,
        _ now: Timestamp
    ) -> (GatewayCall, GatewayCaller.Subject) {
        let state = snapshot.state
        let call = GatewayCall(
            .find,
            reference: reference(.find, snapshot.finds.made + 1, at: gateway),
            original: original(snapshot, now),
            amount: state.authorization.requested.flatMap { state.money($0) }
        )
        // The gateway need not have the payment, so nothing follows from a report that it does not.
        let subject = GatewayCaller.Subject(
            stream: StreamName.transaction(work.item.transaction),
            version: snapshot.version,
            accounts: snapshot.accounts(with: gateway.vendor),
            sought: SoughtPayment(
                state,
                sent: snapshot.payment,
                begunAt: snapshot.state.times.begunAt,
                invoice: VendorAdapters.adapter(of: gateway.vendor).findsByInvoice ? call.soughtInvoice : nil,
                account: gateway.account
            )
        )
        return (call, subject)
    }

    /// The query for a call of Daybook that has the reference of the next attempt, and whose record may be lost with the
    /// end of the log.
    func recall(
        _ operation: GatewayOperation,
        _ snapshot: ReplaySnapshot,
        at gateway: GatewayAccount,
        _ now: Timestamp
    ) -> (GatewayCall, GatewayCaller.Subject) {
        let item = work.item
        var attempt = followUp(operation, snapshot, at: gateway, now)
        if item.operation.isPayment { attempt.amount = item.amount }
        let call = GatewayCall(
            .find,
            reference: reference(.recall, snapshot.recalls.made + 1, at: gateway),
            original: OriginalPayment(reference: attempt.reference, begunAt: snapshot.facts.first?.at ?? now)
        )
        let subject = GatewayCaller.Subject(
            stream: StreamName.transaction(item.transaction),
            version: snapshot.version,
            accounts: snapshot.accounts(with: gateway.vendor),
            about: attempt.reference,
            sought: SoughtPayment(
                .own,
                requested: attempt.amount,
                parts: [attempt.tip].compactMap(\.self),
                totals: SoughtPayment.totals(of: attempt.amount, andTip: attempt.tip, at: gateway.vendor),
                begunAt: snapshot.state.times.begunAt,
                account: gateway.account
            ),
            lost: GatewayCaller.LostCall(attempt, isPayment: item.operation.isPayment)
        )
        return (call, subject)
    }

    func payment(
        _ operation: GatewayOperation,
        with token: Secret,
        _ snapshot: ReplaySnapshot,
        at gateway: GatewayAccount
    ) -> GatewayCall {
        var call = GatewayCall(operation, reference: attempt(snapshot, at: gateway))
        call.token = token
        call.amount = work.item.amount
        call.tip = work.item.tip
        call.tender = tender(snapshot, at: gateway)
        return call
    }

    func followUp(
        _ operation: GatewayOperation,
        _ snapshot: ReplaySnapshot,
        at gateway: GatewayAccount,
        _ now: Timestamp
    ) -> GatewayCall {
        let state = snapshot.state
        var call = GatewayCall(operation, reference: attempt(snapshot, at: gateway))
        call.original = original(snapshot, now)
        call.original.amount = state.money(state.captured > 0 ? state.captured : state.authorized)
        call.amount = amount(state)
        call.tip = work.item.tip
        call.tender = tender(snapshot, at: gateway)
        return call
    }

    private func tender(_ snapshot: ReplaySnapshot, at gateway: GatewayAccount) -> String {
        VendorAdapters.adapter(of: gateway.vendor).calledTender(of: snapshot.state.identity.tender)
    }

    private func attempt(_ snapshot: ReplaySnapshot, at gateway: GatewayAccount) -> String {
        CallReference(ReplayReference.attempt(work.tenant, work.item, snapshot.attempts + 1)).text(at: gateway)
    }

    private func reference(
        _ purpose: ReplayReference.Purpose,
        _ count: Int,
        at gateway: GatewayAccount
    ) -> String {
        CallReference(ReplayReference.text(work.plan, work.item.number, purpose, count)).text(at: gateway)
    }

    private func original(_ snapshot: ReplaySnapshot, _ now: Timestamp) -> OriginalPayment {
        OriginalPayment(snapshot.state, sent: snapshot.payment, at: snapshot.facts.first?.at ?? now)
    }

    /// The amount of a follow-up: for a tip adjustment and a capture, the whole new amount.
    private func amount(_ state: TransactionState) -> Money? {
        let item = work.item
        switch item.operation {
        case .followUp(.tipAdjustment):
            let open = state.countedCaptures.last(where: \.isOpen)
            guard let open, let tip = item.tip else { return item.amount }
            let base = open.net.subtractingReportingOverflow(open.tip)
            let total = base.partialValue.addingReportingOverflow(tip.value)
            return base.overflow || total.overflow ? nil : state.money(total.partialValue)
        case .followUp(.capture): return item.amount ?? state.money(state.authorized)
        case .followUp(.refund):
            return item.amount ?? state.money(PaymentBalance(state, approvedAt: nil).refundable)
        default: return item.amount
        }
    }
}
