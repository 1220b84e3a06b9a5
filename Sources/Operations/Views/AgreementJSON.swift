package import Canonical
package import Payments
package import Projections

extension BatchAgreement {
    /// The view of a batch that is not closed, or whose host did not report a net.
    package static let notReported: JSONValue = ["verdict": "not-reported"]

    /// The JSON form: the three nets, the difference, and the sets of payments that account for it.
    package var json: JSONValue {
        var object: JSONObject = [
            "verdict": .string(verdict.rawValue),
            "closingPosition": .number(.init(closingPosition)),
            "host": host.json,
            "atClose": atClose.json,
            "ledger": ledger.json,
            "difference": difference.json,
        ]
        object["explanations"] = .array(
            explanations.map { .array($0.map { $0.json(in: host.currency) }) }
        )
        object["partial"] = .bool(isPartial)
        return .object(object)
    }
}

extension BatchDiscrepancy {
    package func json(in currency: Currency) -> JSONValue {
        var object: JSONObject = ["kind": .string(kind.rawValue), "transaction": .string(transaction.text)]
        object.set("line", line)
        object.set("ledger", ledger.map { Money($0, currency) })
        object.set("host", host.map { Money($0, currency) })
        object["effect"] = Money(effect, currency).json
        return .object(object)
    }
}
