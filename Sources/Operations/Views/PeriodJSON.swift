package import Canonical
import Matching
import Payments
package import Projections
package import Reconciliation

extension PeriodView {
    package func json() throws -> JSONValue {
        let closing = try JSONValueDecoder().decode(PeriodClosing.self, from: JSONValue(parsing: reported.utf8))
        return [
            "id": .string(id.text), "merchant": .string(merchant), "day": .string(day), "status": .string(status),
            "zone": .string(closing.zone), "cutoff": .string(closing.cutoff),
            "position": .number(.init(closing.position)), "at": .string(at.rfc3339), "by": .string(by),
            "reason": .string(reason), "totals": .array(closing.totals.map(\.json)),
            "carried": .array(closing.carried.map(\.json)), "firstPosition": .number(.init(firstPosition)),
            "lastPosition": .number(.init(lastPosition)),
        ]
    }
}

extension PeriodTotal {
    /// The same form as in totals.
    package var json: JSONValue {
        func money(_ value: Int64) -> JSONValue { JSONValue.money(value, currency) ?? .null }
        return [
            "currency": .string(currency), "capturedCount": .number(.init(capturedCount)), "captured": money(captured),
            "tip": money(tips), "refundedCount": .number(.init(refundedCount)), "refunded": money(refunded),
            "creditedCount": .number(.init(creditedCount)), "credited": money(credited),
            "voidedCount": .number(.init(voidedCount)), "voided": money(voided), "net": money(net),
        ]
    }

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

extension CarriedExceptions {
    package var json: JSONValue {
        JSONValue.exceptions(exceptionClass, currency, count, amount)
    }
}
