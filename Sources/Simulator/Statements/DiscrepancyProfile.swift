package import Matching

/// How often statements say something else than the ledger: parts per million of what it can happen to.
package struct DiscrepancyProfile: Sendable, Hashable {
    /// The classes that a statement can cause. What is in doubt or has expired follows from the payments themselves, and
    /// nothing that is played gives the ledger a payment twice.
    package static let planted: [ExceptionClass] = [
        .missingInLedger, .missingAtProcessor, .amountDiffers, .currencyDiffers, .statusDiffers, .duplicateAtProcessor,
        .unmatchedDeposit, .batchOutOfBalance, .feeDiffers, .late, .chargebackWithoutSale,
    ]

    /// Only those above 0.
    private var rates: [ExceptionClass: Int] = [:]

    /// Statements say what happened.
    package static let none = DiscrepancyProfile()

    package init() {}

    /// - Parameter rate: The rate of every class that is planted, 0...1,000,000.
    package init(all rate: Int) {
        for planted in Self.planted { self[planted] = rate }
    }

    /// The rate of a class in parts per million; 0 for what is never planted.
    package subscript(exceptionClass: ExceptionClass) -> Int {
        get { rates[exceptionClass] ?? 0 }
        set { rates[exceptionClass] = newValue == 0 || !Self.planted.contains(exceptionClass) ? nil : newValue }
    }

    /// A profile from text: `none`, or `class=rate,...` with `all` for every class that is not named. Rates are decimals
    /// from 0 to 1, with up to six digits after the point.
    ///
    /// - Throws: `InvalidProfile`, with what would be right.
    package init(parsing text: String) throws(InvalidProfile) {
        self.init()
        if text.isEmpty || text == "none" { return }
        var named: [ExceptionClass: Int] = [:]
        var others = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let rate = FaultProfile.partsPerMillion(pair[1]) else {
                throw InvalidProfile("\(part) is no class=rate; a rate is a decimal from 0 to 1, as in late=0.02")
            }
            if pair[0] == "all" {
                others = rate
            } else if let planted = Self.planted.first(where: { $0.rawValue == pair[0] }) {
                named[planted] = rate
            } else {
                let known = Self.planted.map(\.rawValue).joined(separator: ", ")
                throw InvalidProfile("no statement is written with \(pair[0]); there are: all, \(known)")
            }
        }
        self.init(all: others)
        for (planted, rate) in named { self[planted] = rate }
    }

    /// The profile as text that `init(parsing:)` reads; every class is named.
    package var text: String {
        Self.planted.map { "\($0.rawValue)=\(FaultProfile.decimal(self[$0]))" }.joined(separator: ",")
    }
}
