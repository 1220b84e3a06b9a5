/// The rate of each fault, in parts per million of its opportunities.
package struct FaultProfile: Sendable, Hashable {
    /// Only rates above 0.
    private var rates: [Fault: Int] = [:]

    package static let none = FaultProfile()
    /// An ordinary day: half a percent of every fault.
    package static let everyday = FaultProfile(all: 5_000)
    /// A bad day: five percent of every fault.
    package static let storm = FaultProfile(all: 50_000)

    package init() {}

    /// - Parameter rate: The rate of every fault, 0...1,000,000.
    package init(all rate: Int) {
        for fault in Fault.allCases { self[fault] = rate }
    }

    /// The rate of a fault in parts per million.
    package subscript(fault: Fault) -> Int {
        get { rates[fault] ?? 0 }
        set { rates[fault] = newValue == 0 ? nil : newValue }
    }

    /// A profile from text: a name (`none`, `everyday`, `storm`), or `fault=rate,...` with `all` for every fault that
    /// is not named. Rates are decimals from 0 to 1, with up to six digits after the decimal point.
    ///
    /// - Throws: `InvalidProfile`, with the expected form.
    package init(parsing text: String) throws(InvalidProfile) {
        switch text {
        case "", "none": self = .none
        case "everyday": self = .everyday
        case "storm": self = .storm
        default:
            var named: [Fault: Int] = [:]
            var others = 0
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, let rate = Self.partsPerMillion(pair[1]) else {
                    throw InvalidProfile("\(part) is no fault=rate; a rate is a decimal from 0 to 1, as in late=0.02")
                }
                if pair[0] == "all" {
                    others = rate
                } else if let fault = Fault(rawValue: String(pair[0])) {
                    named[fault] = rate
                } else {
                    let known = Fault.allCases.map(\.rawValue).joined(separator: ", ")
                    throw InvalidProfile("there is no fault \(pair[0]); there are: all, \(known)")
                }
            }
            self.init(all: others)
            for (fault, rate) in named { self[fault] = rate }
        }
    }

    /// `0.02` is 20,000; nil for anything but a decimal from 0 to 1.
    static func partsPerMillion(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = Int(parts[0]), (0...1).contains(whole), parts[0].count == 1 else { return nil }
        var rate = whole * 1_000_000
        if parts.count == 2 {
            guard (1...6).contains(parts[1].count), let fraction = Int(parts[1]), parts[1].first?.isNumber == true
            else {
                return nil
            }
            rate += fraction * [0, 100_000, 10_000, 1_000, 100, 10, 1][parts[1].count]
        }
        return rate <= 1_000_000 ? rate : nil
    }

    /// The profile as text that `init(parsing:)` reads; every fault is named.
    package var text: String {
        Fault.allCases.map { fault in
            "\(fault.rawValue)=\(Self.decimal(self[fault]))"
        }
        .joined(separator: ",")
    }

    /// For example `0.020000`.
    static func decimal(_ rate: Int) -> String {
        "\(rate / 1_000_000).\(String(1_000_000 + rate % 1_000_000).dropFirst())"
    }
}

/// The reason why a text is not a fault profile.
package struct InvalidProfile: Error, Hashable {
    package var explanation: String

    init(_ explanation: String) { self.explanation = explanation }
}
