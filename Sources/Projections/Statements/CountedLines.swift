/// Lines of statements that count, as SQL: those that stand in a file that is imported as a whole and was not withdrawn.
package enum CountedLines {
    /// Whether a row of `read_statements.lines` counts.
    ///
    /// - Parameters:
    ///   - line: What the row is called.
    ///   - position: The placeholder of the position as of which; nil for now.
    ///   - isForFew: True where a page of lines is asked for: then each line is looked up, whatever other lines there are.
    package static func condition(_ line: String, at position: String? = nil, isForFew: Bool = false) -> String {
        // Most lines are told by one file only.
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

    /// The parts of a total, as a `FROM` clause with a condition: lines `part`, each with its place `among` the lines of a
    /// file `file` that counts and lists them with the total. Another file may have the same total without parts, or with
    /// other ones.
    ///
    /// - Parameters:
    ///   - total: The total's id as SQL.
    ///   - tenant: Its tenant as SQL.
    ///   - position: The placeholder of the position as of which; nil for now.
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

    /// Whether any file that counts lists the parts of a total. Each total is looked up, since totals are few among lines.
    package static func areListed(partsOf total: String, tenant: String, at position: String? = nil) -> String {
        "EXISTS (SELECT FROM \(parts(of: total, tenant: tenant, at: position)) OFFSET 0)"
    }

    /// Whether the lines of a row of `read_statements.statements` count.
    package static func holds(_ statement: String, at position: String? = nil) -> String {
        guard let position else { return "\(statement).status = 'imported'" }
        return """
            \(statement).imported <= \(position)
                AND (\(statement).withdrawn IS NULL OR \(statement).withdrawn > \(position))
            """
    }
}
