package import Canonical
package import Matching

/// An exception of a ledger, named so that the truth can name it as well.
package struct FoundException: Sendable, Hashable {
    package var exceptionClass: String
    /// What the line's file was called when it was imported, and which of its lines it is, counted from 1; nil where the
    /// exception is about no line.
    package var file: String?
    package var number: Int64?
    /// The app's own name for the payment.
    package var payment: String?
    /// Minor units; nil where the ledger has none.
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

/// How well a reconciliation knows what is wrong with the statements of a simulation.
package struct ReconciliationScore: Sendable, Hashable {
    /// By class; only those that are there on one side.
    package private(set) var classes: [ExceptionClass: Measure] = [:]
    package private(set) var mismatches: [String] = []

    package var isClean: Bool { mismatches.isEmpty }

    fileprivate struct Name: Hashable {
        var exceptionClass: String
        /// The line, or else the payment.
        var subject: String
    }

    /// - Parameters:
    ///   - truth: What there is to find.
    ///   - found: What the ledger has open; every exception of the simulation's tenant.
    ///   - ignored: Classes that are neither wanted nor held against the ledger.
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
                mismatches.append("\(Name(one)): raised, and nothing is wrong")
                continue
            }
            guard one.amount == expected.amount, one.currency == expected.currency else {
                let told = one.amount.map { "\($0)" } ?? "nothing"
                mismatches.append(
                    "\(Name(one)): \(expected.amount) \(expected.currency) unexplained, the ledger says \(told) "
                        + (one.currency ?? "")
                )
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

    /// In the order of their names.
    package var measures: [(name: String, measure: Measure)] {
        classes.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// - Parameter limit: How many mismatches are listed.
    package func json(limit: Int = 1_000) -> JSONValue {
        var object: JSONObject = [:]
        for (name, measure) in measures { object[name] = measure.json }
        return [
            "isClean": .bool(isClean), "classes": .object(object),
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
        subject = file.map { "\($0) line \(number ?? 0)" } ?? payment ?? "-"
    }
}

extension ReconciliationScore.Name: CustomStringConvertible {
    fileprivate var description: String { "\(exceptionClass) \(subject)" }
}
