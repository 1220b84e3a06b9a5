import Canonical
import Matching
import Payments
import Postgres

/// One kind of difference between what a run found and what is recorded.
enum RunChange: Sendable {
    case oldLinks, newLinks, oldExceptions, newExceptions

    /// In the order in which they are recorded.
    static let all: [RunChange] = [.oldLinks, .newLinks, .oldExceptions, .newExceptions]

    /// Links and exceptions in an event at most.
    private static let partLinks = 2000
    private static let partExceptions = 500

    /// Some of the differences.
    struct Part {
        /// The place of their rule in the ladder.
        var rule: Int
        var count: Int64
        /// Their JSON, with commas between.
        var told: String

        init(_ row: PostgresRow) throws {
            rule = Int(try row.int32(0))
            count = try row.int64(1)
            told = try row.text(2)
        }
    }

    /// Where a run counts them.
    var count: any WritableKeyPath<RunCompletion, Int64> & Sendable {
        switch self {
        case .oldLinks: \.unmatched
        case .newLinks: \.matched
        case .oldExceptions: \.cleared
        case .newExceptions: \.raised
        }
    }

    func event(_ part: Part, rules: MatchingRules) throws -> ReconciliationEvent {
        switch self {
        case .oldLinks: return .unmatched(RunPart(text: try Self.canonical(#"{"links":[\#(part.told)]}"#)))
        case .newLinks:
            let rule = JSONValue.string(rules.ladder[part.rule].name).text
            return .matched(RunPart(text: try Self.canonical(#"{"rule":\#(rule),"links":[\#(part.told)]}"#)))
        case .oldExceptions: return .exceptionsCleared(RunPart(text: #"{"exceptions":[\#(part.told)]}"#))
        case .newExceptions:
            let text = #"{"exceptions":[\#(part.told)]}"#
            return .exceptionsRaised(RunPart(text: try JSONValue(parsing: text.utf8).text))
        }
    }

    /// Ids need no escapes; the database escapes what a name has in it in another way than the log does.
    private static func canonical(_ text: String) throws -> String {
        text.utf8.contains(UInt8(ascii: "\\")) ? try JSONValue(parsing: text.utf8).text : text
    }

    /// Each row is a `Part`; `$1` is the tenant.
    ///
    /// - Parameter isWhole: Whether everything was compared.
    func sql(whole isWhole: Bool) -> String {
        // Whether a recorded link or exception is among what was compared.
        let isConcerned =
            isWhole
            ? "true"
            : """
            (r.line IN (SELECT line FROM scope_lines)
                OR r.transaction IN (SELECT transaction FROM scope_transactions))
            """
        return switch self {
        case .newLinks:
            """
            SELECT rule, count(*), string_agg(told, ',')
            FROM (
                SELECT k.rule, l.id AS line,
                    '["' || l.id || '","' || m.transaction || '",' || to_json(m.line)::text
                        || CASE WHEN k.match = l.id THEN ']' ELSE ',"' || k.match || '"]' END AS told,
                    (row_number() OVER (PARTITION BY k.rule ORDER BY l.id, m.transaction, m.line) - 1)
                        / \(Self.partLinks) AS part
                FROM link k JOIN l0 l ON l.n = k.l JOIN m0 m ON m.n = k.m
                LEFT JOIN read_reconciliation.links r ON r.tenant = $1 AND r.line = l.id
                    AND r.transaction = m.transaction AND r.movement = m.line AND r.match = k.match
                WHERE r.line IS NULL
                ORDER BY k.rule, l.id, m.transaction, m.line
            ) t GROUP BY rule, part ORDER BY rule, part
            """
        case .oldLinks:
            """
            SELECT 0, count(*), string_agg(told, ',' ORDER BY line, told)
            FROM (
                SELECT r.line, '["' || r.line || '","' || r.transaction || '",' || to_json(r.movement)::text || ']' AS told,
                    (row_number() OVER (ORDER BY r.line, r.transaction, r.movement) - 1) / \(Self.partLinks) AS part
                FROM read_reconciliation.links r
                WHERE r.tenant = $1 AND \(isConcerned) AND NOT EXISTS (
                    SELECT FROM link k JOIN l0 l ON l.n = k.l JOIN m0 m ON m.n = k.m
                    WHERE l.id = r.line AND m.transaction = r.transaction AND m.line = r.movement
                )
            ) t GROUP BY part ORDER BY part
            """
        case .newExceptions:
            """
            SELECT 0, count(*), string_agg(told, ',' ORDER BY id)
            FROM (
                SELECT d.id, d.told, (row_number() OVER (ORDER BY d.id) - 1) / \(Self.partExceptions) AS part
                FROM raised d LEFT JOIN read_reconciliation.exceptions r ON r.tenant = $1 AND r.id = d.id
                WHERE r.id IS NULL OR r.cleared IS NOT NULL OR r.told::jsonb <> d.told::jsonb
            ) t GROUP BY part ORDER BY part
            """
        case .oldExceptions:
            """
            SELECT 0, count(*), string_agg('"' || id || '"', ',' ORDER BY id)
            FROM (
                SELECT r.id, (row_number() OVER (ORDER BY r.id) - 1) / \(Self.partLinks) AS part
                FROM read_reconciliation.exceptions r
                WHERE r.tenant = $1 AND r.cleared IS NULL AND \(isConcerned)
                    AND NOT EXISTS (SELECT FROM raised d WHERE d.id = r.id)
            ) t GROUP BY part ORDER BY part
            """
        }
    }
}

extension ReconciliationEvent: WrittenEvent {
    func text() throws -> String {
        switch self {
        case .matched(let part), .unmatched(let part), .exceptionsRaised(let part), .exceptionsCleared(let part):
            part.text
        case .rulesChanged, .began, .completed: try data().text
        }
    }
}
