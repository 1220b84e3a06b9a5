/// The rate of each fault per call.
package struct GatewayFaultProfile: Sendable, Hashable {
    /// Parts per million; only rates above 0, with a sum of at most a million.
    private var rates: [GatewayFault: Int] = [:]

    package static let none = GatewayFaultProfile()

    package init() {}

    /// The rate of a fault in parts per million.
    package subscript(fault: GatewayFault) -> Int { rates[fault] ?? 0 }

    /// A profile from text: `none`, or `fault=percent,...` as in `lost=20,duplicate=5,slow=2.5`. Percentages have up to
    /// four digits after the decimal point, and their sum is at most 100, because no call has two faults.
    ///
    /// - Throws: `InvalidProfile`, with the expected form.
    package init(parsing text: String) throws(InvalidProfile) {
        if text.isEmpty || text == "none" { return }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let rate = Self.partsPerMillion(pair[1]) else {
                throw InvalidProfile("\(part) is no fault=percent, as in lost=20 or slow=2.5")
            }
            guard let fault = GatewayFault(rawValue: String(pair[0])) else {
                let known = GatewayFault.allCases.map(\.rawValue).joined(separator: ", ")
                throw InvalidProfile("there is no fault \(pair[0]); there are: \(known)")
            }
            guard rates[fault] == nil else { throw InvalidProfile("\(fault.rawValue) is named twice") }
            rates[fault] = rate
        }
        guard rates.values.reduce(0, +) <= 1_000_000 else {
            throw InvalidProfile("the percentages come to more than 100, and no call has two faults")
        }
        rates = rates.filter { $0.value > 0 }
    }

    /// `2.5` is 25,000; nil for anything but a decimal from 0 to 100.
    private static func partsPerMillion(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isDigits = parts.allSatisfy { part in part.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isDigits, (1...3).contains(parts[0].utf8.count), let whole = Int(parts[0]) else { return nil }
        var rate = whole * 10_000
        if parts.count == 2 {
            guard (1...4).contains(parts[1].utf8.count), let fraction = Int(parts[1]) else { return nil }
            rate += fraction * [0, 1_000, 100, 10, 1][parts[1].utf8.count]
        }
        return rate <= 1_000_000 ? rate : nil
    }

    /// The profile as text that `init(parsing:)` reads.
    package var text: String {
        guard !rates.isEmpty else { return "none" }
        return GatewayFault.allCases.compactMap { fault in
            rates[fault].map { rate in
                let fraction = String(10_000 + rate % 10_000).dropFirst().reversed().drop { $0 == "0" }.reversed()
                return "\(fault.rawValue)=\(rate / 10_000)" + (fraction.isEmpty ? "" : "." + String(fraction))
            }
        }
        .joined(separator: ",")
    }

    /// The fault of a call: the same for the same seed, request and count on every machine.
    ///
    /// - Parameters:
    ///   - request: The kind of the call and the caller's reference.
    ///   - times: The number of times that the request arrived, from 1: a repeat draws again.
    func fault(of request: String, times: Int, at gateway: StandInGateway, seed: UInt64) -> PlannedFault? {
        guard !rates.isEmpty else { return nil }
        var random = SeededRandom(seed: seed).fork("\(gateway.rawValue) \(request)", times)
        var rest = random.below(1_000_000)
        for fault in GatewayFault.allCases {
            let rate = self[fault]
            guard rest >= rate else {
                guard fault.exists(at: gateway) else { return nil }
                let isBefore = random.chance(percent: 50)
                let drawn = fault == .fail ? isBefore ? .failBefore : .failAfter : fault
                return PlannedFault(
                    fault: drawn,
                    isReset: random.chance(percent: 50),
                    cutPercent: random.within(1...99)
                )
            }
            rest -= rate
        }
        return nil
    }
}
