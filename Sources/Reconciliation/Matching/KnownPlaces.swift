import Postgres
import Projections

/// Where money moved, as SQL over the tables of `sides.sql`: a line and a movement of two terminals, or of two
/// merchants, are not about one payment.
///
/// Files and payments may name one terminal or merchant differently. So the name in a line says something only if
/// payments use it, too. Names of merchants are compared with names of the same role: an account that is not linked may
/// be any sender's.
struct KnownPlaces: Sendable {
    /// The best names of merchants and the names of terminals that payments use.
    private let merchants: [(name: String, role: String)]
    private let terminals: [String]
    private let wereSeveral: Bool

    init(_ merchants: BestNames, _ terminals: TerminalNames) {
        self.merchants = merchants.known
        self.terminals = terminals.all
        let earlier = merchants.known.count(where: { !merchants.new.contains($0.name) })
        wereSeveral = earlier > 1 || terminals.all.count - terminals.new.count > 1
    }

    // With one name nothing differs, and comparisons would cost time.
    private var hasMerchants: Bool { merchants.count > 1 }
    private var hasTerminals: Bool { terminals.count > 1 }
    /// Whether two places can differ.
    var areSeveral: Bool { hasMerchants || hasTerminals }
    /// Whether two places can differ since the earlier position. Then recurring rows are paired in another order.
    var becameSeveral: Bool { areSeveral && !wereSeveral }

    /// Fills `known_merchants` and `known_terminals`.
    func fill(in transaction: borrowing PostgresTransaction) async throws {
        guard areSeveral else { return }
        _ = try await transaction.execute(
            "INSERT INTO known_merchants SELECT * FROM unnest($1::text[], $2::text[])",
            [.textArray(merchants.map(\.name)), .textArray(merchants.map(\.role))]
        )
        _ = try await transaction.execute(
            "INSERT INTO known_terminals SELECT * FROM unnest($1::text[])",
            [.textArray(terminals)]
        )
        try await transaction.script("ANALYZE known_merchants, known_terminals")
    }

    /// The columns with the known terminal and merchant of a line, each after a comma; empty if no places can differ.
    var columns: String {
        guard areSeveral else { return "" }
        return """
            , CASE WHEN terminal IN (SELECT name FROM known_terminals) THEN terminal END AS known_terminal,
            CASE WHEN merchant IN (SELECT name FROM known_merchants) THEN merchant END AS known_merchant
            """
    }

    /// The condition that a line was not at another place than a movement.
    ///
    /// - Parameters:
    ///   - terminal: The line's terminal.
    ///   - merchant: The line's merchant.
    ///   - m: The movement's row, with its terminals.
    ///   - other: The movement's merchant.
    func areOne(terminal: String, merchant: String, _ m: String, merchant other: String) -> String {
        // The sets of names are read only for names that differ.
        let terminals = """
            \(terminal) <> ALL (\(m).terminals) AND \(terminal) IN (SELECT name FROM known_terminals)
            """
        let merchants = """
            \(merchant) <> \(other) AND \(merchant) IN (SELECT name FROM known_merchants) AND EXISTS (
                SELECT FROM known_merchants a JOIN known_merchants b ON b.role = a.role
                WHERE a.name = \(merchant) AND b.name = \(other)
            )
            """
        let differ = (hasTerminals ? [terminals] : []) + (hasMerchants ? [merchants] : [])
        return differ.isEmpty ? "true" : "(\(differ.joined(separator: " OR "))) IS NOT TRUE"
    }

    /// Adds the lines to the scope that name a terminal of `$2`, which no payment named before. `$1` is the tenant,
    /// `$3` the largest number of lines.
    static let scope = """
        INSERT INTO scope_lines
        SELECT id, 0 FROM read_statements.lines
        WHERE tenant = $1 AND terminal = ANY ($2::text[]) AND side = 'processor' LIMIT $3::int8
        ON CONFLICT DO NOTHING
        """

    /// Adds the lines to the scope that name a merchant of `$2`, which no payment named before. `$1` is the tenant,
    /// `$3` the largest number of lines.
    static let scopeOfMerchants = EmbeddedFiles.merchantScope_sql
}
