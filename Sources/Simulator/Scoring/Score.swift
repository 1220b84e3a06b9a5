package import Canonical

/// Something the ledger does not know rightly.
package struct Mismatch: Sendable, Hashable {
    package enum Aspect: String, Sendable, Hashable, CaseIterable {
        /// The ledger has no such payment.
        case absent
        /// The ledger has several.
        case doubled
        case status, amount
        /// Listed as in doubt although the evidence came.
        case inDoubt = "in-doubt"
        /// The payment is in another batch.
        case membership
        /// A batch is not closed, or adds up to something else.
        case batch
        /// A merchant's day adds up to something else.
        case day
    }

    package var aspect: Aspect
    /// The app's name of the payment, or the batch.
    package var subject: String
    package var expected: String
    package var found: String
    /// What happened to it in the simulation, and what the ledger says about it.
    package var why: String

    package var json: JSONValue {
        [
            "aspect": .string(aspect.rawValue), "subject": .string(subject), "expected": .string(expected),
            "found": .string(found), "why": .string(why),
        ]
    }
}

/// How much of what was claimed is right, and how much of what is right was claimed.
package struct Measure: Sendable, Hashable {
    /// Claimed, and right.
    package var right = 0
    package var claimed = 0
    /// What should have been claimed.
    package var actual = 0

    /// Ten-thousandths; 10,000 where nothing was claimed.
    package var precision: Int { claimed == 0 ? 10_000 : right * 10_000 / claimed }
    /// Ten-thousandths; 10,000 where there was nothing to claim.
    package var recall: Int { actual == 0 ? 10_000 : right * 10_000 / actual }

    /// `0.9987`.
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

/// How well a ledger knows what really happened.
package struct Score: Sendable, Hashable {
    package var payments = 0
    package var batches = 0
    /// Days of merchants on which money moved.
    package var days = 0
    /// Payments that are listed as in doubt, against those whose evidence never came.
    package var inDoubt = Measure()
    /// Payments whose end the ledger tells, against those whose evidence came.
    package var statuses = Measure()
    /// The same of all amounts of a payment together.
    package var amounts = Measure()
    /// Payments in batches.
    package var membership = Measure()
    package var mismatches: [Mismatch] = []

    package init() {}

    package var isClean: Bool { mismatches.isEmpty }

    /// The four measures by name.
    package var measures: [(name: String, measure: Measure)] {
        [("in doubt", inDoubt), ("status", statuses), ("amounts", amounts), ("batch membership", membership)]
    }

    /// - Parameter limit: How many mismatches are listed.
    package func json(limit: Int = 1_000) -> JSONValue {
        [
            "payments": .number(.init(Int64(payments))), "batches": .number(.init(Int64(batches))),
            "days": .number(.init(Int64(days))),
            "isClean": .bool(isClean), "inDoubt": inDoubt.json, "status": statuses.json, "amounts": amounts.json,
            "membership": membership.json, "mismatchCount": .number(.init(Int64(mismatches.count))),
            "mismatches": .array(mismatches.prefix(limit).map(\.json)),
        ]
    }
}
