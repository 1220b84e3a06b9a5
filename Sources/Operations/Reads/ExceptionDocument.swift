import Access
package import Canonical
package import Composition
import Intake
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
    ) async throws -> ExceptionDetailJSON? {
        guard let found = try await reconciliation.exceptions.exception(id, of: tenant, at: position) else {
            return nil
        }
        let exception = try ExceptionJSON(found, at: try await moment(time, at: position))
        var history = ExceptionHistoryJSON(
            steps: try await reconciliation.exceptions.steps(of: id, tenant: tenant, at: position).map(
                ExceptionStepJSON.init
            )
        )
        if let line = found.line, let (statement, placed) = try await reconciliation.statements.line(line, of: tenant) {
            history.statementLine = ExceptionHistoryJSON.Line(
                ExceptionHistoryJSON.Place(statement: statement, number: placed.number, id: placed.id),
                try ReportedLineJSON(placed)
            )
        }
        return ExceptionDetailJSON(exception, history)
    }
}
