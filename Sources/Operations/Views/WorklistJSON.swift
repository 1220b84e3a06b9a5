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
