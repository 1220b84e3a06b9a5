/// The rows of a statement's answer.
package struct PostgresRows: Sendable, RandomAccessCollection {
    let result: PostgresResult

    package var startIndex: Int { 0 }
    package var endIndex: Int { result.rowCount }

    package subscript(position: Int) -> PostgresRow {
        precondition(indices.contains(position), "row index out of range")
        return PostgresRow(result: result, index: position)
    }

    /// The number of rows inserted, updated, deleted or selected.
    package var affectedCount: Int { result.affectedCount }

    /// The column names, in order.
    package var columnNames: [String] { (0..<result.columnCount).map(result.name(of:)) }

    /// The only row.
    ///
    /// - Throws: `PostgresError` with `.unexpectedRowCount` when there is not exactly one.
    package func single() throws(PostgresError) -> PostgresRow {
        guard count == 1 else { throw PostgresError(.unexpectedRowCount) }
        return self[0]
    }

    /// The only row, or nil when there is none.
    ///
    /// - Throws: `PostgresError` with `.unexpectedRowCount` when there are several.
    package func atMostOne() throws(PostgresError) -> PostgresRow? {
        guard count <= 1 else { throw PostgresError(.unexpectedRowCount) }
        return first
    }
}
