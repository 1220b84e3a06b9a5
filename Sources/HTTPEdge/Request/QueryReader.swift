import Canonical

/// Reads query parameters by name; whatever nobody asked for is refused at the end, so that a misspelt filter never
/// widens an answer.
package struct QueryReader: Sendable {
    private var rest: [RequestTarget.Parameter]

    package init(_ target: RequestTarget) {
        rest = target.parameters
    }

    /// The value of a parameter that may stand once.
    ///
    /// - Throws: `repeated-parameter`; `invalid-parameter` where it is longer than `maximumBytes`.
    package mutating func text(_ name: String, maximumBytes: Int = 256) throws(Problem) -> String? {
        let values = try list(name, maximumBytes: maximumBytes)
        guard values.count < 2 else {
            throw Problem(
                status: 400,
                code: "repeated-parameter",
                title: "A query parameter is repeated",
                extensions: ["parameter": .string(name)]
            )
        }
        return values.first
    }

    /// The values of a parameter that may stand several times.
    package mutating func list(_ name: String, maximumBytes: Int = 256) throws(Problem) -> [String] {
        let values = rest.filter { $0.name == name }.map(\.value)
        rest.removeAll { $0.name == name }
        guard values.allSatisfy({ $0.utf8.count <= maximumBytes }) else { throw Self.invalid(name) }
        return values
    }

    /// A whole number in decimal digits.
    ///
    /// - Throws: `invalid-parameter` where it is no such number or out of range.
    package mutating func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = Self.number(text), range.contains(number) else { throw Self.invalid(name) }
        return number
    }

    /// `true` or `false`.
    package mutating func flag(_ name: String) throws(Problem) -> Bool? {
        switch try text(name) {
        case nil: nil
        case "true": true
        case "false": false
        default: throw Self.invalid(name)
        }
    }

    /// A parameter that `read` understands, such as an identifier or a time.
    package mutating func value<Value>(
        _ name: String,
        maximumBytes: Int = 256,
        _ read: (String) -> Value?
    ) throws(Problem) -> Value? {
        guard let text = try text(name, maximumBytes: maximumBytes) else { return nil }
        guard let value = read(text) else { throw Self.invalid(name) }
        return value
    }

    /// `limit`: how many items a page has at most, 1...1000.
    ///
    /// - Throws: `invalid-limit`.
    package mutating func limit(default standard: Int = 100) throws(Problem) -> Int {
        guard let text = try text("limit") else { return standard }
        guard let number = Self.number(text), (1...1000).contains(number) else {
            throw Problem(status: 400, code: "invalid-limit", title: "The limit must be a whole number from 1 to 1000")
        }
        return Int(number)
    }

    /// `cursor`: where the last page ended, as the server gave it.
    package mutating func cursor() throws(Problem) -> String? {
        try text("cursor", maximumBytes: 2048)
    }

    /// Nothing else may stand in the query.
    ///
    /// - Throws: `unknown-parameter`. Its name is not repeated, since it may be anything.
    package consuming func finish() throws(Problem) {
        guard rest.isEmpty else {
            throw Problem(status: 400, code: "unknown-parameter", title: "The query has an unknown parameter")
        }
    }

    /// For a parameter that is read but makes no sense.
    package static func invalid(_ name: String) -> Problem {
        Problem(
            status: 400,
            code: "invalid-parameter",
            title: "A query parameter is invalid",
            extensions: ["parameter": .string(name)]
        )
    }

    /// Digits only: `Int64` would also take a sign.
    private static func number(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
}
