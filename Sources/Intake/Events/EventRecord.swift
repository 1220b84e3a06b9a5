package import Canonical
package import Payments

/// A record of an integrator: one or more events of one stream, appended all or not at all.
package struct EventRecord: Sendable, Hashable {
    package struct Event: Sendable, Hashable {
        package var id: UUID128?
        package var type: String
        package var schema: Int
        package var occurredAt: Timestamp
        /// As it was sent, before scrubbing.
        package var data: JSONValue
    }

    /// The largest number of events of one record.
    package static let eventLimit = 100

    package var stream: String
    /// The version the stream must have; 0 for a new one, nil for any.
    package var expectedVersion: Int64?
    package var idempotencyKey: String?
    package var events: [Event]

    private static let fields = ["events", "expectedVersion", "idempotencyKey", "stream"]
    private static let eventFields = ["data", "id", "occurredAt", "schema", "type"]

    /// Reads the JSON form of a record. Only the documented members are accepted.
    ///
    /// - Throws: `IntakeProblem` with `malformed-record`.
    package init(_ json: JSONValue) throws(IntakeProblem) {
        guard let object = json.object else {
            throw IntakeProblem(.malformedRecord, "A record is a JSON object with `stream` and `events`.")
        }
        try Self.check(object, knows: Self.fields, at: "")
        guard let stream = object["stream"]?.string else {
            throw Self.malformed("`stream` must be a string.", "/stream")
        }
        self.stream = stream
        if let value = object["expectedVersion"], !value.isNull {
            guard let version = value.int64, version >= 0 else {
                throw Self.malformed("`expectedVersion` must be an integer from 0.", "/expectedVersion")
            }
            expectedVersion = version
        }
        if let value = object["idempotencyKey"], !value.isNull {
            guard let key = value.string, (1...255).contains(key.utf8.count),
                key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else {
                throw Self.malformed(
                    "`idempotencyKey` must be a string of 1 to 255 bytes without control characters.",
                    "/idempotencyKey"
                )
            }
            idempotencyKey = key
        }
        guard let events = object["events"]?.array, (1...Self.eventLimit).contains(events.count) else {
            throw Self.malformed("`events` must be a list of 1 to \(Self.eventLimit) events.", "/events")
        }
        self.events = []
        self.events.reserveCapacity(events.count)
        for (index, event) in events.enumerated() { self.events.append(try Self.event(event, at: "/events/\(index)")) }
    }

    private static func event(_ json: JSONValue, at pointer: String) throws(IntakeProblem) -> Event {
        guard let object = json.object else {
            throw malformed("An event is a JSON object with `type`, `schema`, `occurredAt` and `data`.", pointer)
        }
        try check(object, knows: eventFields, at: pointer)
        var id: UUID128?
        if let value = object["id"], !value.isNull {
            id = value.string.flatMap { UUID128($0) }
            guard id != nil else { throw malformed("`id` must be a UUID.", "\(pointer)/id") }
        }
        guard let type = object["type"]?.string, isTypeName(type) else {
            throw malformed(
                "`type` must be a name of 1 to 64 ASCII letters and digits that begins with a capital.",
                "\(pointer)/type"
            )
        }
        guard let schema = object["schema"]?.int64, (1...Int64(Int16.max)).contains(schema) else {
            throw malformed("`schema` must be an integer from 1 to \(Int16.max).", "\(pointer)/schema")
        }
        guard let occurredAt = object["occurredAt"]?.string.flatMap({ Timestamp(rfc3339: $0) }) else {
            throw malformed("`occurredAt` must be an RFC 3339 time.", "\(pointer)/occurredAt")
        }
        guard let data = object["data"], data.object != nil else {
            throw malformed("`data` must be an object.", "\(pointer)/data")
        }
        return Event(id: id, type: type, schema: Int(schema), occurredAt: occurredAt, data: data)
    }

    private static func isTypeName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x41...0x5A).contains(first), name.utf8.count <= 64 else { return false }
        return name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
    }

    private static func check(
        _ object: JSONObject,
        knows fields: [String],
        at pointer: String
    ) throws(IntakeProblem) {
        for member in object.members where !fields.contains(member.key) {
            throw malformed(
                "There is an unknown member. Known members: \(fields.joined(separator: ", ")).",
                pointer
            )
        }
    }

    private static func malformed(_ detail: String, _ pointer: String) -> IntakeProblem {
        IntakeProblem(.malformedRecord, detail, pointer: pointer.isEmpty ? nil : pointer)
    }
}

/// The answer to an integrator once a record is in the log.
package struct EventAnswer: Sendable, Hashable {
    package var stream: String
    /// One for each event, in order.
    package var positions: [Int64]
    /// The redactions in the record, with their places.
    package var redactions: [RedactionNote]
    /// True when the record had been appended before, and this repeats the first answer.
    package var isDuplicate: Bool

    package init(stream: String, positions: [Int64], redactions: [RedactionNote], isDuplicate: Bool) {
        self.stream = stream
        self.positions = positions
        self.redactions = redactions
        self.isDuplicate = isDuplicate
    }
}
