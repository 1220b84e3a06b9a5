package import Canonical
import Payments

/// The lines of `truth.ndjson`: the simulation, then the payments, then the batches; with statements also their
/// discrepancies and the matches of their lines; then the balances of the accounts.
package struct TruthFile: Sendable {
    package var payments: [PaymentTruth] = []
    package var batches: [BatchTruth] = []
    package var discrepancies: [DiscrepancyTruth] = []
    package var matches: [MatchTruth] = []
    package var balances: [BalanceTruth] = []

    package init(
        payments: [PaymentTruth],
        batches: [BatchTruth],
        discrepancies: [DiscrepancyTruth] = [],
        matches: [MatchTruth] = [],
        balances: [BalanceTruth] = []
    ) {
        self.payments = payments
        self.batches = batches
        self.discrepancies = discrepancies
        self.matches = matches
        self.balances = balances
    }

    /// The truth of a simulation that has played its last day, without statements.
    package init(_ simulation: Simulation) {
        self.init(
            payments: simulation.payments,
            batches: simulation.batches,
            balances: BalanceTruth.traded(simulation.payments, on: simulation.plan.businessDays)
        )
    }

    /// Adds what statements of the simulation are about.
    package mutating func add(_ statements: SimulatedStatements) {
        discrepancies = statements.discrepancies
        matches = statements.matches
        balances += statements.balances
    }

    /// The first line; the plan as text.
    package static func head(_ plan: SimulationPlan) -> JSONValue {
        [
            "type": "simulation", "seed": .string("\(plan.seed)"), "tag": .string(plan.tag),
            "merchants": .number(.init(Int64(plan.merchants))), "terminals": .number(.init(Int64(plan.terminals))),
            "transactions": .number(.init(Int64(plan.transactions))), "days": .number(.init(Int64(plan.days))),
            "firstDay": .string(plan.firstDay.rfc3339),
            "vendors": .array(plan.vendors.map { .string($0.rawValue) }), "faults": .string(plan.faults.text),
            "discrepancies": .string(plan.discrepancies.text), "troubles": .string(plan.troubles.text),
        ]
    }

    /// The lines after the first.
    package func lines() throws -> [JSONValue] {
        try payments.map { try Self.line("payment", $0) } + batches.map { try Self.line("batch", $0) }
            + discrepancies.map { try Self.line("discrepancy", $0) } + matches.map { try Self.line("match", $0) }
            + balances.map { try Self.line("balance", $0) }
    }

    private static func line(_ type: String, _ value: some Encodable) throws -> JSONValue {
        var object: JSONObject = ["type": .string(type)]
        for member in try JSONValueEncoder().encode(value).object?.members ?? [:] { object[member.key] = member.value }
        return .object(object)
    }

    /// Reads lines. Unknown types are skipped, so that later simulators can add types.
    ///
    /// - Throws: `UnreadableTruth` with the number of the line.
    package init(lines: some Sequence<some Sequence<UInt8>>) throws(UnreadableTruth) {
        var number = 0
        for line in lines {
            number += 1
            do {
                let json = try JSONValue(parsing: Array(line))
                switch json["type"]?.string {
                case "payment": payments.append(try JSONValueDecoder().decode(PaymentTruth.self, from: json))
                case "batch": batches.append(try JSONValueDecoder().decode(BatchTruth.self, from: json))
                case "discrepancy":
                    discrepancies.append(try JSONValueDecoder().decode(DiscrepancyTruth.self, from: json))
                case "match": matches.append(try JSONValueDecoder().decode(MatchTruth.self, from: json))
                case "balance": balances.append(try JSONValueDecoder().decode(BalanceTruth.self, from: json))
                default: break
                }
            } catch {
                throw UnreadableTruth(line: number)
            }
        }
    }
}

/// A line of a truth file cannot be read.
package struct UnreadableTruth: Error, Hashable {
    /// Counted from 1.
    package var line: Int
}
