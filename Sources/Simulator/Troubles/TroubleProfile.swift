/// The rate of each trouble, in parts per million of its opportunities.
package struct TroubleProfile: Sendable, Hashable {
    /// Only rates above 0.
    private var rates: [Trouble: Int] = [:]

    package static let none = TroubleProfile()

    package init() {}

    /// - Parameter rate: The rate of every trouble, 0...1,000,000.
    package init(all rate: Int) {
        for trouble in Trouble.allCases { self[trouble] = rate }
    }

    /// The rate of a trouble in parts per million.
    package subscript(trouble: Trouble) -> Int {
        get { rates[trouble] ?? 0 }
        set { rates[trouble] = newValue == 0 ? nil : newValue }
    }

    /// A profile from text: `none`, or `trouble=rate,...` with `all` for every trouble that is not named. Rates are
    /// decimals from 0 to 1, with up to six digits after the decimal point.
    ///
    /// - Throws: `InvalidProfile`, with the expected form.
    package init(parsing text: String) throws(InvalidProfile) {
        self.init()
        if text.isEmpty || text == "none" { return }
        var named: [Trouble: Int] = [:]
        var others = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let rate = FaultProfile.partsPerMillion(pair[1]) else {
                throw InvalidProfile("\(part) is no trouble=rate; a rate is a decimal from 0 to 1, as in deposit=0.02")
            }
            if pair[0] == "all" {
                others = rate
            } else if let trouble = Trouble(rawValue: String(pair[0])) {
                named[trouble] = rate
            } else {
                let known = Trouble.allCases.map(\.rawValue).joined(separator: ", ")
                throw InvalidProfile("there is no trouble \(pair[0]); there are: all, \(known)")
            }
        }
        self.init(all: others)
        for (trouble, rate) in named { self[trouble] = rate }
    }

    /// The profile as text that `init(parsing:)` reads.
    package var text: String {
        let named = Trouble.allCases.filter { self[$0] > 0 }.map { "\($0.rawValue)=\(FaultProfile.decimal(self[$0]))" }
        return named.isEmpty ? "none" : named.joined(separator: ",")
    }

    /// At most one of the troubles.
    func roll(_ troubles: [Trouble], _ random: inout SeededRandom) -> Trouble? {
        let sum = troubles.reduce(0) { $0 + self[$1] }
        // Rates with a sum above one are scaled down.
        var rest = random.below(max(1_000_000, sum))
        for trouble in troubles {
            if rest < self[trouble] { return trouble }
            rest -= self[trouble]
        }
        return nil
    }
}
