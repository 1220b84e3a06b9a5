import Canonical
import Payments
import Testing

/// Documents do not arrive in order: what a till relays must not decide by coming first.
@Suite("The order of relayed documents and the gateway's own")
struct RelayedOrderTests {
    /// One document, with its facts.
    private enum Report: CaseIterable {
        case tillSale, tillVoid, webhookSale, webhookVoid, relayedClosing
    }

    private static func facts(_ report: Report, _ variant: Variant) -> [TransactionEvent] {
        let voidedAt = variant.isTimed ? Reported.time(5) : nil
        let partly = variant.partly
        switch report {
        case .tillSale: return Reported.sale(variant.tillAmount, in: 1).map { $0.limited(to: .relayed) }
        case .webhookSale: return Reported.sale(750, in: 1)
        case .tillVoid: return [.voided(Reported.part("void", partly, at: voidedAt)).limited(to: .relayed)]
        case .webhookVoid: return [.voided(Reported.part("void", partly, at: voidedAt))]
        case .relayedClosing:
            let closing = TransactionEvent.settled(Reported.settlement(1, at: variant.isTimed ? Reported.time(9) : nil))
            return [closing.limited(to: .relayed)]
        }
    }

    private static func permutations(_ reports: [Report]) -> [[Report]] {
        guard !reports.isEmpty else { return [[]] }
        return reports.indices.flatMap { index in
            var rest = reports
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    /// True if no void comes before every sale. A part of a payment that is not recorded is taken from what is held.
    private static func beginsWithSale(_ order: [Report]) -> Bool {
        order.first { $0 != .relayedClosing }.map { $0 == .tillSale || $0 == .webhookSale } ?? true
    }

    private static var subsets: [[Report]] {
        (1..<(1 << Report.allCases.count)).map { bits in
            Report.allCases.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element)
        }
    }

    struct Variant: Sendable, CustomTestStringConvertible {
        var tillAmount: Int64 = 750
        var partly: Int64?
        var isTimed = true

        var testDescription: String { "\(tillAmount), \(partly ?? 0), \(isTimed ? "timed" : "without times")" }
    }

    @Test(
        "The same facts give the same money in every order, and an outranked void is in doubt",
        arguments: [
            Variant(), Variant(isTimed: false), Variant(tillAmount: 700), Variant(partly: 100),
            Variant(tillAmount: 900, partly: 100, isTimed: false),
        ]
    )
    func orders(variant: Variant) throws {
        for reports in Self.subsets {
            var found: Set<String> = []
            for order in Self.permutations(reports) where variant.partly == nil || Self.beginsWithSale(order) {
                var history: [TransactionEvent] = []
                for report in order {
                    let facts = Self.facts(report, variant)
                    history += Lifecycle.decide(facts, after: history, policy: LifecyclePolicy())
                }
                let state = TransactionState(folding: history)
                found.insert("\(state.status) \(state.amountsText)")
                let isVoidedByGateway = order.contains(.webhookVoid)
                if order.contains(.webhookSale), !isVoidedByGateway {
                    try #require(state.captured == 750, "\(order)")
                    try #require(state.isInDoubt == order.contains(.tillVoid), "\(order) \(state.anomalies)")
                }
                if isVoidedByGateway, order.contains(.webhookSale) {
                    try #require(state.captured == (variant.partly.map { 750 - $0 } ?? 0), "\(order)")
                    try #require(!state.isInDoubt, "\(order) \(state.anomalies)")
                }
                try #require(state.version == Int64(history.count))
            }
            // Without a time, a void that only a till reports and a closing are in the order of their arrival.
            let isUnordered =
                reports.contains(.tillVoid) && reports.contains(.relayedClosing)
                && (!variant.isTimed || variant.partly != nil)
                && !reports.contains(.webhookSale) && !reports.contains(.webhookVoid)
            if !isUnordered { try #require(found.count <= 1, "\(reports): \(found.sorted())") }
        }
    }
}
