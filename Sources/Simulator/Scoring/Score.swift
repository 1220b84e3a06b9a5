package import Canonical
import Payments

/// A difference between the ledger and the truth.
package struct Mismatch: Sendable, Hashable {
    package enum Aspect: String, Sendable, Hashable, CaseIterable {
        /// The ledger has no such payment.
        case absent
        /// The ledger has several payments for it.
        case doubled
        case status, amount
        /// In doubt in the ledger although the evidence arrived.
        case inDoubt = "in-doubt"
        /// The payment is in another batch.
        case membership
        /// A batch is not closed, or its sums differ.
        case batch
        /// The sums of a merchant's day differ.
        case day
        /// The local time is not that of the terminal's clock.
        case time
        /// The receipt has another time.
        case receipt
        /// The payment is another merchant's.
        case merchant
        /// A payment at the vendor's test system is not marked, or another one is.
        case test
        /// A contradiction is not recorded.
        case anomaly
        /// The state of a signature or of a cancellation differs.
        case state
        /// A part of the amount differs.
        case part
    }

    package var aspect: Aspect
    /// The app's name of the payment, or the batch.
    package var subject: String
    package var expected: String
    package var found: String
    /// The payment's faults in the simulation, and its data in the ledger.
    package var why: String

    package var json: JSONValue {
        [
            "aspect": .string(aspect.rawValue), "subject": .string(subject), "expected": .string(expected),
            "found": .string(found), "why": .string(why),
        ]
    }
}

/// The precision and recall of claims.
package struct Measure: Sendable, Hashable {
    /// Correct claims.
    package var right = 0
    package var claimed = 0
    /// The claims that should have been made.
    package var actual = 0

    /// In ten-thousandths; 10,000 without claims.
    package var precision: Int { claimed == 0 ? 10_000 : right * 10_000 / claimed }
    /// In ten-thousandths; 10,000 if there was nothing to claim.
    package var recall: Int { actual == 0 ? 10_000 : right * 10_000 / actual }

    /// For example `0.9987`.
    package static func text(_ share: Int) -> String {
        "\(share / 10_000).\(String(10_000 + share % 10_000).dropFirst())"
    }

    mutating func count(isClaimed: Bool, isActual: Bool, isRight: Bool) {
        if isClaimed { claimed += 1 }
        if isActual { actual += 1 }
        if isRight { right += 1 }
    }

    var json: JSONValue {
        [
            "right": .number(.init(Int64(right))), "claimed": .number(.init(Int64(claimed))),
            "actual": .number(.init(Int64(actual))), "precision": .string(Self.text(precision)),
            "recall": .string(Self.text(recall)),
        ]
    }
}

/// The accuracy of a ledger compared with the truth.
package struct Score: Sendable, Hashable {
    package var payments = 0
    package var batches = 0
    /// The number of merchants' days on which money moved.
    package var days = 0
    /// Payments in doubt in the ledger, compared with those whose evidence never arrived.
    package var inDoubt = Measure()
    /// Payments with a known outcome in the ledger, compared with those whose evidence arrived.
    package var statuses = Measure()
    /// The same for all amounts of a payment together.
    package var amounts = Measure()
    package var membership = Measure()
    package var mismatches: [Mismatch] = []
    /// The payments by vendor, and by fault and trouble.
    package private(set) var groups: [ScoreGroup] = []

    package init() {}

    /// Counts a payment in its groups.
    mutating func count(_ truth: PaymentTruth, isRight: Bool) {
        var names = [ScoreGroup(kind: "vendor", name: truth.vendor.rawValue)]
        names += truth.faults.map { ScoreGroup(kind: "fault", name: $0.rawValue) }
        names += Set(truth.troubles).map { ScoreGroup(kind: "trouble", name: $0.rawValue) }
        if names.count == 1 { names.append(ScoreGroup(kind: "none", name: "neither")) }
        for name in names {
            if !groups.contains(where: { $0.kind == name.kind && $0.name == name.name }) { groups.append(name) }
            for index in groups.indices where groups[index].kind == name.kind && groups[index].name == name.name {
                groups[index].payments += 1
                if isRight { groups[index].right += 1 }
            }
        }
    }

    mutating func sortGroups() { groups.sort { ($0.kind, $0.name) < ($1.kind, $1.name) } }

    package var isClean: Bool { mismatches.isEmpty }

    /// The four measures by name.
    package var measures: [(name: String, measure: Measure)] {
        [("in doubt", inDoubt), ("status", statuses), ("amounts", amounts), ("batch membership", membership)]
    }

    /// - Parameter limit: The maximum number of listed mismatches.
    package func json(limit: Int = 1_000) -> JSONValue {
        [
            "payments": .number(.init(Int64(payments))), "batches": .number(.init(Int64(batches))),
            "days": .number(.init(Int64(days))),
            "isClean": .bool(isClean), "inDoubt": inDoubt.json, "status": statuses.json, "amounts": amounts.json,
            "membership": membership.json, "groups": .array(groups.map(\.json)),
            "mismatchCount": .number(.init(Int64(mismatches.count))),
            "mismatches": .array(mismatches.prefix(limit).map(\.json)),
        ]
    }
}
