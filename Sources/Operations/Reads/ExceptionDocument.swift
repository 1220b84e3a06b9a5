import Access
package import Canonical
import Intake
package import Ledger
import Matching
import Payments
import Projections
import Reconciliation

extension Ledger {
    /// One exception with its statement line and all its steps; nil if there is none.
    ///
    /// - Parameters:
    ///   - position: The log position of a past state; nil for now.
    ///   - time: The time at which its age is computed; by default the time at which the position was recorded.
    package func exception(
        _ id: UUID128,
        of tenant: String,
        at position: Int64? = nil,
        time: Timestamp? = nil
    ) async throws -> JSONValue? {
        guard let found = try await exceptions.exception(id, of: tenant, at: position) else { return nil }
        var object = try found.json(at: try await moment(time, at: position)).object ?? [:]
        if let line = found.line, let (statement, placed) = try await statements.line(line, of: tenant) {
            var reported: JSONObject = ["statement": .string(statement.text)]
            for member in try placed.json().object?.members ?? [] where member.key != "repeated" {
                reported[member.key] = member.value
            }
            object["statementLine"] = .object(reported)
        }
        object["steps"] = .array(
            try await exceptions.steps(of: id, tenant: tenant, at: position).map { try $0.json() }
        )
        return .object(object)
    }
}
