package import Canonical
import Matching
import Payments
import Projections
package import Reconciliation

extension RunView {
    package var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id.text), "status": .string(status.rawValue),
            "position": .number(.init(position)), "covers": .number(.init(covers)), "since": .number(.init(since)),
        ]
        object.set("horizon", horizon?.description)
        object["beganAt"] = .string(beganAt.rfc3339)
        object["beganBy"] = .string(beganBy)
        if let completion {
            object["completedPosition"] = .number(.init(completion.position))
            object["completedAt"] = .string(completion.at.rfc3339)
            object["matched"] = .number(.init(completion.matched))
            object["unmatched"] = .number(.init(completion.unmatched))
            object["raised"] = .number(.init(completion.raised))
            object["cleared"] = .number(.init(completion.cleared))
            object["depositsMatched"] = .number(.init(completion.depositsMatched))
            object["depositsUnmatched"] = .number(.init(completion.depositsUnmatched))
        }
        if let failure {
            object["failedPosition"] = .number(.init(failure.position))
            object["failedAt"] = .string(failure.at.rfc3339)
            object["failure"] = .string(failure.reason)
        }
        object["rules"] = .string(rules)
        return .object(object)
    }
}

extension MatchView {
    package var json: JSONValue {
        var object: JSONObject = [
            "line": .string(line.text), "transaction": .string(transaction.text), "movement": .string(movement),
            "match": .string(match.text), "rule": .string(rule), "position": .number(.init(position)),
        ]
        if let until { object["endedPosition"] = .number(.init(until)) }
        object.set("statement", statement?.text)
        if let number { object["number"] = .number(.init(number)) }
        object.set("day", day?.description)
        object.set("lineAmount", JSONValue.money(lineAmount, currency))
        object.set("ledgerAmount", JSONValue.money(ledgerAmount, ledgerCurrency))
        return .object(object)
    }
}

extension OpenExceptions {
    package var json: JSONValue {
        JSONValue.exceptions(exceptionClass, currency, count, amount)
    }
}

extension ExplainedCounts {
    package var json: JSONValue {
        [
            "lines": .number(.init(lines)), "matchedLines": .number(.init(matchedLines)),
            "movements": .number(.init(movements)), "matchedMovements": .number(.init(matchedMovements)),
        ]
    }
}

extension JSONValue {
    /// The number and unexplained amount of exceptions of one class and currency.
    package static func exceptions(_ name: String, _ currency: String?, _ count: Int64, _ amount: Int64?) -> JSONValue {
        var object: JSONObject = ["class": .string(name), "count": .number(.init(count))]
        object.set("currency", currency)
        object.set("amount", JSONValue.money(amount, currency))
        return .object(object)
    }

    /// Minor units with their currency; nil without either.
    package static func money(_ value: Int64?, _ currency: String?) -> JSONValue? {
        guard let value, let currency else { return nil }
        return ["value": .number(.init(value)), "currency": .string(currency)]
    }
}
