package import Canonical
package import Payments
package import Projections

/// A batch: totals by kind, brand, tender and currency, the net, and the host's own totals with the difference, if the
/// host reported some.
package struct BatchJSON: Codable, Sendable, Hashable {
    package var id: UUID128
    package var vendor: Vendor
    package var account: String?
    package var number: String?
    /// Which use of the number it is; absent without a number.
    package var generation: Int?
    package var status: BatchState.Status
    package var totals: [BatchTotalJSON]
    package var net: [Money]
    package var openedAt: Timestamp
    package var closedAt: Timestamp?
    /// The local time of the closing that the terminal or vendor printed.
    package var closedLocalTime: LocalTime?
    package var requested: Bool
    package var settlement: String?
    package var response: Response?
    package var host: HostTotals?
    package var difference: Money?
    package var evidence: Evidence?
    package var firstPosition: Int64
    package var asOfPosition: Int64?
    /// The last event about a batch of the past is unknown.
    package var lastPosition: Int64?

    package init(_ batch: BatchView) {
        id = batch.id
        vendor = batch.reference.vendor
        account = batch.reference.account
        number = batch.reference.number
        generation = batch.reference.number.map { _ in batch.reference.generation }
        status = batch.status
        totals = batch.totals.map(BatchTotalJSON.init)
        net = batch.nets
        openedAt = batch.openedAt
        closedAt = batch.closedAt
        closedLocalTime = batch.closing?.at?.local
        requested = batch.isRequested
        settlement = batch.closing?.settlement
        response = batch.closing?.response ?? batch.answer
        host = batch.closing?.totals
        if let net = host?.net, let ours = batch.nets.first(where: { $0.currency == net.currency }) {
            difference = Money(net.value.subtractingSaturated(ours.value), net.currency)
        }
        evidence = batch.closing?.rankedEvidence
        firstPosition = batch.firstPosition
        asOfPosition = batch.asOf
        lastPosition = batch.asOf == nil ? batch.lastPosition : nil
    }
}

package struct BatchTotalJSON: Codable, Sendable, Hashable {
    package var type: String
    package var brand: String?
    package var tender: String?
    package var count: Int64
    package var amount: Money
    package var tip: Money
    package var voidedCount: Int64
    package var voided: Money
    package var offlineCount: Int64
    package var offline: Money

    package init(_ total: BatchTotal) {
        type = total.type
        brand = total.brand
        tender = total.tender
        count = total.count
        amount = Money(total.amount, total.currency)
        tip = Money(total.tips, total.currency)
        voidedCount = total.voidedCount
        voided = Money(total.voided, total.currency)
        offlineCount = total.offlineCount
        offline = Money(total.offline, total.currency)
    }
}

package struct BatchMemberJSON: Codable, Sendable, Hashable {
    package var transaction: UUID128
    package var line: String
    package var type: String
    package var amount: Money
    package var tip: Money
    package var voided: Money
    package var evidence: Evidence
    package var brand: String?

    package init(_ member: BatchLine) {
        transaction = member.transaction
        line = member.line
        type = member.type
        amount = member.amount
        tip = Money(member.tip, member.amount.currency)
        voided = Money(member.voided, member.amount.currency)
        evidence = member.evidence
        brand = member.brand
    }
}

extension BatchView {
    /// Sales and captures less refunds and credits (I7), one for each currency.
    package var nets: [Money] {
        var nets: [Money] = []
        for total in totals {
            if let index = nets.firstIndex(where: { $0.currency == total.currency }) {
                nets[index] = Money(nets[index].value.addingSaturated(total.net), total.currency)
            } else {
                nets.append(Money(total.net, total.currency))
            }
        }
        return nets
    }
}
