import Canonical
import Payments

/// A reader at a till, with what it counts by itself.
package struct VirtualTerminal: Sendable, Hashable {
    /// The reader's serial number.
    package let serial: String
    /// The id under which the host knows it.
    package let id: String
    /// The phone or tablet the app runs on.
    package let device: String
    package let merchant: Int
    /// The merchant's number among those of its vendor, from 0.
    package let merchantPlace: Int
    /// Its number among the terminals of its merchant, from 0.
    package let place: Int
    /// The batch that is open, by the host's count.
    package internal(set) var batch: Int
    /// Payments since it was set up.
    var counter = 0
    /// How much its clock is ahead, in microseconds; behind where negative.
    var skew: Int64 = 0
    /// Per cent.
    var battery = 100
    /// The last part of its firmware's version, which updates raise.
    var firmware = 42

    /// The next number of its own count.
    mutating func count() -> Int {
        counter += 1
        if counter % 9 == 0 { battery = battery > 12 ? battery - 1 : 100 }
        return counter
    }
}

/// Everybody who takes part.
struct World: Sendable {
    var merchants: [Merchant]
    var terminals: [VirtualTerminal]

    init(_ plan: SimulationPlan) {
        let root = SeededRandom(seed: plan.seed).fork("world")
        let tag = plan.tag
        merchants = (0..<plan.merchants).map { index in
            var random = root.fork("merchant", index)
            let vendor = plan.vendors[index % plan.vendors.count]
            let currencies = VirtualSDKs.sdk(of: vendor)?.currencies ?? [.usd]
            return Merchant(
                id: "\(tag)\(100 + index)",
                trade: random.pick(Merchant.Trade.allCases),
                vendor: vendor,
                currency: currencies[index / plan.vendors.count % currencies.count],
                place: index / plan.vendors.count
            )
        }
        terminals = (0..<plan.terminals).map { index in
            var random = root.fork("terminal", index)
            let digits = "\(tag)\(100_000 + index)"
            return VirtualTerminal(
                serial: "S\(digits)",
                id: digits,
                device: "ipad-\(digits)",
                merchant: index % plan.merchants,
                merchantPlace: index % plan.merchants / plan.vendors.count,
                place: index / plan.merchants,
                batch: random.within(11...480)
            )
        }
    }
}
