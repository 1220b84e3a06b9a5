import Canonical
import DaybookTestKit
import Payments
import Postgres
import Testing

@testable import Journal
@testable import Projections

/// PostgreSQL finds the rows of every filter of the API without reading whole tables.
struct PlanTests {
    private static let count = 50_000

    /// Fills the tables with many payments, and analyses them.
    private static func fill(_ pool: PostgresPool) async throws {
        try await pool.withTransaction { transaction in
            try await transaction.script(
                """
                INSERT INTO read_transactions.transactions
                SELECT 'acme', gen_random_uuid(), 4, n, n + CASE WHEN n % 50 = 0 THEN 20000 ELSE n % 7 END,
                    '2026-01-01'::timestamptz + n * interval '1 minute', NULL, now(),
                    (ARRAY['captured', 'settled', 'declined', 'authorized'])[n % 4 + 1],
                    (ARRAY['sale', 'authorization'])[n % 2 + 1], (ARRAY['dejavoo', 'bridgepay'])[n % 2 + 1],
                    'm-' || n % 300, 't-' || n % 900, 'd-' || n % 900, 'r-' || n % 900, 'ref-' || n, (ARRAY['USD', 'EUR'])[n % 2 + 1],
                    n % 5000, (ARRAY['Visa', 'AMEX', 'Mastercard'])[n % 3 + 1], to_char(n % 10000, 'FM0000'), 'A' || n,
                    'rrn-' || n, 'inv-' || n, 'g-' || n, ARRAY[(n / 100)::text],
                    ARRAY['inv-' || n, 'visa', (n / 100)::text], n % 1000 = 0, n % 500 = 0, n % 5000 = 1,
                    false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                    n % 1000 = 3, n % 1000 = 5, CASE WHEN n % 2 = 0 THEN n % 1000 > 0 END, n % 1000 = 7,
                    CASE WHEN n % 1000 = 9 THEN 'exempt' END, n % 1000 = 11, '{}'::json
                FROM generate_series(1, \(count)) n;
                INSERT INTO read_anomalies.anomalies (tenant, id, position, stream, kind, explanation, vendor, merchant,
                    terminal, occurred_at, recorded_at, acknowledged)
                SELECT 'acme', gen_random_uuid(), n, 'transaction/' || n,
                    (ARRAY['keys-disagree', 'unknown-value', 'limit-exceeded'])[n % 3 + 1], 'x',
                    (ARRAY['dejavoo', 'bridgepay'])[n % 2 + 1], 'm-' || n % 300, 't-' || n % 900,
                    '2026-01-01'::timestamptz + n * interval '1 minute', now(), CASE WHEN n % 50 > 0 THEN n END
                FROM generate_series(1, \(count)) n;
                INSERT INTO read_batches.batches
                SELECT 'acme', gen_random_uuid(), (ARRAY['dejavoo', 'bridgepay'])[n % 2 + 1], 't-' || n % 900, n::text,
                    CASE WHEN n % 100 = 0 THEN 'open' ELSE 'closed' END, NULL, n, n, now(), now()
                FROM generate_series(1, \(count)) n;
                INSERT INTO read_batches.members (tenant, transaction, line, since, batch, type, currency, amount, tip,
                    voided, vendor, merchant, terminal, occurred_at, evidence)
                SELECT 'acme', gen_random_uuid(), 'capture:sale', b.first_position, b.id, 'sale', 'USD', 100, 0, 0,
                    b.vendor, 'm-' || b.first_position % 300, b.account, now(), 'gateway'
                FROM read_batches.batches b;
                ANALYZE read_transactions.transactions; ANALYZE read_anomalies.anomalies;
                ANALYZE read_batches.batches; ANALYZE read_batches.members;
                """
            )
        }
    }

    private static func plan(_ sql: String, _ parameters: [PostgresValue], _ pool: PostgresPool) async throws -> String
    {
        try await pool.query("EXPLAIN (COSTS OFF) \(sql)", parameters).map { try $0.text(0) }.joined(separator: "\n")
    }

    /// The number of rows that a statement reads, whether it keeps them or not.
    private static func rowsRead(
        _ sql: String,
        _ parameters: [PostgresValue],
        _ pool: PostgresPool
    ) async throws -> Int64 {
        func read(_ node: JSONValue) -> Int64 {
            let loops = node["Actual Loops"]?.int64 ?? 1
            let isScan = node["Node Type"]?.string?.contains("Scan") ?? false
            let kept = isScan ? node["Actual Rows"]?.int64 ?? 0 : 0
            let dropped = node["Rows Removed by Filter"]?.int64 ?? 0
            return (kept + dropped) * loops + (node["Plans"]?.array ?? []).reduce(0) { $0 + read($1) }
        }
        let rows = try await pool.query(
            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) \(sql)",
            parameters
        )
        let reported = try JSONValue(parsing: rows.map { try $0.text(0) }.joined(separator: "\n").utf8)
        return read(try #require(reported[0]?["Plan"]))
    }

    /// Payments and receipts of many requests are read by their primary keys.
    @Test func gatheredKeysReadOnlyTheirRows() async throws {
        try await Following.with(runs: false) { following in
            let pool = following.log.pool
            try await Self.fill(pool)
            let keys = try await pool.query("SELECT tenant, id FROM read_transactions.transactions LIMIT 20")
                .map { PaymentKey(tenant: try $0.text(0), id: try $0.uuid(1)) }
            #expect(keys.count == 20)
            for statement in [TransactionQuery.statement, ReceiptQuery.statement] {
                let read = try await Self.rowsRead(statement, PaymentKey.parameters(keys), pool)
                #expect(read <= 60, "\(statement): \(read)")
            }
        }
    }

    /// A step of the journal finds exceptions by their ids, also with the plan for a table that was small.
    @Test func stepsFindExceptionsByTheirKeys() async throws {
        try await Following.with(runs: false) { following in
            let settings = "SET LOCAL search_path TO read_journal; \(ExceptionPosting.byIndexes)"
            try await following.log.pool.withTransaction(settings: settings) { transaction in
                try await transaction.script(
                    """
                    INSERT INTO journal_exceptions (tenant, id, account, part, state, raised)
                    SELECT 'acme', gen_random_uuid(), 'bank', '', 'open', n FROM generate_series(1, 200) n;
                    ANALYZE journal_exceptions
                    """
                )
                for statement in [ExceptionPosting.raised, ExceptionPosting.cleared] {
                    let plan = try await transaction.query(
                        "EXPLAIN (COSTS OFF) \(statement)",
                        [
                            .text("acme"), .int64(30), .uuid(UUID128(high: 1, low: 2)), .text("2026-03-01"),
                            .json(#"{"exceptions": []}"#),
                        ]
                    ).map { try $0.text(0) }
                    let conditions = plan.indices.filter { plan[$0].contains("Scan using journal_exceptions_pkey") }
                        .map { plan[$0 + 1] }
                    #expect(!plan.contains { $0.contains("Seq Scan on journal_") }, "\(plan)")
                    #expect(!conditions.isEmpty && conditions.allSatisfy { $0.contains("(id = ") }, "\(plan)")
                }
            }
        }
    }

    /// However few keys a read has, its statement is not planned again.
    @Test func gatheredReadsArePlannedOnce() async throws {
        try await Following.with(runs: false) { following in
            let key = PaymentKey(tenant: "acme", id: UUID128(high: 1, low: 2))
            for statement in [TransactionQuery.statement, ReceiptQuery.statement] {
                try await following.log.pool.withConnection { connection in
                    for _ in 1...10 { _ = try await connection.query(statement, PaymentKey.parameters([key])) }
                    let row = try await connection.query(
                        "SELECT custom_plans, generic_plans FROM pg_prepared_statements WHERE statement = $1",
                        [.text(statement)]
                    ).single()
                    #expect(try row.int64(0) == 5)
                    #expect(try row.int64(1) == 5)
                }
            }
        }
    }

    /// A page of payments in doubt reads only its own rows, also after an outage: for the first page and one in the
    /// middle, in either order.
    @Test func aPageOfDoubtsReadsNoMoreOfTenThousandThanOfFifty() async throws {
        try await Following.with(runs: false) { following in
            let pool = following.log.pool
            try await Self.fill(pool)
            try await pool.withTransaction { transaction in
                try await transaction.script(
                    """
                    UPDATE read_transactions.transactions SET in_doubt = false, awaits_reversal = false;
                    UPDATE read_transactions.transactions SET tenant = 'quiet' WHERE first_position <= 20000;
                    UPDATE read_transactions.transactions SET in_doubt = first_position % 2 = 0, awaits_reversal = first_position % 2 = 1
                    WHERE tenant = 'acme' AND first_position % 3 = 0;
                    UPDATE read_transactions.transactions SET in_doubt = true WHERE tenant = 'quiet' AND first_position % 400 = 0;
                    """
                )
            }
            _ = try await pool.query("ANALYZE read_transactions.transactions", [])
            let counts = try await pool.query(
                """
                SELECT tenant, count(*) FROM read_transactions.transactions WHERE in_doubt OR awaits_reversal
                GROUP BY tenant ORDER BY tenant
                """,
                []
            ).map { try $0.int64(1) }
            #expect(counts == [10_000, 50])
            var filter = DoubtQuery.Filter()
            filter.includesReversals = true
            for order in DoubtQuery.Order.allCases {
                var read: [String: Int64] = [:]
                for tenant in ["acme", "quiet"] {
                    let (sql, parameters) = DoubtQuery.search(tenant, filter, order, nil, 26)
                    read[tenant] = try await Self.rowsRead(sql, parameters, pool)
                }
                #expect(read["acme"] == read["quiet"] && read["acme"] == 26, "\(order): \(read)")
                let query = DoubtQuery(pool: pool)
                let half = try await query.payments(
                    of: "acme",
                    matching: filter,
                    sortedBy: order,
                    after: nil,
                    limit: 5_000
                )
                let place = try #require(half.last?.place(in: order))
                let (sql, parameters) = DoubtQuery.search("acme", filter, order, place, 26)
                let middle = try await Self.rowsRead(sql, parameters, pool)
                #expect(middle == 26, "\(order), from the middle: \(middle)")
            }
        }
    }

    /// Each payment of a plan costs a few rows, whatever the size of the table.
    @Test func duplicatesOfAnOrderAreFoundByIndex() async throws {
        try await Following.with(runs: false) { following in
            let pool = following.log.pool
            try await Self.fill(pool)
            let ids = try await pool.query(
                "SELECT id FROM read_transactions.transactions WHERE first_position % 500 = 0",
                []
            ).map { try $0.uuid(0) }
            #expect(ids.count == 100)
            let now = Timestamp(microsecondsSince1970: 1_769_000_000_000_000)
            for (sql, parameters) in [
                OrderDuplicateQuery.search(ids, "acme", ["dejavoo": 60, "bridgepay": 86_400], 86_400, now),
                OrderDuplicateQuery.declines(ids, "acme", .earliest, 15),
            ] {
                let plan = try await Self.plan(sql, parameters, pool)
                #expect(!plan.contains("Seq Scan"), "\(plan)")
                // The rows of each payment itself, and of those with its card and amount, its invoice or its
                // reference.
                #expect(try await Self.rowsRead(sql, parameters, pool) < 20 * 100, "\(plan)")
            }
        }
    }

    @Test func noFilterReadsEverything() async throws {
        try await Following.with(runs: false) { following in
            let pool = following.log.pool
            try await Self.fill(pool)
            let time = Timestamp(microsecondsSince1970: 1_769_000_000_000_000)
            let payments: [(String, (inout TransactionFilter) -> Void)] = [
                ("none", { _ in }), ("status", { $0.status = .inDoubt }), ("type", { $0.operation = .credit }),
                ("vendor", { $0.vendor = .dejavoo }), ("merchant", { $0.merchant = "m-7" }),
                ("terminal", { $0.terminal = "t-7" }), ("reference", { $0.reference = "ref-7" }),
                ("batch", { $0.batch = "7" }), ("reader", { $0.reader = "r-7" }),
                ("words", { $0.words = ["INV-7", "visa"] }), ("brand", { $0.cardBrand = "visa" }),
                ("last4", { $0.lastFour = "0007" }),
                ("auth code", { $0.authorizationCode = "A7" }), ("rrn", { $0.retrievalReference = "rrn-7" }),
                ("invoice", { $0.invoice = "inv-7" }), ("gateway id", { $0.gatewayTransaction = "g-7" }),
                ("currency", { $0.currency = "EUR" }), ("amount from", { $0.amountFrom = 4999 }),
                ("amount to", { $0.amountTo = 1 }), ("from", { $0.occurredFrom = time }),
                ("to", { $0.occurredBefore = time }), ("in doubt", { $0.isInDoubt = true }),
                ("not in doubt", { $0.isInDoubt = false }), ("anomalous", { $0.isAnomalous = true }),
                ("not anomalous", { $0.isAnomalous = false }),
                ("together", { ($0.merchant, $0.status, $0.occurredFrom) = ("m-7", .captured, time) }),
            ]
            let place = TransactionPlace(position: 20_000, time: time)
            for (name, set) in payments {
                for order in TransactionOrder.allCases {
                    var filter = TransactionFilter()
                    set(&filter)
                    let (sql, parameters) = TransactionQuery.search("acme", filter, order, place, 100)
                    let plan = try await Self.plan(sql, parameters, pool)
                    let isGood = plan.contains("Index") && !plan.contains("Seq Scan")
                    #expect(isGood, "transactions by \(name), sorted by \(order): \(plan)")
                }
            }
            // The past: payments without later events are found like current ones, the others by their span.
            for (name, set) in payments {
                for order in TransactionOrder.allCases {
                    var filter = TransactionFilter()
                    set(&filter)
                    let kept = PastTransactions.unchanged("acme", filter, order, 30_000, place, 100)
                    let plan = try await Self.plan(kept.sql, kept.parameters, pool)
                    let isGood = plan.contains("Index") && !plan.contains("Seq Scan")
                    #expect(isGood, "transactions of the past by \(name), sorted by \(order): \(plan)")
                    let changed = PastTransactions.changed("acme", filter, order, 30_000, place, nil, 100)
                    let other = try await Self.plan(changed.sql, changed.parameters, pool)
                    // For a short period, the index on times is as good.
                    let isShort = filter.occurredFrom != nil && other.contains("transactions_by_time")
                    #expect(other.contains("transactions_by_span") || isShort, "\(name), sorted by \(order): \(other)")
                    guard order == .position, filter.occurredFrom == nil, filter.occurredBefore == nil else { continue }
                    // Each range is read in order and no further than the limit: only the result is sorted.
                    let lines = other.split(separator: "\n")
                    let sorts = lines.count { $0.contains("Sort Key") }
                    let limits = lines.count { $0.hasSuffix("Limit") }
                    #expect(sorts == 1 && limits == 2, "\(name): \(other)")
                }
            }
            let anomalies: [(String, (inout AnomalyFilter) -> Void)] = [
                ("none", { _ in }), ("kind", { $0.kind = .keysDisagree }), ("state", { $0.state = .open }),
                ("vendor", { $0.vendor = .dejavoo }), ("merchant", { $0.merchant = "m-7" }),
                ("from", { $0.occurredFrom = time }), ("to", { $0.occurredBefore = time }),
                ("test", { $0.isTest = false }),
            ]
            for (name, set) in anomalies {
                var filter = AnomalyFilter()
                set(&filter)
                let (sql, parameters) = AnomalyQuery.search("acme", filter, .max, 100)
                let plan = try await Self.plan(sql, parameters, pool)
                #expect(plan.contains("Index") && !plan.contains("Seq Scan"), "anomalies by \(name): \(plan)")
            }
            // Batches with a rare value are also found by index.
            for (name, index, condition) in [
                ("number", "batches_by_number", "b.number = 'x'"), ("account", "batches_by_account", "b.account = 'x'"),
                ("status", "batches_by_status", "b.status = 'failed'"),
            ] {
                let sql =
                    "SELECT b.id FROM read_batches.batches b WHERE b.tenant = $1 AND \(condition) ORDER BY b.first_position DESC LIMIT 100"
                let plan = try await Self.plan(sql, [.text("acme")], pool)
                #expect(plan.contains(index), "batches by \(name): \(plan)")
            }
            // Open work is counted without reading the rest.
            for (index, query) in [
                ("transactions_in_doubt", DayQuery.inDoubt("acme", nil)),
                ("anomalies_by_state", DayQuery.openAnomalies("acme", nil)),
            ] {
                let plan = try await Self.plan(query.sql, query.parameters, pool)
                #expect(plan.contains(index) && !plan.contains("Seq Scan"), "\(plan)")
            }
            // A page of payments in doubt is found without reading other payments, wherever it begins.
            for order in DoubtQuery.Order.allCases {
                for place in [nil, DoubtQuery.Place(position: 7, key: 100)] {
                    var filter = DoubtQuery.Filter()
                    filter.includesReversals = true
                    filter.currency = "USD"
                    let (sql, parameters) = DoubtQuery.search("acme", filter, order, place, 100)
                    let plan = try await Self.plan(sql, parameters, pool)
                    #expect(plan.contains("transactions_in_doubt"), "doubts by \(order): \(plan)")
                }
            }
            // Rare values are found by their own index, not by walking through all newer payments.
            for (name, index, set) in [
                ("merchant", "transactions_by_merchant", { $0.merchant = "m-7" }),
                ("terminal", "transactions_by_terminal", { $0.terminal = "t-7" }),
                ("in doubt", "transactions_in_doubt", { $0.isInDoubt = true }),
                ("vendor", "transactions_by_vendor", { $0.vendor = .handpoint }),
                ("currency", "transactions_by_currency", { $0.currency = "JPY" }),
                ("brand", "transactions_by_brand", { $0.cardBrand = "Discover" }),
                ("reader", "transactions_by_reader", { $0.reader = "r-7" }),
                ("words", "transactions_by_identifier", { $0.words = ["inv-7"] }),
                ("invoice", "transactions_by_invoice", { $0.invoice = "inv-7" }),
                ("health care", "transactions_health_care", { $0.isHealthCare = true }),
                ("voice authorization", "transactions_voice_authorized", { $0.isVoiceAuthorized = true }),
                ("card not present", "transactions_card_not_present", { $0.isCardPresent = false }),
                ("commercial card", "transactions_commercial", { $0.isCommercial = true }),
                ("tax indicator", "transactions_by_tax_indicator", { $0.taxIndicator = "exempt" }),
            ] as [(String, String, (inout TransactionFilter) -> Void)] {
                var filter = TransactionFilter()
                set(&filter)
                let (sql, parameters) = TransactionQuery.search("acme", filter, .position, nil, 100)
                let plan = try await Self.plan(sql, parameters, pool)
                #expect(plan.contains(index), "\(name): \(plan)")
            }
        }
    }
}
