package import Canonical

// JSON forms of the domain's small values. Absent things are left out, never null.

extension JSONObject {
    package mutating func set(_ key: String, _ money: Money?) {
        if let money { self[key] = money.json }
    }
}

extension Money {
    package var json: JSONValue { ["value": .number(.init(value)), "currency": .string(currency.alpha)] }
}

extension Anomaly {
    package var json: JSONValue {
        var object: JSONObject = ["kind": .string(kind.rawValue), "explanation": .string(explanation)]
        if let related { object["related"] = .array(related.map(JSONValue.string)) }
        return .object(object)
    }
}

extension Response {
    package var json: JSONValue {
        var object: JSONObject = [:]
        object.set("code", code)
        object.set("message", message)
        return .object(object)
    }
}

extension Facet {
    package var json: JSONValue {
        var object: JSONObject = ["outcome": .string(outcome.rawValue), "response": response.json]
        object.set("at", at)
        return .object(object)
    }
}

extension BatchReference {
    package var json: JSONValue {
        var object: JSONObject = ["vendor": .string(vendor.rawValue)]
        object.set("account", account)
        object.set("number", number)
        return .object(object)
    }
}
