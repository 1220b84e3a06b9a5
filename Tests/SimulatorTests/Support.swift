import Canonical
import Payments

@testable import Simulator

struct Played {
    let plan: SimulationPlan
    let deliveries: [Delivery]
    let simulation: Simulation

    init(
        seed: UInt64 = 7,
        merchants: Int = 10,
        terminals: Int = 20,
        transactions: Int = 400,
        days: Int = 2,
        faults: FaultProfile = FaultProfile(all: 20_000),
        vendors: [Vendor] = VirtualSDKs.vendors,
        discrepancies: DiscrepancyProfile = .none,
        troubles: TroubleProfile = .none
    ) throws {
        plan = try SimulationPlan(
            seed: seed,
            merchants: merchants,
            terminals: terminals,
            transactions: transactions,
            days: days,
            faults: faults,
            vendors: vendors,
            discrepancies: discrepancies,
            troubles: troubles
        )
        var simulation = Simulation(plan)
        var deliveries: [Delivery] = []
        while let day = simulation.nextDay() { deliveries += day }
        self.deliveries = deliveries
        self.simulation = simulation
    }

    var payments: [PaymentTruth] { simulation.payments }
    var truth: TruthFile { TruthFile(payments: payments, batches: simulation.batches) }

    /// All deliveries and lines.
    func bytes() throws -> [UInt8] {
        let lines = deliveries.map(\.document.record) + [TruthFile.head(plan)] + (try truth.lines())
        return Array(lines.map(\.canonicalBytes).joined(separator: [0x0A]))
    }
}
