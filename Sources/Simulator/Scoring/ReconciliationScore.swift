package import Canonical
package import Matching

/// An exception of a ledger, with names that the truth uses as well.
package struct FoundException: Sendable, Hashable {
    package var exceptionClass: String
    /// The name under which the file was imported, and the line's number in it, from 1; nil if the exception is not
    /// about a file, or not about a line.
    package var file: String?
    package var number: Int64?
    /// The app's name for the payment.
    package var payment: String?
    /// Minor units; nil if the ledger has none.
    package var amount: Int64?
    package var currency: String?

    package init(
        exceptionClass: String,
        file: String?,
        number: Int64?,
        payment: String?,
        amount: Int64?,
        currency: String?
    ) {
        self.exceptionClass = exceptionClass
        self.file = file
        self.number = number
        self.payment = payment
        self.amount = amount
        self.currency = currency
    }
}

/// A ledger's match of a line.
package struct FoundMatch: Sendable, Hashable {
    /// The name under which the line's file was imported, and the line's number in it, from 1.
    package var file: String
    package var number: Int64
    /// The app's name for the payment, or else the ledger's.
    package var payment: String

    package init(file: String, number: Int64, payment: String) {
        self.file = file
        self.number = number
        self.payment = payment
    }
}

/// A payout's line and a bank's line that a ledger has matched: each with its file and its number there.
package struct FoundDeposit: Sendable, Hashable {
    package var payout: String
    package var deposit: String

    package init(payout: (file: String, number: Int64), deposit: (file: String, number: Int64)) {
        self.payout = ReconciliationScore.line(payout.file, payout.number)
        self.deposit = ReconciliationScore.line(deposit.file, deposit.number)
    }
}

/// The precision and recall of a reconciliation for the discrepancies of a simulation.
package struct ReconciliationScore: Sendable, Hashable {
    /// By class; only classes that occur on one of the sides.
    package private(set) var classes: [ExceptionClass: Measure] = [:]
    /// Lines with the payments that explain them.
    package private(set) var matches = Measure()
    /// Payouts with their deposits at the bank.
    package private(set) var deposits = Measure()
    package private(set) var mismatches: [String] = []

    package var isClean: Bool { mismatches.isEmpty }

    fileprivate struct Name: Hashable {
        var exceptionClass: String
        /// The line or file, or else the payment.
        var subject: String
    }

    /// - Parameters:
    ///   - truth: The discrepancies to find.
    ///   - found: The ledger's open exceptions; every exception of the simulation's tenant.
    ///   - ignored: Classes that are neither expected nor counted as errors.
    package init(
        _ truth: [DiscrepancyTruth],
        found: [FoundException],
        ignoring ignored: Set<ExceptionClass> = []
    ) {
        var wanted: [Name: DiscrepancyTruth] = [:]
        for one in truth where !ignored.contains(one.exceptionClass) {
            wanted[Name(one)] = one
            classes[one.exceptionClass, default: Measure()].actual += 1
        }
        for one in found where !ignored.contains(where: { $0.rawValue == one.exceptionClass }) {
            guard let exceptionClass = ExceptionClass(rawValue: one.exceptionClass) else {
                mismatches.append("\(one.exceptionClass): no such class")
                continue
            }
            classes[exceptionClass, default: Measure()].claimed += 1
            guard let expected = wanted.removeValue(forKey: Name(one)) else {
                mismatches.append("\(Name(one)): raised without a discrepancy")
                continue
            }
            guard one.amount == expected.amount, one.currency == expected.currency else {
                func money(_ amount: Int64?, _ currency: String?) -> String {
                    "\(amount.map { "\($0)" } ?? "nothing") \(currency ?? "")"
                }
                let wanted = money(expected.amount, expected.currency)
                mismatches.append("\(Name(one)): \(wanted), the ledger has \(money(one.amount, one.currency))")
                continue
            }
            classes[exceptionClass]?.right += 1
        }
        for one in wanted.values {
            let why = one.isPlanted ? "planted" : "follows from the payment"
            mismatches.append("\(Name(one)): not raised (\(why), payment \(one.payment ?? "-"))")
        }
        mismatches.sort()
    }

    /// Also compares the matches.
    ///
    /// - Parameters:
    ///   - truth: The truth of a simulation with statements.
    ///   - found: The ledger's open exceptions, and the resolved ones of payments in doubt.
    ///   - matches: Every matched line, once for each payment.
    ///   - deposits: Every matched payout.
    ///   - ignored: Classes that are neither expected nor counted as errors.
    package init(
        _ truth: TruthFile,
        found: [FoundException],
        matches: Set<FoundMatch>,
        deposits: Set<FoundDeposit>,
        ignoring ignored: Set<ExceptionClass> = []
    ) {
        self.init(truth.discrepancies, found: found, ignoring: ignored)
        let wanted = Set(
            truth.matches.compactMap { one in
                one.payment.map { FoundMatch(file: one.file, number: one.number, payment: $0) }
            }
        )
        self.matches = compare(wanted, matches) { "match \(Self.line($0.file, $0.number)) with \($0.payment)" }
        self.deposits = compare(Self.deposits(truth.matches), deposits) { "match \($0.payout) with \($0.deposit)" }
        mismatches.sort()
    }

    /// The lines of one payout at its processor with those at its bank.
    private static func deposits(_ truth: [MatchTruth]) -> Set<FoundDeposit> {
        var deposits: Set<FoundDeposit> = []
        for (_, lines) in Dictionary(grouping: truth.filter { $0.payout != nil }, by: \.payout) {
            let (bank, processor) = (lines.filter { $0.isAtBank }, lines.filter { !$0.isAtBank })
            for payout in processor {
                for deposit in bank {
                    deposits.insert(
                        FoundDeposit(payout: (payout.file, payout.number), deposit: (deposit.file, deposit.number))
                    )
                }
            }
        }
        return deposits
    }

    private mutating func compare<One: Hashable>(
        _ wanted: Set<One>,
        _ found: Set<One>,
        _ text: (One) -> String
    ) -> Measure {
        mismatches += found.subtracting(wanted).map { "\(text($0)): matched wrongly" }
        mismatches += wanted.subtracting(found).map { "\(text($0)): not matched" }
        var measure = Measure()
        measure.right = found.intersection(wanted).count
        measure.claimed = found.count
        measure.actual = wanted.count
        return measure
    }

    /// For example `adyen-m1.csv line 7`.
    fileprivate static func line(_ file: String, _ number: Int64) -> String { "\(file) line \(number)" }

    /// The classes in the order of their names.
    package var measures: [(name: String, measure: Measure)] {
        classes.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// - Parameter limit: The maximum number of listed mismatches.
    package func json(limit: Int = 1_000) -> JSONValue {
        var object: JSONObject = [:]
        for (name, measure) in measures { object[name] = measure.json }
        return [
            "isClean": .bool(isClean), "classes": .object(object), "matches": matches.json, "deposits": deposits.json,
            "mismatchCount": .number(.init(Int64(mismatches.count))),
            "mismatches": .array(mismatches.prefix(limit).map { .string($0) }),
        ]
    }
}

extension ReconciliationScore.Name {
    fileprivate init(_ truth: DiscrepancyTruth) {
        self.init(exceptionClass: truth.exceptionClass.rawValue, truth.file, truth.number, truth.payment)
    }

    fileprivate init(_ found: FoundException) {
        self.init(exceptionClass: found.exceptionClass, found.file, found.number, found.payment)
    }

    private init(exceptionClass: String, _ file: String?, _ number: Int64?, _ payment: String?) {
        self.exceptionClass = exceptionClass
        subject = file.map { file in number.map { ReconciliationScore.line(file, $0) } ?? file } ?? payment ?? "-"
    }
}

extension ReconciliationScore.Name: CustomStringConvertible {
    fileprivate var description: String { "\(exceptionClass) \(subject)" }
}
