import Canonical
import Composition
import DaybookTestKit
import Matching
import Payments
import Postgres
import Projections
import Testing

@testable import Reconciliation

/// PostgreSQL finds the rows of reconciliation queries without reading whole tables for a small result.
struct ReconciliationPlanTests {
    private static let count = 50_000

    /// Fills the tables with many lines, links, exceptions, runs and closed days, and analyses them.
    private static func fill(_ pool: PostgresPool) async throws {
        try await pool.withTransaction { transaction in
            try await transaction.script(
                """
                INSERT INTO read_statements.statements (tenant, id, format, side, digest, status, bytes, lines, controls,
                    failed_controls, notes, first_position, last_position, imported, began_at, imported_by, view)
                SELECT 'acme', md5('s' || n)::uuid, 'daybook-csv', CASE WHEN n % 10 = 0 THEN 'bank' ELSE 'processor' END, n,
                    'imported', 1, 1, 0, 0, 0, n * 100, n * 100 + 99, n * 100 + 99, now(), 'x', '{"totals":[]}'
                FROM generate_series(0, \(count / 100)) n;
                INSERT INTO read_statements.lines (tenant, id, statement, number, position, side, type, role, currency, gross,
                    amount, day, processor_id, merchant, payout, account, names, words, view)
                SELECT 'acme', md5('l' || n)::uuid, md5('s' || n / 100)::uuid, n % 100, n,
                    CASE WHEN n % 20 = 0 THEN 'bank' ELSE 'processor' END,
                    CASE WHEN n % 20 = 0 THEN 'deposit' WHEN n % 20 = 1 THEN 'payout' ELSE 'sale' END, 'own', 'USD', n, n,
                    DATE '2026-01-01' + n / 200, 'p-' || n, 'm-' || n % 300, 'po-' || n / 20, 'a-' || n % 7,
                    CASE WHEN n % 20 < 2 THEN ARRAY['PO-' || n / 20] END,
                    CASE WHEN n % 20 = 0 THEN ARRAY['ACH', 'PO-' || n / 20, 'THANKS'] END, '{}'
                FROM generate_series(1, \(count)) n;
                INSERT INTO read_statements.placements (tenant, statement, number, line)
                SELECT tenant, statement, number, id FROM read_statements.lines;
                INSERT INTO read_batches.members (tenant, transaction, line, since, batch, type, currency, amount, tip, voided,
                    vendor, merchant, terminal, occurred_at, evidence)
                SELECT 'acme', md5('t' || n)::uuid, 'capture:sale', n, md5('b' || n)::uuid, 'sale', 'USD', n, 0, 0, 'dejavoo',
                    'm-' || n % 300, 't-' || n % 900, '2026-01-01'::timestamptz + n / 200 * interval '1 day', 'gateway'
                FROM generate_series(1, \(count)) n;
                INSERT INTO read_reconciliation.links
                SELECT 'acme', md5('l' || n)::uuid, md5('t' || n)::uuid, 'capture:sale', md5('l' || n)::uuid, 'gateway-id', n, NULL
                FROM generate_series(2, \(count)) n WHERE n % 20 > 2;
                INSERT INTO read_reconciliation.deposit_links
                SELECT 'acme', md5('l' || n + 1)::uuid, md5('l' || n)::uuid, md5('l' || n)::uuid, 'end-to-end', n, NULL
                FROM generate_series(20, \(count - 20), 20) n;
                INSERT INTO read_reconciliation.exceptions (tenant, id, class, line, transaction, movement, merchant, terminal,
                    currency, amount, day, first, first_at, raised, raised_at, changed, status, assignee, details)
                SELECT 'acme', md5('x' || n)::uuid, (ARRAY['late', 'missing-in-ledger', 'fee-differs'])[n % 3 + 1],
                    md5('l' || n)::uuid, md5('t' || n)::uuid, 'capture:sale', 'm-' || n % 300, 't-' || n % 900, 'USD', n,
                    DATE '2026-01-01' + n / 200, n, now(), n, now(), n,
                    CASE WHEN n % 500 = 0 THEN 'open' ELSE 'cleared' END, CASE WHEN n % 900 = 0 THEN 'dana' END, '{}'
                FROM generate_series(1, \(count)) n;
                INSERT INTO read_reconciliation.steps (tenant, exception, position, kind, at, actor, status)
                SELECT tenant, id, raised, 'ExceptionsRaised', now(), 'x', status FROM read_reconciliation.exceptions;
                INSERT INTO read_reconciliation.runs (tenant, id, position, covers, since, rules, began_at, began_by, completed)
                SELECT 'acme', md5('r' || n)::uuid, n, n, n, 'x', now(), 'x', n + 1 FROM generate_series(1, 5000) n;
                INSERT INTO read_reconciliation.periods
                SELECT 'acme', md5('p' || n)::uuid, 'm-' || n % 300, DATE '2026-01-01' + n / 300, 'closed', n, n, NULL, now(), 'x', 'x', '{}'
                FROM generate_series(1, 20000) n;
                ANALYZE read_statements.statements; ANALYZE read_statements.lines; ANALYZE read_statements.placements;
                ANALYZE read_batches.members; ANALYZE read_reconciliation.links; ANALYZE read_reconciliation.deposit_links;
                ANALYZE read_reconciliation.exceptions; ANALYZE read_reconciliation.steps;
                ANALYZE read_reconciliation.runs; ANALYZE read_reconciliation.periods;
                """
            )
        }
    }

    private static func plan(
        _ statement: (sql: String, parameters: [PostgresValue]),
        _ pool: PostgresPool
    ) async throws -> String {
        try await pool.query("EXPLAIN (COSTS OFF) \(statement.sql)", statement.parameters).map { try $0.text(0) }
            .joined(separator: "\n")
    }

    private static func expectIndexes(
        _ name: String,
        _ statement: (sql: String, parameters: [PostgresValue]),
        _ index: String? = nil,
        _ pool: PostgresPool
    ) async throws {
        let plan = try await plan(statement, pool)
        // Tables that are empty here are read in full.
        let scans = plan.split(separator: "\n").filter { line in
            line.contains("Seq Scan")
                && ["lines", "members", "links", "exceptions", "steps", "runs", "periods", "placements"].contains {
                    line.contains(" on \($0) ")
                }
        }
        #expect(scans.isEmpty && (index.map(plan.contains) ?? true), "\(name): \(plan)")
    }

    @Test func queriesUseIndexes() async throws {
        try await TestLog.with { log in
            let pool = log.pool
            try await ReadModels(ReadModels.all, pool: pool, reader: log.reader).install()
            try await Self.fill(pool)
            try await Self.reports(pool)
            try await Self.lists(pool)
        }
    }

    /// Reports of a merchant's day, at the end of the log and at a past position.
    private static func reports(_ pool: PostgresPool) async throws {
        let day = try #require(CivilDate("2026-03-01"))
        let now = Timestamp(microsecondsSince1970: 1_790_000_000_000_000)
        let newYork = try #require(BusinessDay(zone: "America/New_York", cutoff: "04:00"))
        for (position, days) in [(Int64(count), BusinessDay.standard), (Int64(count - 500), newYork)] {
            let scope = ReportScope(from: day, to: day, merchant: "m-7")
            let sql = ReportSQL(tenant: "acme", scope: scope, position: position, days: days)
            let name = "at \(position)"
            try await expectIndexes("runs \(name)", sql.covers, "runs_by_position", pool)
            try await expectIndexes("account \(name)", sql.account, "lines_by_day", pool)
            try await expectIndexes("processor \(name)", sql.processor, "lines_by_day", pool)
            try await expectIndexes("ledger \(name)", sql.ledger(covers: position), "members_by", pool)
            try await expectIndexes("open \(name)", sql.open, nil, pool)
            try await expectIndexes("exceptions \(name)", sql.exceptions(now: now), nil, pool)
        }
    }

    private static func lists(_ pool: PostgresPool) async throws {
        let runs = ReconciliationQuery.search("acme", before: 4000, 100)
        try await expectIndexes("runs", runs, "runs_by_position", pool)
        let place = (first: Int64(20_000), id: UUID128(high: 0, low: 0))
        let exceptions: [(String, (inout ExceptionFilter) -> Void)] = [
            ("none", { _ in }), ("class", { $0.exceptionClass = .late }), ("status", { $0.status = .open }),
            ("open", { $0.isOpen = true }), ("assignee", { $0.assignee = "dana" }),
            ("merchant", { $0.merchant = "m-7" }),
            ("terminal", { $0.terminal = "t-7" }), ("currency", { $0.currency = "USD" }),
            ("transaction", { $0.transaction = UUID128(high: 0, low: 1) }),
            ("line", { $0.line = UUID128(high: 0, low: 1) }), ("from", { $0.from = CivilDate("2026-03-01") }),
            ("to", { $0.to = CivilDate("2026-03-01") }),
        ]
        for (name, set) in exceptions {
            var filter = ExceptionFilter()
            set(&filter)
            for position in [nil, Int64(30_000)] {
                let statement = ExceptionQuery.search("acme", filter, position, place, 100)
                try await expectIndexes("exceptions by \(name) at \(position ?? -1)", statement, nil, pool)
            }
        }
        let periods: [(String, (inout PeriodFilter) -> Void)] = [
            ("none", { _ in }), ("merchant", { $0.merchant = "m-7" }), ("status", { $0.status = .reopened }),
            ("from", { $0.from = CivilDate("2026-03-01") }), ("to", { $0.to = CivilDate("2026-01-02") }),
        ]
        for (name, set) in periods {
            var filter = PeriodFilter()
            set(&filter)
            let statement = ReconciliationQuery.search("acme", filter, before: 15_000, 100)
            try await expectIndexes("periods by \(name)", statement, nil, pool)
        }
        let transfers: [(String, (inout TransferFilter) -> Void)] = [
            ("none", { _ in }), ("side", { $0.side = .bank }), ("state", { $0.state = .unmatched }),
            ("currency", { $0.currency = "USD" }), ("merchant", { $0.merchant = "m-7" }),
            ("account", { $0.account = "a-3" }),
            ("from", { $0.from = CivilDate("2026-03-01") }), ("to", { $0.to = CivilDate("2026-03-01") }),
        ]
        for (name, set) in transfers {
            var filter = TransferFilter()
            set(&filter)
            let statement = DepositQuery.search("acme", filter, nil, (position: 30_000, line: place.id), 100)
            try await expectIndexes("deposits by \(name)", statement, nil, pool)
        }
    }
}
