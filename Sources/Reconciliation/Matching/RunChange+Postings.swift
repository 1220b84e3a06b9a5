import Canonical
import Matching
import Payments
import Postgres

/// Lines that are no payments, and the posting rules that explain them.
enum PostingSQL {
    /// The lines of one rule.
    static let explain = EmbeddedFiles.postingRule_sql

    static func parameters(_ tenant: String, _ place: Int, _ rule: PostingRule) -> [PostgresValue] {
        [
            .text(tenant), .int32(Int32(place)), .text(rule.type.rawValue), .optional(rule.rawType, PostgresValue.text),
            .optional(rule.format, PostgresValue.text),
        ]
    }
}

extension RunChange {
    /// The event about lines, by the index of their rule; the one after the last is that of carried balances.
    static func posted(_ lines: String, by index: Int, of rules: MatchingRules) throws -> String {
        let rule = rules.postings.indices.contains(index) ? rules.postings[index] : nil
        let (name, account) = (rule?.name ?? PostingRule.carriedOver, rule?.account ?? CarriedBalances.account)
        let part = rule?.part.map { #","part":\#(JSONValue.string($0).text)"# } ?? ""
        let text = """
            {"rule":"\(name)","account":"\(account.rawValue)"\(part),"lines":[\(lines)]}
            """
        return try JSONValue(parsing: text.utf8).text
    }

    /// A posting that another rule, account or part explains is a different posting.
    private static let isFound = """
        SELECT FROM posting p WHERE p.line = r.line AND r.rule = ($2::text[])[p.rule + 1]
            AND r.account = ($3::text[])[p.rule + 1] AND r.part = ($4::text[])[p.rule + 1]
        """

    static func postingParameters(_ rules: MatchingRules) -> [PostgresValue] {
        [
            .textArray(rules.postings.map(\.name) + [PostingRule.carriedOver]),
            .textArray(rules.postings.map(\.account.rawValue) + [CarriedBalances.account.rawValue]),
            .textArray(rules.postings.map { $0.part ?? "" } + [""]),
        ]
    }

    /// - Parameter isConcerned: The condition that a recorded posting belongs to the compared lines.
    static func oldPostingsSQL(_ isConcerned: String) -> String {
        """
        SELECT 0, count(*), string_agg('"' || line || '"', ',' ORDER BY line)
        FROM (
            SELECT r.line, (row_number() OVER (ORDER BY r.line) - 1) / \(partLinks) AS part
            FROM read_reconciliation.postings r
            WHERE r.tenant = $1 AND r.until IS NULL AND \(isConcerned) AND NOT EXISTS (\(isFound))
        ) t GROUP BY part ORDER BY part
        """
    }

    static let newPostingsSQL = """
        SELECT rule, count(*), string_agg('"' || line || '"', ',' ORDER BY line)
        FROM (
            SELECT n.line, n.rule, (row_number() OVER (PARTITION BY n.rule ORDER BY n.line) - 1) / \(partLinks) AS part
            FROM posting n WHERE NOT EXISTS (
                SELECT FROM read_reconciliation.postings r
                WHERE r.tenant = $1 AND r.line = n.line AND r.until IS NULL AND r.rule = ($2::text[])[n.rule + 1]
                    AND r.account = ($3::text[])[n.rule + 1] AND r.part = ($4::text[])[n.rule + 1]
            )
        ) t GROUP BY rule, part ORDER BY rule, part
        """
}
