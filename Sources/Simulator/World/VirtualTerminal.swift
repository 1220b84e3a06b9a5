import Canonical
import Payments

/// A reader at a till, with its counters.
package struct VirtualTerminal: Sendable, Hashable {
    package let serial: String
    /// The host's id of the terminal.
    package let id: String
    /// Its name in the app.
    package let name: String
    /// Its id at the processor.
    package let network: String
    /// The UUID of its Bluetooth connection.
    package let identifier: String
    /// The account of its batches at the gateway, if that is not the terminal.
    package let account: String?
    /// Whether its account is settled by the app.
    package let isSettledByAccount: Bool
    /// The phone or tablet that runs the app.
    package let device: String
    package let merchant: Int
    /// The merchant's index among those of its vendor, from 0.
    package let merchantPlace: Int
    /// Its index among its merchant's terminals, from 0.
    package let place: Int
    /// The zone of its clock; nil: UTC.
    package let zone: String?
    /// The number of the open batch, by the host's count.
    package internal(set) var batch: Int
    /// The number of payments since it was set up.
    var counter = 0
    /// The clock's error in microseconds; positive if it is ahead.
    var skew: Int64 = 0
    /// Whether a document of a payment has named its account.
    var isAccountNamed = false
    /// In percent.
    var battery = 100
    /// The result of an earlier payment that the reader could not deliver.
    var unclaimed: JSONValue?
    /// The last part of the firmware's version, which updates increase.
    var firmware = 42

    /// The local time that its clock shows at an instant, written as if it were UTC.
    func shown(_ time: Timestamp) -> Timestamp { time.shown(in: zone) }

    /// The next number of its counter.
    mutating func count() -> Int {
        counter += 1
        if counter % 9 == 0 { battery = battery > 12 ? battery - 1 : 100 }
        return counter
    }
}

/// All merchants and terminals of a simulation.
struct World: Sendable {
    var merchants: [Merchant]
    var terminals: [VirtualTerminal]

    init(_ plan: SimulationPlan) {
        let root = SeededRandom(seed: plan.seed).fork("world")
        let tag = plan.tag
        merchants = (0..<plan.merchants).map { index in
            var random = root.fork("merchant", index)
            let vendor = plan.vendors[index % plan.vendors.count]
            let currencies = VirtualSDKs.sdk(of: vendor).currencies
            let traits = Self.traits(vendor, plan.troubles, root.fork("traits", index))
            let id = "\(tag)\(100 + index)"
            return Merchant(
                id: id,
                trade: random.pick(Merchant.Trade.allCases),
                vendor: vendor,
                currency: currencies[index / plan.vendors.count % currencies.count],
                place: index / plan.vendors.count,
                zone: plan.zones.isEmpty ? nil : plan.zones[index % plan.zones.count],
                traits: traits,
                codes: traits.contains(.idsByRole) ? MerchantCodes(tag: tag, index: index) : MerchantCodes(id)
            )
        }
        terminals = (0..<plan.terminals).map { [merchants] index in
            var random = root.fork("terminal", index)
            let digits = "\(tag)\(100_000 + index)"
            let merchant = merchants[index % plan.merchants]
            let isSplit = merchant.traits.contains(.idsByRole)
            let isBridgePay = merchant.vendor == .bridgepay
            return VirtualTerminal(
                serial: "S\(digits)",
                id: digits,
                name: isSplit && merchant.vendor == .dejavoo ? "S\(digits)" : digits,
                network: isSplit ? "PPB\(digits.suffix(5))." : digits,
                identifier: "\(digits.prefix(8))-0B7A-4D53-9C11-\(digits)",
                account: isBridgePay
                    ? merchant.codes.account : merchant.vendor == .paydiant ? merchant.codes.store : nil,
                isSettledByAccount: isBridgePay && merchant.traits.contains(.accountSettlement),
                device: "ipad-\(digits)",
                merchant: index % plan.merchants,
                merchantPlace: index % plan.merchants / plan.vendors.count,
                place: index / plan.merchants,
                zone: merchant.zone,
                batch: random.within(11...480)
            )
        }
    }

    private static func traits(_ vendor: Vendor, _ profile: TroubleProfile, _ random: SeededRandom) -> Set<Trouble> {
        var ids = random.fork("ids")
        var settlement = random.fork("settlement")
        var traits: Set<Trouble> = []
        if ids.chance(partsPerMillion: profile[.idsByRole]) { traits.insert(.idsByRole) }
        if vendor == .bridgepay, settlement.chance(partsPerMillion: profile[.accountSettlement]) {
            traits.insert(.accountSettlement)
        }
        return traits
    }
}
