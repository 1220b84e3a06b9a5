package import Canonical
import Payments

/// What happens to one business day of one merchant: the events of a `period/<uuid>` stream.
package enum PeriodEvent: LedgerEvent {
    /// What was believed of it, once and for all.
    case closed(PeriodClosing)
    /// It is open again; what was believed stays in the log.
    case reopened(PeriodReopening)

    /// The names of the event types, as they are stored.
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

    package func data() throws -> JSONValue {
        switch self {
        case .closed(let payload): try JSONValueEncoder().encode(payload)
        case .reopened(let payload): try JSONValueEncoder().encode(payload)
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

/// What was believed of a business day when it was closed.
package struct PeriodClosing: Sendable, Hashable, Codable {
    package var merchant: String
    /// `2026-03-01`.
    package var day: String
    /// By whose clocks the day is.
    package var zone: String
    /// When it begins: `04:00`.
    package var cutoff: String
    /// Everything up to this position is in the totals.
    package var position: Int64
    package var totals: [PeriodTotal]
    /// The exceptions about the day that nobody had explained: they are worked on after it is closed.
    package var carried: [CarriedExceptions]
    package var reason: String

    package init(
        merchant: String,
        day: String,
        zone: String,
        cutoff: String,
        position: Int64,
        totals: [PeriodTotal],
        carried: [CarriedExceptions],
        reason: String
    ) {
        self.merchant = merchant
        self.day = day
        self.zone = zone
        self.cutoff = cutoff
        self.position = position
        self.totals = totals
        self.carried = carried
        self.reason = reason
    }
}

/// What a day comes to in one currency, in minor units.
package struct PeriodTotal: Sendable, Hashable, Codable {
    package var currency: String
    package var capturedCount: Int64
    /// Tips included.
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
    /// Minor units that nobody has explained, above zero to the merchant; nil where they are beyond 64 bits.
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

/// Why a day is open again.
package struct PeriodReopening: Sendable, Hashable, Codable {
    package var reason: String

    package init(reason: String) {
        self.reason = reason
    }
}
