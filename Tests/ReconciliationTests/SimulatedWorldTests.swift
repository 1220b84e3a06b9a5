import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Matching
import Payments
import Postgres
import Projections
import Reconciliation
import Simulator
import Statements
import Testing

/// A simulated world is played into a ledger and its statements are imported. The reconciliation finds exactly the
/// planted discrepancies and the consequences of failed payments.
struct SimulatedWorldTests {
    private struct World {
        let deliveries: [Delivery]
        let statements: SimulatedStatements

        init(
            seed: UInt64,
            merchants: Int,
            transactions: Int,
            days: Int,
            faults: Int,
            _ discrepancies: DiscrepancyProfile
        ) throws {
            let plan = try SimulationPlan(
                seed: seed,
                merchants: merchants,
                terminals: merchants * 2,
                transactions: transactions,
                days: days,
                faults: FaultProfile(all: faults),
                discrepancies: discrepancies
            )
            var simulation = Simulation(plan)
            var deliveries: [Delivery] = []
            while let day = simulation.nextDay() { deliveries += day }
            self.deliveries = deliveries
            statements = try SimulatedStatements(
                plan,
                TruthFile(payments: simulation.payments, batches: simulation.batches)
            )
        }
    }

    private func play(_ deliveries: [Delivery], into planted: PlantedLedger) async throws {
        for (vendor, deliveries) in Dictionary(grouping: deliveries, by: \.document.vendor) {
            let results = await planted.ledger.intake.documents.submit(
                deliveries.map(\.document.record.canonicalBytes),
                limit: 1 << 20,
                vendor: vendor.rawValue,
                sender: PlantedLedger.sender
            )
            for case .failure(let problem) in results { Issue.record("\(vendor): \(problem)") }
        }
    }

    private func `import`(_ files: [StatementFile], into planted: PlantedLedger) async throws {
        for file in files {
            let outcome = try await planted.ledger.reconciliation.importer.import(
                StatementBytes(file.bytes),
                StatementImporter.Request(name: file.name),
                sender: PlantedLedger.sender
            )
            #expect(outcome.statement.format == file.format.rawValue)
            #expect(outcome.statement.lines == Int64(file.lines))
        }
    }

    private func found(in planted: PlantedLedger) async throws -> [FoundException] {
        try await planted.ledger.pool.query(
            """
            SELECT x.class, s.name, p.number, t.reference, x.amount, x.currency FROM read_reconciliation.exceptions x
            LEFT JOIN read_statements.placements p ON p.tenant = x.tenant AND p.line = x.line
            LEFT JOIN read_statements.statements s ON s.tenant = x.tenant
                AND s.id = coalesce(p.statement, (x.details ->> 'statement')::uuid)
            LEFT JOIN read_movements.movements t ON t.tenant = x.tenant AND t.transaction = x.transaction
                AND t.line = x.movement
            WHERE x.tenant = 'acme' AND x.status = 'open'
            """,
            []
        ).map { row in
            FoundException(
                exceptionClass: try row.text(0),
                file: try row.textOrNull(1),
                number: try row.int64OrNull(2),
                payment: try row.textOrNull(3),
                amount: try row.int64OrNull(4),
                currency: try row.textOrNull(5)
            )
        }
    }

    /// In every currency: the lines' money less the ledger's equals the sum of the exceptions, less the ledger's
    /// money of those with a line in another currency.
    private func expectNoDifference(in planted: PlantedLedger) async throws {
        let rows = try await planted.ledger.pool.query(
            """
            SELECT currency, sum(amount)::int8 FROM (
                SELECT coalesce(paid_currency, currency) AS currency, coalesce(paid, gross, amount) AS amount
                FROM read_statements.lines
                WHERE side = 'processor' AND role <> 'total' AND amount <> 0
                    AND type IN ('sale', 'capture', 'refund', 'refund-reversal')
                UNION ALL
                SELECT m.currency, -m.amount FROM read_movements.movements m
                WHERE m.type <> 'none' AND (
                    EXISTS (
                        SELECT FROM read_reconciliation.links k
                        WHERE k.transaction = m.transaction AND k.movement = m.line AND k.until IS NULL
                    )
                    OR EXISTS (
                        SELECT FROM read_reconciliation.exceptions x
                        WHERE x.transaction = m.transaction AND x.movement = m.line AND x.status = 'open'
                    )
                )
                UNION ALL
                SELECT currency, -amount FROM read_reconciliation.exceptions
                WHERE status = 'open' AND class IN ('missing-in-ledger', 'missing-at-processor', 'amount-differs',
                    'duplicate-at-processor', 'duplicate-in-ledger', 'in-doubt-resolved', 'status-differs',
                    'currency-differs')
                UNION ALL
                SELECT m.currency, m.amount FROM read_reconciliation.exceptions x
                JOIN read_movements.movements m ON m.transaction = x.transaction AND m.line = x.movement
                WHERE x.status = 'open' AND x.class = 'currency-differs'
            ) AS sides GROUP BY currency ORDER BY currency
            """,
            []
        )
        // Dollars, pounds, euros, and dinars or yen.
        #expect(rows.count >= 4)
        for row in rows {
            let (currency, difference) = (try row.text(0), try row.int64(1))
            #expect(difference == 0, "\(difference) \(currency) unexplained")
        }
    }

    /// The rates of discrepancies in lines, batches, payouts and reports to the ledger.
    private static let planted = """
        all=0.05,batch-out-of-balance=0.6,unmatched-deposit=0.3,status-differs=0.15,in-doubt-resolved=0.07,\
        duplicate-in-ledger=0.12,payout-differs=0.5
        """

    /// - Parameters:
    ///   - faults: Parts per million of each fault of a payment.
    ///   - discrepancies: A profile of discrepancies.
    @Test(arguments: [(UInt64(3), 0, "none"), (4, 0, planted), (5, 30_000, "none"), (6, 30_000, planted)])
    func reconciliationFindsExactlyTheDiscrepancies(seed: UInt64, faults: Int, discrepancies: String) async throws {
        let isFull = faults > 0 && discrepancies != "none"
        let world = try World(
            seed: seed,
            merchants: isFull ? 20 : 10,
            transactions: isFull ? 2_000 : 500,
            days: isFull ? 6 : 3,
            faults: faults,
            DiscrepancyProfile(parsing: discrepancies)
        )
        if isFull {
            for exceptionClass in DiscrepancyProfile.planted {
                let count = world.statements.discrepancies.count {
                    $0.exceptionClass == exceptionClass && $0.isPlanted
                }
                #expect(count >= 20, "\(exceptionClass.rawValue) \(count)")
            }
        }
        try await PlantedLedger.with { planted in
            try await planted.setRules(ProcessorTerms.rules)
            try await play(world.deliveries, into: planted)
            try await self.import(world.statements.files, into: planted)
            try await planted.reconcile()
            let score = ReconciliationScore(
                world.statements.discrepancies,
                found: try await found(in: planted)
            )
            #expect(
                score.isClean,
                "\(score.mismatches.count) mismatches\n\(score.mismatches.prefix(40).joined(separator: "\n"))"
            )
            try await expectNoDifference(in: planted)
            try await StatementJournalTests.expectBalanced(planted)
        }
    }
}
