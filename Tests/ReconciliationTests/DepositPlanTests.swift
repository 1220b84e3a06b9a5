import Composition
import DaybookTestKit
import Postgres
import Testing

@testable import Reconciliation

/// The rows affected by a change of a payout or deposit are looked up by names and amounts.
struct DepositPlanTests {
    @Test func namesAreLookedUp() async throws {
        try await PlantedLedger.with { planted in
            try await planted.ledger.pool.withTransaction { transaction in
                try await transaction.script(
                    """
                    INSERT INTO read_statements.lines (tenant, id, statement, number, position, side, type, role, currency,
                        gross, amount, day, merchant, payout, account, names, words, view)
                    SELECT 'acme', md5('l' || n)::uuid, md5('s')::uuid, n, n,
                        CASE WHEN n % 20 = 0 THEN 'bank' ELSE 'processor' END,
                        CASE WHEN n % 20 = 0 THEN 'deposit' WHEN n % 20 = 1 THEN 'payout' ELSE 'sale' END, 'own', 'USD', n, n,
                        DATE '2026-01-01' + n / 200, 'm-' || n % 300, 'po-' || n / 20, 'a-' || n % 7,
                        CASE WHEN n % 20 < 2 THEN ARRAY['PO-' || n / 20] END,
                        CASE WHEN n % 20 = 0 THEN ARRAY['ACH', 'PO-' || n / 20, 'THANKS'] END, '{}'
                    FROM generate_series(1, 100000) n;
                    ANALYZE read_statements.lines;
                    CREATE TEMPORARY TABLE scope_deposits (line uuid PRIMARY KEY, is_payout boolean NOT NULL, round int NOT NULL)
                        ON COMMIT DROP;
                    INSERT INTO scope_deposits
                        SELECT id, side = 'processor', 0 FROM read_statements.lines WHERE number IN (400, 421);
                    ANALYZE scope_deposits
                    """
                )
                for spread in DepositScope.spreads {
                    let plan = try await transaction.query(
                        "EXPLAIN (COSTS OFF) \(spread)",
                        [.text("acme"), .int32(0)]
                    ).map { try $0.text(0) }.joined(separator: "\n")
                    #expect(!plan.contains("Seq Scan on lines"), "\(spread)\n\(plan)")
                    let isByName = spread.contains("d.words && p.names")
                    let isByWord = plan.contains("lines_by_word") && plan.contains("lines_by_name")
                    #expect(!isByName || isByWord, "\(plan)")
                    #expect(!spread.contains("p.names && (") || plan.contains("lines_by_name"), "\(plan)")
                }
            }
        }
    }
}
