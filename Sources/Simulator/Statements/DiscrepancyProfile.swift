package import Matching

/// The rates of discrepancies between statements and ledger, and between ledger and truth: parts per million of their
/// opportunities.
package struct DiscrepancyProfile: Sendable, Hashable {
    /// All classes that are planted.
    package static let planted: [ExceptionClass] =
        [
            .missingInLedger, .missingAtProcessor, .amountDiffers, .currencyDiffers, .statusDiffers,
            .duplicateAtProcessor,
            .unmatchedDeposit, .payoutDiffers, .batchOutOfBalance, .feeDiffers, .late, .chargebackWithoutSale,
            .chargebackNotRecorded, .unexplainedLine,
        ] + reported

    /// The classes that are planted in the documents to the ledger instead of a statement.
    package static let reported: [ExceptionClass] = [.expiredAuthorization, .inDoubtResolved, .duplicateInLedger]

    /// Only rates above 0.
    private var rates: [ExceptionClass: Int] = [:]

    package static let none = DiscrepancyProfile()

    package init() {}

    /// - Parameter rate: The rate of every class that is planted, 0...1,000,000.
    package init(all rate: Int) {
        for planted in Self.planted { self[planted] = rate }
    }

    /// The rate of a class in parts per million.
    package subscript(exceptionClass: ExceptionClass) -> Int {
        get { rates[exceptionClass] ?? 0 }
        set { rates[exceptionClass] = newValue == 0 ? nil : newValue }
    }

    /// A profile from text: `none`, or `class=rate,...` with `all` for every class that is not named. Rates are
    /// decimals from 0 to 1, with up to six digits after the decimal point.
    ///
    /// - Throws: `InvalidProfile`, with the expected form.
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
                throw InvalidProfile("there is no class \(pair[0]); there are: all, \(known)")
            }
        }
        self.init(all: others)
        for (planted, rate) in named { self[planted] = rate }
    }

    /// The rates of the classes planted in documents; empty if there are none.
    var reportedText: String {
        Self.reported.filter { self[$0] > 0 }.map { "\($0.rawValue)=\(FaultProfile.decimal(self[$0]))" }
            .joined(separator: ",")
    }

    /// The profile as text that `init(parsing:)` reads; every class is named.
    package var text: String {
        Self.planted.map { "\($0.rawValue)=\(FaultProfile.decimal(self[$0]))" }.joined(separator: ",")
    }
}
