import Canonical
import Composition
import DaybookTestKit
import Postgres
import Projections
import Reconciliation
import Statements
import Testing

extension PlantedLedger {
    /// A file in Daybook's own format with every column that any of the lines has.
    static func file(_ lines: [PlantedDeposits.Line]) throws -> [UInt8] {
        let columns = Set(lines.flatMap(\.keys.keys)).sorted()
        var text = (["type", "currency", "gross", "day", "other_reference"] + columns).joined(separator: ",") + "\n"
        for line in lines {
            let (whole, rest) = (line.amount.magnitude / 100, line.amount.magnitude % 100)
            let amount = "\(line.amount < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
            let day = try #require(Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
                .adding(microseconds: Int64(line.day) * 86_400_000_000).rfc3339.prefix(10)
            let cells =
                [line.type, line.currency, amount, String(day), line.name] + columns.map { line.keys[$0] ?? "" }
            text += cells.map { $0.contains(",") ? "\"\($0)\"" : $0 }.joined(separator: ",") + "\n"
        }
        return Array(text.utf8)
    }

    @discardableResult
    func `import`(
        _ lines: [PlantedDeposits.Line],
        side: StatementSide
    ) async throws -> StatementImporter.Outcome {
        var options = StatementOptions()
        var mapping = CSVMapping()
        mapping.side = side
        options.mapping = mapping
        let outcome = try await ledger.reconciliation.importer.import(
            StatementBytes(try Self.file(lines)),
            StatementImporter.Request(format: .daybookCSV, options: options),
            sender: Self.sender
        )
        // A mapping determines the side of the file.
        try #require(outcome.statement.side == side.rawValue)
        return outcome
    }

    /// The current links.
    func depositLinks() async throws -> Set<PlantedDeposits.Link> {
        var links: Set<PlantedDeposits.Link> = []
        for row in try await ledger.pool.query(
            """
            SELECT k.rule, p.view -> 'references' ->> 'other_reference', d.view -> 'references' ->> 'other_reference'
            FROM read_reconciliation.deposit_links k
            JOIN read_statements.lines p ON p.tenant = k.tenant AND p.id = k.payout
            JOIN read_statements.lines d ON d.tenant = k.tenant AND d.id = k.deposit
            WHERE k.tenant = 'acme' AND k.until IS NULL
            """,
            []
        ) {
            let link = PlantedDeposits.Link(rule: try row.text(0), payout: try row.text(1), deposit: try row.text(2))
            #expect(links.insert(link).inserted)
        }
        return links
    }

    /// The names of the lines with an open deposit exception.
    func depositExceptions() async throws -> Set<String> {
        Set(try await exceptions().filter { $0.what == "unmatched-deposit" }.compactMap(\.line))
    }

    /// The id of the line with a name.
    func line(_ name: String) async throws -> UUID128 {
        try #require(
            try await ledger.pool.query(
                """
                SELECT id FROM read_statements.lines
                WHERE tenant = 'acme' AND view -> 'references' ->> 'other_reference' = $1
                """,
                [.text(name)]
            ).first,
            "\(name)"
        ).uuid(0)
    }

    var deposits: DepositQuery { DepositQuery(pool: ledger.pool) }
}
