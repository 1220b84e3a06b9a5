package import Canonical
package import Matching
package import Payments
package import Projections
package import Reconciliation

/// A closed business day, with its totals and open exceptions at the closing.
package struct PeriodJSON: Codable, Sendable, Hashable {
    package var id: UUID128
    package var merchant: String
    package var day: String
    package var status: PeriodFilter.Status
    package var zone: String
    package var cutoff: String
    package var position: Int64
    package var at: Timestamp
    package var by: String
    package var reason: String
    package var totals: [MoneyTotalsJSON]
    package var carried: [OpenExceptionsJSON]
    package var firstPosition: Int64
    package var lastPosition: Int64

    package init(_ period: PeriodView) throws {
        let closing = try JSONValueDecoder().decode(PeriodClosing.self, parsing: period.reported)
        id = period.id
        merchant = period.merchant
        day = period.day
        status = try PeriodFilter.Status(stored: period.status)
        zone = closing.zone
        cutoff = closing.cutoff
        position = closing.position
        at = period.at
        by = period.by
        reason = period.reason
        totals = try closing.totals.map { try MoneyTotalsJSON($0) }
        carried = try closing.carried.map(OpenExceptionsJSON.init)
        firstPosition = period.firstPosition
        lastPosition = period.lastPosition
    }

    /// The number of exceptions that were open at the closing.
    package var carriedCount: Int64 { carried.reduce(0) { $0 + $1.count } }
}

/// One change of a business day since it was closed.
package struct PeriodChangeJSON: Codable, Sendable, Hashable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case money
        case statementLine = "statement-line"
        case match, exception
    }

    /// The rule of a match, the status of an exception, the amount of a line, or a line of money as in batches.
    package struct Side: Codable, Sendable, Hashable {
        package var transaction: UUID128?
        package var line: String?
        package var type: String?
        package var rule: String?
        package var amount: Money?
        package var tip: Money?
        package var voided: Money?
        package var evidence: Evidence?
        package var brand: String?
        package var status: String?
    }

    package var kind: Kind
    package var change: ChangeJSON.Change
    package var transaction: UUID128?
    package var line: String?
    package var movement: String?
    package var statementLine: UUID128?
    package var type: String?
    package var exception: UUID128?
    package var `class`: ExceptionClass?
    package var before: Side?
    package var after: Side?

    /// A change of money.
    package init(_ money: ChangeJSON) {
        kind = .money
        change = money.change
        transaction = money.transaction
        line = money.line
        before = money.before.map(Side.init)
        after = money.after.map(Side.init)
    }

    /// A change of something else, in the form in which the database writes it.
    package init(_ other: PeriodChange) throws {
        var members = try JSONValue(parsing: other.reported.utf8).object ?? [:]
        members["kind"] = .string(other.place.kind.rawValue)
        self = try JSONValueDecoder().decode(Self.self, from: .object(members))
    }
}

extension PeriodChangeJSON.Side {
    fileprivate init(_ line: BatchMemberJSON) {
        transaction = line.transaction
        self.line = line.line
        type = line.type
        amount = line.amount
        tip = line.tip
        voided = line.voided
        evidence = line.evidence
        brand = line.brand
    }
}

/// A page of changes, with the day and the compared positions.
package typealias PeriodChangePageJSON = Joined<ComparedDayJSON, PageJSON<PeriodChangeJSON>>

/// A business day at two positions of the log.
package struct ComparedDayJSON: Codable, Sendable, Hashable {
    package var fromPosition: Int64
    package var toPosition: Int64
    package var day: String
    package var zone: String
    package var cutoff: String

    package init(_ comparison: PeriodComparison, _ days: BusinessDay) {
        fromPosition = comparison.money.from
        toPosition = comparison.money.to
        day = comparison.day
        zone = days.zone.name
        cutoff = days.cutoff
    }
}

extension PeriodTotal {
    package init(_ row: TotalsRow) {
        self.init(
            currency: row.currency.alpha,
            capturedCount: row.capturedCount,
            captured: row.captured,
            tips: row.tips,
            refundedCount: row.refundedCount,
            refunded: row.refunded,
            creditedCount: row.creditedCount,
            credited: row.credited,
            voidedCount: row.voidedCount,
            voided: row.voided,
            net: row.net
        )
    }
}
