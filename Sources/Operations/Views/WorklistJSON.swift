package import Canonical
import Payments
package import Projections

extension PaymentInDoubt {
    /// - Parameter now: The time at which the age is computed.
    package func json(at now: Timestamp) -> JSONValue {
        var object: JSONObject = ["transaction": .string(transaction.text), "status": .string(status.rawValue)]
        object.set("vendor", vendor)
        object.set("merchant", merchant)
        object.set("terminal", terminal)
        object.set("reference", reference)
        object.set("occurredAt", occurredAt)
        // A device's clock may be ahead.
        object["ageSeconds"] = .number(.init(max(0, now.microseconds(since: occurredAt) / 1_000_000)))
        object.set("atRisk", value)
        return .object(object)
    }
}

extension ValueAtRisk {
    package var json: JSONValue { ["count": .number(.init(count)), "atRisk": Money(value, currency).json] }
}

extension SuspectedDuplicate {
    package var json: JSONValue {
        var object: JSONObject = ["later": later.json, "earlier": earlier.json]
        object["gapSeconds"] = .number(.init(later.occurredAt.microseconds(since: earlier.occurredAt) / 1_000_000))
        object.set("brand", cardBrand)
        object["lastFour"] = .string(lastFour)
        object["amount"] = amount.json
        object.set("vendor", vendor)
        object.set("merchant", merchant)
        object.set("terminal", terminal)
        return .object(object)
    }
}

extension SuspectedDuplicate.Payment {
    package var json: JSONValue {
        var object: JSONObject = ["transaction": .string(transaction.text), "status": .string(status.rawValue)]
        object.set("occurredAt", occurredAt)
        object.set("reference", reference)
        return .object(object)
    }
}
