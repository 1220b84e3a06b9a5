import Matching

/// Which lines that are no payments a run examines, as SQL.
extension MatchingRules {
    /// A list of types as SQL; it is never empty.
    private static func list(_ types: [PostingRule.LineType]) -> String {
        types.isEmpty ? "''" : types.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    private func isPosted(_ type: PostingRule.LineType) -> Bool { postings.contains { $0.type == type } }

    /// The types, except transfers, that a posting rule, a contract, a match or an exception must explain.
    var unexplainedTypes: String {
        Self.list(PostingRule.LineType.allCases.filter { !$0.isTransfer && !explainedTypes.contains($0) })
    }

    /// These types, and those that posting rules name.
    var examinedTypes: String {
        Self.list(
            PostingRule.LineType.allCases.filter { type in
                isPosted(type) || !type.isTransfer && !explainedTypes.contains(type)
            }
        )
    }

    /// The condition that the row `l` of `read_statements.lines`, of a file `f`, is examined.
    var isExamined: String {
        // Of transfers without money there is nothing to explain.
        let transfers = """
            l.type = 'transfer' AND (\(MovingLines.moves("l")) OR l.amount IS NULL AND l.fees <> 0)
            """
        let others = Self.list(
            PostingRule.LineType.allCases.filter { type in
                type != .transfer && (isPosted(type) || !type.isTransfer && !explainedTypes.contains(type))
            }
        )
        return """
            (l.type IN (\(others)) OR \(transfers)
                AND (f.format IN (\(CarriedBalances.formats)) OR \(isPosted(.transfer))))
            """
    }

    /// The types of lines, beside payouts, that transfers on bank accounts answer.
    static func answeredTypes(without explained: [PostingRule.LineType]) -> String {
        list(PostingRule.LineType.allCases.filter { $0.isTransfer && !explained.contains($0) })
    }
}

/// Fee lines that a contract explains, as SQL over the tables of `sides.sql`.
enum ContractedFees {
    /// The condition that the contract about the fee of the line `l` has its amount as the fixed one; `$1` is the
    /// tenant. As in the statement of fees, the merchant's own contract holds, then the brand's, then the newest.
    static func condition(_ contracts: [FeeContract]) -> String {
        guard !contracts.isEmpty else { return "false" }
        func quoted(_ text: String?) -> String {
            text.map { "'" + $0.replacing("'", with: "''") + "'" } ?? "NULL"
        }
        let rows = contracts.map { contract in
            let texts = [
                contract.processor, contract.merchant, contract.brand?.lowercased(), contract.component,
                contract.currency, contract.begins,
            ]
            return "(\(texts.map(quoted).joined(separator: ", ")), \(contract.fixed))"
        }
        return """
            (l.type = 'fee' AND coalesce((
                SELECT k.fixed > 0 AND k.fixed = -l.amount
                FROM read_statements.lines s
                JOIN read_statements.statements f ON f.tenant = s.tenant AND f.id = s.statement
                JOIN (VALUES \(rows.joined(separator: ", ")))
                    AS k (processor, merchant, brand, component, currency, begins, fixed)
                    ON k.processor = f.format AND k.currency = s.currency AND k.begins::text::date <= s.day
                    AND coalesce(k.merchant::text = s.merchant, k.merchant IS NULL)
                    AND coalesce(k.brand::text = lower(s.brand), k.brand IS NULL)
                    AND k.component = coalesce((
                        SELECT min(c) FROM json_object_keys(s.view -> 'fee') c HAVING count(*) = 1
                    ), 'other')
                WHERE s.tenant = $1 AND s.id = l.id
                ORDER BY k.merchant IS NULL, k.brand IS NULL, k.begins DESC LIMIT 1
            ), false))
            """
    }
}

/// Exchanges of currencies whose two halves are listed, as SQL over the tables of `sides.sql`: the halves explain each
/// other.
enum Exchanges {
    /// From the halves of the round `$2` to those that they name; `$1` is the tenant.
    static let spread = EmbeddedFiles.exchangesSpread_sql

    /// Fills `exchange`; `$1` is the tenant.
    static let find = EmbeddedFiles.exchanges_sql
}
