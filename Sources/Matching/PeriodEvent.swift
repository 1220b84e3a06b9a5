package import Canonical
import Payments
package import Redaction

/// The events of one business day of one merchant: a `period/<uuid>` stream.
package enum PeriodEvent: LedgerEvent {
    /// The day's totals at its closing, which never change.
    case closed(PeriodClosing)
    /// The day is open again; the earlier totals stay in the log.
    case reopened(PeriodReopening)

    /// The names of the event types, as stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case closed = "PeriodClosed"
        case reopened = "PeriodReopened"
    }

    package var schema: Int { 1 }

    package var type: String {
        switch self {
        case .closed: Name.closed.rawValue
        case .reopened: Name.reopened.rawValue
        }
    }

    package var payload: any Encodable {
        switch self {
        case .closed(let payload): payload
        case .reopened(let payload): payload
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        let stored = try StoredEvent<Name>(type: type, schema: schema, data: data)
        switch stored.name {
        case .closed: self = .closed(try stored.payload())
        case .reopened: self = .reopened(try stored.payload())
        }
    }
}

/// The totals and open exceptions of a business day at its closing.
package struct PeriodClosing: Sendable, Hashable, Codable {
    package var merchant: String
    /// The other names of the merchant at the position, for which the day is closed as well; nil if it has none.
    package var otherNames: [String]?
    /// `2026-03-01`.
    package var day: String
    /// The time zone of the day.
    package var zone: String
    /// The local time at which the day begins: `04:00`.
    package var cutoff: String
    /// The totals include every event up to this position.
    package var position: Int64
    package var totals: [PeriodTotal]
    /// The open exceptions of the day. They are processed after the day is closed.
    package var carried: [CarriedExceptions]
    package var reason: String

    package init(
        merchant: String,
        otherNames: [String]? = nil,
        day: String,
        zone: String,
        cutoff: String,
        position: Int64,
        totals: [PeriodTotal],
        carried: [CarriedExceptions],
        reason: Reason
    ) {
        self.merchant = merchant
        self.otherNames = otherNames
        self.day = day
        self.zone = zone
        self.cutoff = cutoff
        self.position = position
        self.totals = totals
        self.carried = carried
        self.reason = reason.text
    }
}

/// The totals of a day in one currency, in minor units.
package struct PeriodTotal: Sendable, Hashable, Codable {
    package var currency: String
    package var capturedCount: Int64
    /// Includes tips.
    package var captured: Int64
    package var tips: Int64
    package var refundedCount: Int64
    package var refunded: Int64
    package var creditedCount: Int64
    package var credited: Int64
    package var voidedCount: Int64
    package var voided: Int64
    package var net: Int64

    package init(
        currency: String,
        capturedCount: Int64,
        captured: Int64,
        tips: Int64,
        refundedCount: Int64,
        refunded: Int64,
        creditedCount: Int64,
        credited: Int64,
        voidedCount: Int64,
        voided: Int64,
        net: Int64
    ) {
        self.currency = currency
        self.capturedCount = capturedCount
        self.captured = captured
        self.tips = tips
        self.refundedCount = refundedCount
        self.refunded = refunded
        self.creditedCount = creditedCount
        self.credited = credited
        self.voidedCount = voidedCount
        self.voided = voided
        self.net = net
    }
}

/// Open exceptions of one class and currency.
package struct CarriedExceptions: Sendable, Hashable, Codable {
    package var exceptionClass: String
    package var currency: String?
    package var count: Int64
    /// The amount that does not match in minor units, above zero in the merchant's favour; nil if it does not fit into 64 bits.
    package var amount: Int64?

    private enum CodingKeys: String, CodingKey {
        case exceptionClass = "class"
        case currency, count, amount
    }

    package init(exceptionClass: String, currency: String?, count: Int64, amount: Int64?) {
        self.exceptionClass = exceptionClass
        self.currency = currency
        self.count = count
        self.amount = amount
    }
}

/// The reason a day is open again.
package struct PeriodReopening: Sendable, Hashable, Codable {
    package var reason: String

    package init(reason: Reason) {
        self.reason = reason.text
    }
}
