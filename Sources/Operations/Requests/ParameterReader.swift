package import Canonical

/// Reads query parameters by name. `finish` refuses parameters that were not read, so that a misspelt filter never
/// widens an answer.
package struct ParameterReader: Sendable {
    private struct Parameter: Sendable {
        let name: String
        let value: String
    }

    private var rest: [Parameter]
    private let path: [Parameter]
    /// The names read so far, reported to a client that misspells one.
    package private(set) var known: [String] = []

    /// - Parameter path: Values from a path, which take the place of parameters with their names.
    package init(_ parameters: [(name: String, value: String)], path: [(name: String, value: String)] = []) {
        rest = parameters.map { Parameter(name: $0.name, value: $0.value) }
        self.path = path.map { Parameter(name: $0.name, value: $0.value) }
    }

    /// True if a parameter with one of these names has not been read yet.
    package func has(anyOf names: Set<String>) -> Bool { rest.contains { names.contains($0.name) } }

    /// The value of a parameter that may occur once.
    ///
    /// - Throws: `repeated-parameter`; `invalid-parameter` if it is longer than `maximumBytes`.
    package mutating func text(_ name: String, maximumBytes: Int = 256) throws(Refusal) -> String? {
        let values = try list(name, maximumBytes: maximumBytes)
        guard values.count < 2 else {
            throw Refusal(
                kind: .invalid,
                code: "repeated-parameter",
                title: "A query parameter is repeated",
                extensions: ["parameter": .string(name)]
            )
        }
        return values.first
    }

    /// The values of a parameter that may occur several times.
    package mutating func list(_ name: String, maximumBytes: Int = 256) throws(Refusal) -> [String] {
        if let given = path.first(where: { $0.name == name }) { return [given.value] }
        known.append(name)
        let values = rest.filter { $0.name == name }.map(\.value)
        rest.removeAll { $0.name == name }
        guard values.allSatisfy({ $0.utf8.count <= maximumBytes }) else {
            throw Self.invalid(name, "has at most \(maximumBytes) bytes")
        }
        return values
    }

    /// A whole number in decimal digits.
    ///
    /// - Throws: `invalid-parameter` if it is not such a number or out of range.
    package mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(Refusal) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = Self.number(text), range.contains(number) else {
            let upper = range.upperBound == .max ? " or more" : "...\(range.upperBound)"
            throw Self.invalid(name, "is a whole number, \(range.lowerBound)\(upper)")
        }
        return number
    }

    /// `true` or `false`.
    package mutating func flag(_ name: String) throws(Refusal) -> Bool? {
        switch try text(name) {
        case nil: nil
        case "true": true
        case "false": false
        default: throw Self.invalid(name, "is true or false")
        }
    }

    /// One of the raw values of a type.
    package mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        of type: Value.Type = Value.self
    ) throws(Refusal) -> Value? {
        try value(name, expected: "is one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))") {
            Value(rawValue: $0)
        }
    }

    /// A point in time, RFC 3339.
    package mutating func time(_ name: String) throws(Refusal) -> Timestamp? {
        try value(name, expected: "is a time such as 2026-03-01T12:00:00Z") { Timestamp(rfc3339: $0) }
    }

    /// A day of the calendar.
    package mutating func day(_ name: String) throws(Refusal) -> CivilDate? {
        try value(name, expected: "is a day, as 2026-03-01") { CivilDate($0) }
    }

    /// An id.
    ///
    /// - Parameter what: What it is the id of, with an article: `a payment`.
    package mutating func id(_ name: String, of what: String) throws(Refusal) -> UUID128? {
        try value(name, expected: "is the id of \(what)") { UUID128($0) }
    }

    /// An id that must be given.
    package mutating func requiredID(_ name: String) throws(Refusal) -> UUID128 {
        let what = "a \(name)"
        guard let id = try id(name, of: what) else { throw Self.invalid(name, "is the id of \(what)") }
        return id
    }

    /// The value that `read` makes of a parameter, such as an identifier or a time.
    ///
    /// - Parameter expected: What it must be, as the rest of a sentence that begins with the parameter's name.
    package mutating func value<Value>(
        _ name: String,
        maximumBytes: Int = 256,
        expected: @autoclosure () -> String? = nil,
        _ read: (String) -> Value?
    ) throws(Refusal) -> Value? {
        guard let text = try text(name, maximumBytes: maximumBytes) else { return nil }
        guard let value = read(text) else { throw Self.invalid(name, expected()) }
        return value
    }

    /// `limit`: the largest number of items of a page, 1...1000.
    ///
    /// - Throws: `invalid-limit`.
    package mutating func limit(default standard: Int = 100) throws(Refusal) -> Int {
        try givenLimit() ?? standard
    }

    /// `limit`, if it is given.
    ///
    /// - Throws: `invalid-limit`.
    package mutating func givenLimit() throws(Refusal) -> Int? {
        guard let text = try text("limit") else { return nil }
        guard let number = Self.number(text), (1...1000).contains(number) else {
            throw Refusal(
                kind: .invalid,
                code: "invalid-limit",
                title: "The limit must be a whole number from 1 to 1000"
            )
        }
        return Int(number)
    }

    /// `cursor`: where the last page ended, in the server's own form.
    package mutating func cursor() throws(Refusal) -> String? {
        try text("cursor", maximumBytes: 2048)
    }

    /// Refuses all parameters that were not read.
    ///
    /// - Throws: `unknown-parameter`. Its name is not repeated, since it may be any text.
    package consuming func finish() throws(Refusal) {
        guard rest.isEmpty else {
            throw Refusal(
                kind: .invalid,
                code: "unknown-parameter",
                title: "The query has an unknown parameter",
                detail: known.isEmpty
                    ? "This resource has no parameters." : "Known here: \(known.joined(separator: ", "))."
            )
        }
    }

    /// The problem of a parameter with an invalid value.
    ///
    /// - Parameter expected: What it must be, as the rest of a sentence that begins with the parameter's name.
    package static func invalid(_ name: String, _ expected: String? = nil) -> Refusal {
        Refusal(
            kind: .invalid,
            code: "invalid-parameter",
            title: "A query parameter is invalid",
            detail: expected.map { "`\(name)` \($0)." },
            extensions: ["parameter": .string(name)]
        )
    }

    /// Digits only: `Int64` would also accept a sign.
    private static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
