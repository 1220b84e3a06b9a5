// Absent values are left out, never written as null.

extension JSONObject {
    package mutating func set(_ key: String, _ value: JSONValue?) {
        if let value { self[key] = value }
    }

    package mutating func set(_ key: String, _ text: String?) {
        if let text { self[key] = .string(text) }
    }

    package mutating func set(_ key: String, _ time: Timestamp?) {
        if let time { self[key] = .string(time.rfc3339) }
    }
}
