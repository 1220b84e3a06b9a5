import Canonical
import Matching
import Payments
import Postgres

/// One kind of difference between what a run found and what is recorded.
enum RunChange: Sendable {
    case oldLinks, newLinks, oldChargebacks, newChargebacks, oldPostings, newPostings, oldDeposits, newDeposits,
        oldExceptions, newExceptions

    /// The kinds that are recorded once the lines are matched, in this order: a movement may move from one line to
    /// another, so its old link ends before the new one begins.
    static let ofMatches: [RunChange] = [.oldLinks, .newLinks]
    /// The kinds that are recorded after these, in this order.
    static let ofExceptions: [RunChange] = [
        .oldChargebacks, .newChargebacks, .oldPostings, .newPostings, .oldDeposits, .newDeposits, .oldExceptions,
        .newExceptions,
    ]

    /// The most links in an event.
    static let partLinks = 2000
    private static let partExceptions = 500

    /// Some of the differences, for one event.
    struct Part {
        /// The index of their rule in the ladder.
        var rule: Int
        var count: Int64
        /// The differences as JSON, separated by commas.
        var reported: String

        init(_ row: PostgresRow) throws {
            rule = Int(try row.int32(0))
            count = try row.int64(1)
            reported = try row.text(2)
        }
    }

    /// The counter of a run for this kind.
    var count: any WritableKeyPath<RunCompletion, Int64> & Sendable {
        switch self {
        case .oldLinks, .oldChargebacks: \.unmatched
        case .newLinks, .newChargebacks: \.matched
        case .oldPostings: \.unposted
        case .newPostings: \.posted
        case .oldDeposits: \.depositsUnmatched
        case .newDeposits: \.depositsMatched
        case .oldExceptions: \.cleared
        case .newExceptions: \.raised
        }
    }

    func event(_ part: Part, rules: MatchingRules) throws -> ReconciliationEvent {
        switch self {
        case .oldLinks, .oldChargebacks:
            return .unmatched(RunPart(text: try Self.canonical(#"{"links":[\#(part.reported)]}"#)))
        case .newLinks:
            let name = part.rule < 0 ? MatchingRule.byHand : rules.ladder[part.rule].name
            let rule = JSONValue.string(name).text
            return .matched(RunPart(text: try Self.canonical(#"{"rule":\#(rule),"links":[\#(part.reported)]}"#)))
        case .newChargebacks:
            let text = #"{"rule":"\#(MatchingRule.chargeback)","links":[\#(part.reported)]}"#
            return .matched(RunPart(text: try Self.canonical(text)))
        case .oldPostings: return .unposted(RunPart(text: #"{"lines":[\#(part.reported)]}"#))
        case .newPostings:
            return .posted(RunPart(text: try Self.posted(part.reported, by: part.rule, of: rules)))
        case .oldDeposits:
            return .depositsUnmatched(RunPart(text: try Self.canonical(#"{"links":[\#(part.reported)]}"#)))
        case .newDeposits:
            let rule = JSONValue.string(rules.deposits[part.rule].name).text
            return .depositsMatched(
                RunPart(text: try Self.canonical(#"{"rule":\#(rule),"links":[\#(part.reported)]}"#))
            )
        case .oldExceptions: return .exceptionsCleared(RunPart(text: #"{"exceptions":[\#(part.reported)]}"#))
        case .newExceptions:
            let text = #"{"exceptions":[\#(part.reported)]}"#
            return .exceptionsRaised(RunPart(text: try JSONValue(parsing: text.utf8).text))
        }
    }

    /// Text without escapes is canonical already. With escapes it is converted, because the database escapes names
    /// differently than the log.
    private static func canonical(_ text: String) throws -> String {
        text.utf8.contains(UInt8(ascii: "\\")) ? try JSONValue(parsing: text.utf8).text : text
    }

    /// The attributes of an exception that change from day to day. A change of only these does not reopen an
    /// exception that an operator has decided. The merchant of an unmatched deposit is one of them, because it is
    /// derived from other payouts.
    private static let circumstances =
        """
        ARRAY['status', 'rule', 'candidates', 'expectedBy', CASE WHEN d.class = 'unmatched-deposit' THEN 'merchant' END]
        """

    /// The recorded links of the compared rows, by the index of either end. Each row is looked up separately: after a
    /// run with many links the database's statistics do not count them yet, and it would read all of them.
    private static let concernedLinks = """
        (
            SELECT k.* FROM scope_lines s CROSS JOIN LATERAL (
                SELECT * FROM read_reconciliation.links WHERE tenant = $1 AND line = s.line AND until IS NULL OFFSET 0
            ) k
            UNION
            SELECT k.* FROM scope_transactions s CROSS JOIN LATERAL (
                SELECT * FROM read_reconciliation.links
                WHERE tenant = $1 AND transaction = s.transaction AND until IS NULL OFFSET 0
            ) k
        )
        """

    /// Each row is a `Part`; `$1` is the tenant, and `parameters` follow. Nil when nothing of the kind was compared.
    func sql(_ extent: Matcher.Extent) -> String? {
        switch self {
        case .oldLinks, .newLinks, .oldChargebacks, .newChargebacks, .oldPostings, .newPostings:
            if extent.lines == .nothing { return nil }
        case .oldDeposits, .newDeposits: if extent.deposits == .nothing { return nil }
        case .oldExceptions, .newExceptions:
            let extents = [extent.lines, extent.deposits, extent.files, extent.calendars]
            if extents.allSatisfy({ $0 == .nothing }) { return nil }
        }
        // The condition that a recorded exception belongs to the compared rows.
        let isConcerned =
            switch extent.lines {
            case .everything: "true"
            case .nothing: "false"
            case .changes:
                """
                (r.line IN (SELECT line FROM scope_lines)
                    OR r.transaction IN (SELECT transaction FROM scope_transactions))
                """
            }
        let links = extent.lines == .everything ? "read_reconciliation.links" : Self.concernedLinks
        return switch self {
        case .oldChargebacks: Self.oldChargebacksSQL(links)
        case .newChargebacks: Self.newChargebacksSQL
        case .oldPostings:
            Self.oldPostingsSQL(extent.lines == .everything ? "true" : "r.line IN (SELECT line FROM scope_lines)")
        case .newPostings: Self.newPostingsSQL
        case .oldDeposits: Self.oldDepositsSQL(isWhole: extent.deposits == .everything)
        case .newDeposits: Self.newDepositsSQL
        case .newLinks:
            // Each rule separately, because a million ids are sorted faster when they come first.
            """
            SELECT u.rule, p.count, p.reported
            FROM (SELECT DISTINCT rule FROM link) u CROSS JOIN LATERAL (
                SELECT part, count(*) AS count, string_agg(details, ',') AS reported
                FROM (
                    SELECT '["' || k.line || '","' || k.transaction || '",' || to_json(k.movement)::text
                            || CASE WHEN k.match = k.line THEN ']' ELSE ',"' || k.match || '"]' END AS details,
                        (row_number() OVER (ORDER BY k.line, k.transaction, k.movement) - 1) / \(Self.partLinks) AS part
                    FROM link k
                    LEFT JOIN read_reconciliation.links r ON r.tenant = $1 AND r.line = k.line
                        AND r.transaction = k.transaction AND r.movement = k.movement AND r.match = k.match
                        AND r.until IS NULL AND r.rule = ($2::text[])[k.rule + 2]
                    WHERE k.rule = u.rule AND r.line IS NULL
                    ORDER BY k.line, k.transaction, k.movement
                ) t GROUP BY part
            ) p ORDER BY u.rule, p.part
            """
        case .oldLinks:
            """
            SELECT 0, count(*), string_agg(details, ',' ORDER BY line, details)
            FROM (
                SELECT r.line, '["' || r.line || '","' || r.transaction || '",' || to_json(r.movement)::text || ']' AS details,
                    (row_number() OVER (ORDER BY r.line, r.transaction, r.movement) - 1) / \(Self.partLinks) AS part
                FROM \(links) r
                WHERE r.tenant = $1 AND r.until IS NULL AND r.rule <> '\(MatchingRule.chargeback)' AND NOT EXISTS (
                    SELECT FROM link k
                    WHERE k.line = r.line AND k.transaction = r.transaction AND k.movement = r.movement
                        AND k.match = r.match AND r.rule = ($2::text[])[k.rule + 2]
                )
            ) t GROUP BY part ORDER BY part
            """
        case .newExceptions:
            """
            SELECT 0, count(*), string_agg(details, ',' ORDER BY id)
            FROM (
                SELECT d.id, d.details, (row_number() OVER (ORDER BY d.id) - 1) / \(Self.partExceptions) AS part
                FROM raised d LEFT JOIN read_reconciliation.exceptions r ON r.tenant = $1 AND r.id = d.id
                WHERE r.id IS NULL OR r.cleared IS NOT NULL OR CASE
                    WHEN r.status IN ('proposed', 'resolved')
                        THEN r.details::jsonb - \(Self.circumstances) <> d.details::jsonb - \(Self.circumstances)
                    ELSE r.details::jsonb <> d.details::jsonb
                END
            ) t GROUP BY part ORDER BY part
            """
        case .oldExceptions:
            """
            SELECT 0, count(*), string_agg('"' || id || '"', ',' ORDER BY id)
            FROM (
                SELECT r.id, (row_number() OVER (ORDER BY r.id) - 1) / \(Self.partLinks) AS part
                FROM read_reconciliation.exceptions r
                WHERE r.tenant = $1 AND r.cleared IS NULL
                    AND CASE r.class WHEN 'unmatched-deposit' THEN \(extent.deposits != .nothing)
                        WHEN 'control-failed' THEN \(extent.files != .nothing)
                        WHEN 'missing-statement' THEN \(extent.calendars != .nothing)
                        WHEN 'payout-differs' THEN \(StatementCheck.concerns("r.line", extent.files))
                        ELSE \(isConcerned) END
                    AND NOT EXISTS (SELECT FROM raised d WHERE d.id = r.id)
            ) t GROUP BY part ORDER BY part
            """
        }
    }
}
