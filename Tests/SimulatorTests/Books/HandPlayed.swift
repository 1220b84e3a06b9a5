import Canonical
import Payments

@testable import Simulator

/// A payment of 10.00 at the only terminal of a vendor, whose reports a test plays by hand.
struct HandPlayed {
    private(set) var truth: PaymentTruth
    private let noon: Timestamp

    /// The days that reports are on by the clock of UTC.
    static let days = ["2025-03-03", "2025-03-04"]

    init(_ vendor: Vendor, zone: String? = nil) throws {
        let plan = try SimulationPlan(
            seed: 1,
            merchants: 1,
            terminals: 1,
            transactions: 1,
            days: 2,
            vendors: [vendor],
            zones: zone.map { [$0] } ?? []
        )
        let world = World(plan)
        noon = plan.firstDay.adding(microseconds: 12 * 3_600_000_000)
        let purchase = Purchase(
            number: 0,
            reference: "payment",
            tag: plan.tag,
            merchant: world.merchants[0],
            at: noon,
            end: plan.firstDay.adding(microseconds: 48 * 3_600_000_000),
            intent: .sale,
            fault: nil,
            planted: nil,
            basket: Basket(base: 1_000),
            card: TestCard.all[0],
            isCareless: false
        )
        truth = PaymentTruth(purchase, on: world.terminals[0])
    }

    var batch: BatchName { BatchName(vendor: truth.vendor, account: truth.terminal) }

    /// A report of the device after something has happened.
    ///
    /// - Parameter hours: After noon in UTC of the first day.
    mutating func report(after hours: Int64 = 0, _ change: (inout PaymentTruth) -> Void) {
        change(&truth)
        truth.reported(at: noon.adding(microseconds: hours * 3_600_000_000))
    }

    mutating func forgetTender() { truth.forgetTender() }

    /// The balances at the end of a day, by the names of accounts; nil: of all days.
    func balances(on day: String?) -> [String: Int64] { [truth].balances(on: day) }
}

extension Sequence<PaymentTruth> {
    func balances(on day: String?) -> [String: Int64] { named(BalanceTruth.sums(of: self, through: day)) }
}

/// Balances by the text of their accounts.
func named(_ balances: [AccountName: Int64]) -> [String: Int64] {
    Dictionary(uniqueKeysWithValues: balances.map { ($0.key.text, $0.value) })
}
