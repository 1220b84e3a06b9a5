import Access
package import Canonical
import Intake
package import Ledger
import Matching
import Payments
import Projections
import Reconciliation

extension Ledger {
    /// One exception with the line it is about and everything that happened to it; nil when there is none.
    ///
    /// - Parameters:
    ///   - position: As it was when everything up to there was in; nil for now.
    ///   - time: What its age is counted to; where it is left out, when the position was recorded.
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
            object["lineTold"] = .object(reported)
        }
        object["steps"] = .array(
            try await exceptions.steps(of: id, tenant: tenant, at: position).map { try $0.json() }
        )
        return .object(object)
    }
}
