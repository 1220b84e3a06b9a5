package import Canonical
package import Payments
package import Projections

extension BatchView {
    /// The JSON form of a batch: totals by kind, brand, tender and currency, the net, and the host's own totals
    /// with the difference, if the host reported some.
    package func json() throws -> JSONValue {
        var object: JSONObject = ["id": .string(id.text), "vendor": .string(reference.vendor.rawValue)]
        object.set("account", reference.account)
        object.set("number", reference.number)
        object["status"] = .string(status.rawValue)
        object["totals"] = .array(totals.map(\.json))
        object["net"] = .array(nets.map(\.json))
        object.set("openedAt", openedAt)
        object.set("closedAt", closedAt)
        object["requested"] = .bool(isRequested)
        if let closing {
            object.set("settlement", closing.settlement)
            object["response"] = closing.response.json
            if let host = closing.totals {
                object["host"] = try host.storedJSON()
                if let net = host.net, let ours = nets.first(where: { $0.currency == net.currency }) {
                    object["difference"] = Money(net.value.subtractingSaturated(ours.value), net.currency).json
                }
            }
        }
        object["firstPosition"] = .number(.init(firstPosition))
        // The last event about a batch of the past is unknown.
        if let asOf {
            object["asOfPosition"] = .number(.init(asOf))
        } else {
            object["lastPosition"] = .number(.init(lastPosition))
        }
        return .object(object)
    }

    /// Sales and captures less refunds and credits (I7), one for each currency.
    package var nets: [Money] {
        var nets: [Money] = []
        for total in totals {
            if let index = nets.firstIndex(where: { $0.currency == total.currency }) {
                nets[index] = Money(nets[index].value.addingSaturated(total.net), total.currency)
            } else {
                nets.append(Money(total.net, total.currency))
            }
        }
        return nets
    }
}

extension BatchTotal {
    package var json: JSONValue {
        var object: JSONObject = ["type": .string(type)]
        object.set("brand", brand)
        object.set("tender", tender)
        object["count"] = .number(.init(count))
        object["amount"] = Money(amount, currency).json
        object["tip"] = Money(tips, currency).json
        object["voidedCount"] = .number(.init(voidedCount))
        object["voided"] = Money(voided, currency).json
        object["offlineCount"] = .number(.init(offlineCount))
        object["offline"] = Money(offline, currency).json
        return .object(object)
    }
}

extension BatchLine {
    package var json: JSONValue {
        var object: JSONObject = [
            "transaction": .string(transaction.text), "line": .string(line), "type": .string(type),
            "amount": amount.json,
            "tip": Money(tip, amount.currency).json,
            "voided": Money(voided, amount.currency).json,
            "evidence": .string(evidence.rawValue),
        ]
        object.set("brand", brand)
        return .object(object)
    }
}

extension Collection<BatchChange> {
    /// The changes with the positions that were compared.
    package func answer(of comparison: BatchComparison) -> JSONObject {
        [
            "fromPosition": .number(.init(comparison.from)), "toPosition": .number(.init(comparison.to)),
            "items": .array(map(\.json)),
        ]
    }
}

extension BatchChange {
    package var json: JSONValue {
        var object: JSONObject = [
            "transaction": .string(transaction.text), "line": .string(line),
            "change": .string(before == nil ? "added" : after == nil ? "removed" : "changed"),
        ]
        if let before { object["before"] = before.json }
        if let after { object["after"] = after.json }
        return .object(object)
    }
}
