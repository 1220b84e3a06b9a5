/// Counted statement lines, as SQL: lines in a file that is completely imported and was not withdrawn.
package enum CountedLines {
    /// The condition that a row of `read_statements.lines` counts.
    ///
    /// - Parameters:
    ///   - line: The alias of the row.
    ///   - position: The placeholder of the position up to which events count; nil for the current state.
    ///   - isForFew: True for a page of lines: then each line is looked up separately, whatever the number of lines.
    package static func condition(_ line: String, at position: String? = nil, isForFew: Bool = false) -> String {
        // Most lines are in one file only.
        """
        (EXISTS (
            SELECT FROM read_statements.statements f
            WHERE f.tenant = \(line).tenant AND f.id = \(line).statement AND \(holds("f", at: position))
        ) OR EXISTS (
            SELECT FROM read_statements.placements a
            JOIN read_statements.statements f ON f.tenant = a.tenant AND f.id = a.statement
            WHERE a.tenant = \(line).tenant AND a.line = \(line).id AND \(holds("f", at: position))
            \(isForFew ? "OFFSET 0" : "")
        ))
        """
    }

    /// The parts of a total, as a `FROM` clause with a condition. `part` is the line and `among` its place in a
    /// counted file `file` that lists it with the total. Another file may have the same total without parts, or with
    /// other ones.
    ///
    /// - Parameters:
    ///   - total: The total's id as SQL.
    ///   - tenant: The total's tenant as SQL.
    ///   - position: The placeholder of the position up to which events count; nil for the current state.
    package static func parts(of total: String, tenant: String, at position: String? = nil) -> String {
        """
        read_statements.placements own
        JOIN read_statements.statements file ON file.tenant = own.tenant AND file.id = own.statement
            AND \(holds("file", at: position))
        JOIN read_statements.placements among ON among.tenant = own.tenant AND among.statement = own.statement
            AND among.line_group = own.line_group
        JOIN read_statements.lines part ON part.tenant = among.tenant AND part.id = among.line AND part.role = 'part'
        WHERE own.tenant = \(tenant) AND own.line = \(total) AND own.line_group IS NOT NULL
        """
    }

    /// The condition that a counted file lists the parts of a total. Each total is looked up separately, because
    /// totals are few among the lines.
    package static func areListed(partsOf total: String, tenant: String, at position: String? = nil) -> String {
        "EXISTS (SELECT FROM \(parts(of: total, tenant: tenant, at: position)) OFFSET 0)"
    }

    /// The condition that the lines of a row of `read_statements.statements` count.
    package static func holds(_ statement: String, at position: String? = nil) -> String {
        guard let position else { return "\(statement).status = 'imported'" }
        return """
            \(statement).imported <= \(position)
                AND (\(statement).withdrawn IS NULL OR \(statement).withdrawn > \(position))
            """
    }
}
