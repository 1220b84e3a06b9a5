/// The conditions of a query that is composed, all of which must hold, and the parameters of the whole query.
package struct QueryConditions: Sendable {
    package private(set) var parameters: [PostgresValue]
    private var conditions: [String]

    /// - Parameters:
    ///   - conditions: The first conditions, which name the first parameters: `tenant = $1`.
    ///   - parameters: The first parameters.
    package init(_ conditions: [String], _ parameters: [PostgresValue]) {
        self.conditions = conditions
        self.parameters = parameters
    }

    /// The conditions, joined by `AND`.
    package var sql: String { conditions.joined(separator: " AND ") }

    /// Adds a parameter, and returns its name, such as `$3`.
    package mutating func parameter(_ value: PostgresValue) -> String {
        parameters.append(value)
        return "$\(parameters.count)"
    }

    package mutating func add(_ condition: String) { conditions.append(condition) }

    /// Adds a comparison with a value, if there is one.
    ///
    /// - Parameters:
    ///   - comparison: Its left side and operator: `day >=`.
    ///   - cast: Follows the parameter: `::text::date`.
    package mutating func add(_ comparison: String, _ value: PostgresValue?, as cast: String = "") {
        if let value { conditions.append("\(comparison) \(parameter(value))\(cast)") }
    }

    /// Adds a comparison with a text, if there is one.
    package mutating func add(_ comparison: String, text: String?, as cast: String = "") {
        add(comparison, text.map(PostgresValue.text), as: cast)
    }
}
