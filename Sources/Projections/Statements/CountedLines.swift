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

    /// Whether the lines of a row of `read_statements.statements` count.
    package static func holds(_ statement: String, at position: String? = nil) -> String {
        guard let position else { return "\(statement).status = 'imported'" }
        return """
            \(statement).imported <= \(position)
                AND (\(statement).withdrawn IS NULL OR \(statement).withdrawn > \(position))
            """
    }
}
