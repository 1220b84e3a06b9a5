import Canonical
import Payments

// JSON forms of the domain's small values. Absent things are left out, never null.

extension JSONObject {
    mutating func set(_ key: String, _ value: JSONValue?) {
        if let value { self[key] = value }
    }

    mutating func set(_ key: String, _ text: String?) {
        if let text { self[key] = .string(text) }
    }

    mutating func set(_ key: String, _ money: Money?) {
        if let money { self[key] = money.json }
    }

    mutating func set(_ key: String, _ time: Timestamp?) {
        if let time { self[key] = .string(time.rfc3339) }
    }
}

extension Money {
    var json: JSONValue { ["value": .number(.init(value)), "currency": .string(currency.alpha)] }
}

extension Anomaly {
    var json: JSONValue {
        var object: JSONObject = ["kind": .string(kind.rawValue), "explanation": .string(explanation)]
        if let related { object["related"] = .array(related.map(JSONValue.string)) }
        return .object(object)
    }
}

extension Response {
    var json: JSONValue {
        var object: JSONObject = [:]
        object.set("code", code)
        object.set("message", message)
        return .object(object)
    }
}

extension Facet {
    var json: JSONValue {
        var object: JSONObject = ["outcome": .string(outcome.rawValue), "response": response.json]
        object.set("at", at)
        return .object(object)
    }
}

extension BatchReference {
    var json: JSONValue {
        var object: JSONObject = ["vendor": .string(vendor.rawValue)]
        object.set("account", account)
        object.set("number", number)
        return .object(object)
    }
}

extension Encodable {
    /// The stored form, for values whose stored form is also the public one.
    func storedJSON() throws -> JSONValue { try JSONValueEncoder().encode(self) }
}
