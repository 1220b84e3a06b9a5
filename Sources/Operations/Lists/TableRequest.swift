package import Tables

/// The columns and the dialect of a CSV.
package struct TableRequest {
    package var chosen: Table
    package var dialect: CSVDialect

    /// Reads `columns` and `dialect`.
    package init(_ query: inout ParameterReader, of table: Table) throws(Refusal) {
        let names = table.columns.map(\.name).joined(separator: ",")
        chosen =
            try query.value("columns", maximumBytes: 2048, expected: "is one or more of \(names), each once") {
                table.choosing($0)
            } ?? table
        dialect = try query.choice("dialect", of: CSVDialect.self) ?? .raw
    }
}
