package import Canonical
import Composition
import Reconciliation
import Tables

extension Lists {
    package static let controls = ListDefinition<ControlFilter, StatementControlJSON>(
        name: "controls",
        summary: "The totals, counts and balances of one statement, in the order of the file.",
        paths: ["statements/{statement}/controls"],
        readModels: ["statements"],
        filter: ControlFilter.init,
        columns: { _ in
            ["kind", "name", "scope", "stated", "computed", "currency", "holds", "line"].map { Column($0, $0) }
        },
        parentExists: { query, ledger in
            try await ledger.reconciliation.statements.statement(query.filter.statement, of: query.tenant) != nil
        },
        page: { query, ledger in
            let found = try await ledger.reconciliation.statements.controls(
                of: query.filter.statement,
                tenant: query.tenant,
                holds: query.filter.holds,
                after: try query.place { cursor throws(Refusal) in
                    guard let place = cursor.name.flatMap({ Int64($0) }) else { throw Cursor.invalid }
                    return ControlPlace(position: cursor.position, place: place)
                },
                limit: query.limit + 1
            )
            return try Page(found, query.limit) {
                try StatementControlJSON($0)
            } cursor: {
                Cursor(position: $0.place.position, name: String($0.place.place))
            }
        }
    )
}

/// A filter of the controls of one statement.
package struct ControlFilter: Sendable, Hashable {
    package var statement: UUID128
    /// Only those that hold, or that do not hold.
    package var holds: Bool?

    package init(statement: UUID128, holds: Bool? = nil) {
        self.statement = statement
        self.holds = holds
    }

    package init(_ query: inout ParameterReader) throws(Refusal) {
        statement = try query.requiredID("statement")
        holds = try query.flag("holds")
    }
}
