import Canonical
import Composition
import DaybookTestKit
import Matching
import Reconciliation
import Redaction
import Testing

/// Planted worlds, compared with the results of a run.
struct MatchingTests {
    /// 2 % and 100, rounded half up; the faulty fee differs from it.
    private static let fees = [ExpectedFee(currency: "USD", basisPoints: 200, tolerance: 1)]

    private func expect(_ world: PlantedWorld, in planted: PlantedLedger, _ note: String) async throws {
        let links = try await planted.links()
        #expect(world.links.subtracting(links).isEmpty, "\(note): not matched")
        #expect(links.subtracting(world.links).isEmpty, "\(note): matched and should not be")
        let exceptions = try await planted.exceptions()
        #expect(world.exceptions.subtracting(exceptions).isEmpty, "\(note): not raised")
        #expect(exceptions.subtracting(world.exceptions).isEmpty, "\(note): raised and should not be")
    }

    /// Every class, twenty times each, is found and nothing else.
    @Test func everyFaultIsFoundAndNothingElse() async throws {
        let world = PlantedWorld(clean: 2000, faults: 20, batches: 40, seed: 1)
        let classes = Set(world.exceptions.map(\.what))
        let others: [ExceptionClass] = [
            .unmatchedDeposit, .payoutDiffers, .negativeBalance, .controlFailed, .missingStatement,
        ]
        #expect(classes == Set(Set(ExceptionClass.allCases).subtracting(others).map(\.rawValue)))
        try await PlantedLedger.with { planted in
            try await planted.setRules(MatchingRules(fees: Self.fees))
            try await planted.put(world.movements)
            try await planted.import(world.lines)
            for file in world.others { try await planted.import(file) }
            let outcome = try await planted.reconcile()
            #expect(outcome.isWhole && outcome.completion.matched >= Int64(world.links.count))
            try await expect(world, in: planted, "at once")
            // Nothing has changed, so nothing is recorded again.
            for isWhole in [false, true] {
                let again = try await planted.reconcile(whole: isWhole).completion
                #expect(again.matched == 0 && again.unmatched == 0 && again.raised == 0 && again.cleared == 0)
            }
        }
    }

    /// Lines in any order and in any files, with a run after each file, give the same result. Some files report the
    /// same lines differently, and one is withdrawn at a random time.
    @Test(arguments: [UInt64(2), 3, 5, 6]) func theOrderDoesNotMatter(seed: UInt64) async throws {
        let world = PlantedWorld(clean: 150, faults: 3, batches: 4, seed: seed)
        var random = SeededGenerator(seed: seed)
        let lines = world.lines.shuffled(using: &random)
        let cuts = [0, Int.random(in: 1..<lines.count, using: &random), lines.count].sorted()
        let files = (zip(cuts, cuts.dropFirst()).map { Array(lines[$0..<$1]) }.filter { !$0.isEmpty } + world.others)
            .map { $0.shuffled(using: &random) }.shuffled(using: &random)
        let slipped = Int.random(in: 0..<files.count, using: &random)
        let noticed = Int.random(in: slipped..<files.count, using: &random)
        try await PlantedLedger.with { planted in
            try await planted.setRules(MatchingRules(fees: Self.fees))
            try await planted.put(world.movements)
            var slip: UUID128?
            for (place, file) in files.enumerated() {
                if place == slipped {
                    slip = try await planted.import(world.slip).id
                    try await planted.reconcile()
                }
                try await planted.import(file)
                try await planted.reconcile()
                if place == noticed {
                    let id = try #require(slip)
                    _ = try await planted.withdraw(id)
                    try await planted.reconcile()
                }
            }
            try await expect(world, in: planted, "seed \(seed), by what has changed")
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole.matched + whole.unmatched + whole.raised + whole.cleared == 0, "seed \(seed): \(whole)")
        }
    }

    /// A late line closes its exception, and nothing else is compared.
    @Test func aLateLineClosesItsException() async throws {
        let world = PlantedWorld(clean: 50, faults: 1, seed: 4)
        try await PlantedLedger.with { planted in
            try await planted.put(world.movements)
            let missing = try #require(
                world.exceptions.first { finding in
                    finding.what == "missing-at-processor"
                        && world.movements.contains {
                            $0.transaction == finding.transaction && $0.keys["gateway_id"] != nil
                        }
                }
            )
            try await planted.import(world.lines)
            try await planted.reconcile()
            #expect(try await planted.exceptions().contains(missing))
            let movement = try #require(world.movements.first { $0.transaction == missing.transaction })
            let line = PlantedWorld.Line(
                name: "late",
                gross: movement.amount,
                day: movement.day,
                keys: ["processor_id": try #require(movement.keys["gateway_id"])]
            )
            try await planted.import([line])
            let outcome = try await planted.reconcile()
            #expect(!outcome.isWhole)
            #expect(outcome.completion.matched == 1 && outcome.completion.cleared == 1)
            #expect(outcome.completion.unmatched == 0 && outcome.completion.raised == 0)
            #expect(try await !planted.exceptions().contains(missing))
        }
    }
}
