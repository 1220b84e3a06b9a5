package import Canonical
import Payments
import Projections
package import Reconciliation

extension ProofTransfer {
    package var json: JSONValue { .object(object) }

    package var object: JSONObject {
        var object: JSONObject = [
            "line": .string(line.text), "statement": .string(statement.text), "type": .string(type),
        ]
        object.set("amount", JSONValue.money(amount, currency))
        object.set("day", day)
        object.set("reference", reference)
        object.set("merchant", merchant)
        object.set("account", account)
        return object
    }
}

extension TransferView {
    package var json: JSONValue {
        var object = transfer.object
        object["side"] = .string(side.rawValue)
        object["state"] = .string(state.rawValue)
        object["currency"] = .string(transfer.currency)
        object["position"] = .number(.init(position))
        return .object(object)
    }
}

extension DepositCoverage {
    package var json: JSONValue {
        var object: JSONObject = [
            "side": .string(side.rawValue), "state": .string(state.rawValue), "currency": .string(currency),
            "count": .number(.init(count)),
        ]
        object.set("amount", JSONValue.money(amount, currency))
        return .object(object)
    }
}

extension DepositProof {
    package var json: JSONValue {
        var object: JSONObject = ["foots": .bool(foots), "currency": .string(currency)]
        object.set("rule", rule)
        object.set("match", match?.text)
        object["deposits"] = .array(deposits.map(\.json))
        object["payouts"] = .array(payouts.map(\.json))
        object.set("deposited", JSONValue.money(deposited, currency))
        object.set("paid", JSONValue.money(paid, currency))
        object.set("difference", JSONValue.money(difference, currency))
        object["settlements"] = .array(settlements.map(\.json))
        return .object(object)
    }
}

extension ProofSettlement {
    package var json: JSONValue {
        var object: JSONObject = ["basis": .string(basis.rawValue)]
        object.set("reference", reference)
        object["payouts"] = .array(payouts.map { .string($0.text) })
        object.set("paid", JSONValue.money(paid, currency))
        object["buckets"] = .array(
            buckets.map { sum in
                var object: JSONObject = ["bucket": .string(sum.bucket.rawValue), "count": .number(.init(sum.count))]
                object.set("amount", JSONValue.money(sum.amount, currency))
                return .object(object)
            }
        )
        object["lines"] = .number(.init(lines))
        object.set("sum", JSONValue.money(sum, currency))
        object.set("difference", JSONValue.money(difference, currency))
        return .object(object)
    }
}

extension ProofLine {
    package var json: JSONValue {
        var object: JSONObject = [
            "line": .string(line.text), "statement": .string(statement.text), "type": .string(type),
            "role": .string(role), "bucket": .string(bucket.rawValue),
        ]
        object.set("gross", JSONValue.money(gross, currency))
        object.set("fees", JSONValue.money(fees, currency))
        object.set("amount", JSONValue.money(amount, currency))
        object.set("day", day)
        object.set("processorID", processorID)
        object["explanations"] = .array(
            explanations.map {
                [
                    "transaction": .string($0.transaction.text), "movement": .string($0.movement),
                    "rule": .string($0.rule), "match": .string($0.match.text),
                ]
            }
        )
        object["exceptions"] = .array(
            questions.map { ["id": .string($0.id.text), "class": .string($0.exceptionClass)] }
        )
        return .object(object)
    }
}
