import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Payments
import Postgres
import Simulator

/// Databases for these tests: built once, and copied for every test.
extension TestDatabase.Template {
    /// The beginning of the traded day: 2026-09-22 in UTC.
    static let tradedDay = Timestamp(microsecondsSince1970: 1_790_035_200_000_000)

    /// An empty ledger with its read models.
    static let console = prepared("console") { _ in }

    /// An empty ledger with a traded day.
    static let tradingDay = prepared("console-trading-day") { try await $0.trade(payments: 60, on: tradedDay) }

    private static func prepared(
        _ name: String,
        _ fill: @escaping @Sendable (Ledger) async throws -> Void
    ) -> TestDatabase.Template {
        .ledger(name) { url in
            let ledger = Ledger(
                configuration: PostgresConfiguration(connectionString: url),
                connections: 6,
                acquireTimeout: .seconds(60),
                // Not later than the clock of any test that continues from here.
                clock: ManualClock(at: tradedDay.adding(microseconds: 86_400_000_000)),
                logger: CollectedLog().logger
            )
            try await ledger.run {
                try await ledger.catchUp()
                try await fill(ledger)
            }
        }
    }
}

extension Ledger {
    /// Plays a trading day that begins at `midnight` into the ledger.
    func trade(payments: Int, on midnight: Timestamp, tenant: String = "acme") async throws {
        let plan = try SimulationPlan(
            seed: 7,
            merchants: 5,
            terminals: 8,
            transactions: payments,
            days: 1,
            faults: FaultProfile(all: 40_000),
            firstDay: midnight
        )
        var simulation = Simulation(plan)
        let sender = Sender(tenant: tenant, actor: "key:simulator", correlation: "day")
        while let deliveries = simulation.nextDay() {
            for delivery in deliveries {
                let bytes = Array(delivery.document.record.text.utf8)
                _ = await intake.documents.submit(
                    [bytes],
                    limit: 1 << 20,
                    vendor: delivery.document.vendor.rawValue,
                    sender: sender
                )
            }
        }
        try await catchUp()
    }
}
