import Canonical
import DaybookAPI
import HTTPEdge
import Operations
import Projections

/// The query of a page: the fields of a form, read as the API reads parameters.
///
/// Without scripts, a form sends every field, also empty ones, and times as local times of the zone.
struct FormQuery: Sendable {
    /// The given parameters in order, without empty fields and without the zone.
    let parameters: [(String, String)]
    /// False if the address has empty fields; a shorter address then has the same meaning.
    let isPlain: Bool
    private let zone: Zone

    init(_ visit: Visit) {
        let given = visit.request.target.parameters.filter { $0.name != "zone" }
        let filled = given.filter { !$0.value.isEmpty }
        parameters = filled.map { ($0.name, $0.value) }
        isPlain = filled.count == given.count
        zone = visit.zone
    }

    subscript(name: String) -> String? { parameters.first { $0.0 == name }?.1 }

    /// Reads the parameters by name, with times as instants.
    ///
    /// - Throws: `malformed-target`.
    func reader(dropping names: Set<String> = []) throws(Problem) -> ParameterReader {
        ParameterReader(try RequestTarget(Address.path("/", exact.filter { !names.contains($0.0) })))
    }

    /// The given parameters, with times as instants.
    var exact: [(name: String, value: String)] {
        parameters.map { name, value in
            guard Self.times.contains(name), let instant = zone.instant(value) else { return (name, value) }
            return (name, instant.rfc3339)
        }
    }

    private static let times: Set<String> = ["from", "to", "as_of", "not_seen_since"]

    /// The same address with changed parameters; nil removes one.
    func address(_ path: String, _ changes: KeyValuePairs<String, String?> = [:]) -> String {
        let changed = Set(changes.map(\.key))
        var parameters = parameters.filter { !changed.contains($0.0) }
        for (name, value) in changes {
            if let value { parameters.append((name, value)) }
        }
        return Address.path(path, parameters)
    }

    /// A time in the format of a form field.
    func fieldTime(_ name: String) -> String? {
        guard let text = self[name] else { return nil }
        return Timestamp(rfc3339: text).map(zone.fieldText) ?? text
    }
}

/// One field of a filter form.
struct FilterField: Sendable {
    enum Kind: Sendable {
        case text
        case digits
        case time
        case day
        /// The options, each with value and label.
        case choice([(String, String)])
        case check
    }

    var name: String
    var label: String
    var kind: Kind
    var hint: String?
    /// The label of a choice without a value.
    var unset: String

    init(_ name: String, _ label: String, _ kind: Kind = .text, hint: String? = nil, unset: String = "any") {
        self.name = name
        self.label = label
        self.kind = kind
        self.hint = hint
        self.unset = unset
    }

    /// The fields of a list that can be shown as it was recorded by a time or position.
    static let past = [
        FilterField("as_of", "Recorded by", .time),
        FilterField("as_of_position", "Recorded by event", .digits, hint: "its position"),
    ]

    func value(_ query: FormQuery) -> PageValue {
        let given = query[name]
        var members: [String: PageValue] = ["name": .text(name), "label": .text(label)]
        members["hint"] = .given(hint)
        switch kind {
        case .text: members["input"] = .members(["type": "text", "value": .text(given ?? "")])
        case .digits: members["input"] = .members(["type": "text", "value": .text(given ?? ""), "digits": true])
        case .day: members["input"] = .members(["type": "date", "value": .text(given ?? "")])
        case .time:
            members["input"] = .members(["type": "datetime-local", "value": .text(query.fieldTime(name) ?? "")])
        case .choice(let choices):
            members["choice"] = .members([
                "unset": .text(unset),
                "options": .list(
                    choices.map { value, label in
                        .members(["value": .text(value), "label": .text(label), "chosen": .given(value == given)])
                    }
                ),
            ])
        case .check: members["check"] = .members(["checked": .given(given == "true")])
        }
        return .object(members)
    }
}

/// A filter form. Its filters are in the address, which can be bookmarked.
struct FilterForm: Sendable {
    var action: String
    var fields: [FilterField]

    func value(_ query: FormQuery, _ zone: Zone) -> PageValue {
        let isUsed = fields.contains { query[$0.name] != nil }
        return .members([
            "action": .text(action), "fields": .list(fields.map { $0.value(query) }), "used": .given(isUsed),
            "zoneName": .text(zone.name),
        ])
    }
}
