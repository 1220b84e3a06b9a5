import Payments
import Testing

@testable import Simulator

@Suite struct DeterminismTests {
    @Test func theNumbersOfASeedAreThePublishedOnes() {
        // SplitMix64 with seed 1234567, as its authors' reference implementation prints them.
        var random = SeededRandom(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
    }

    @Test func aForkLeavesItsSourceAlone() {
        var random = SeededRandom(seed: 5)
        var fork = random.fork("payment", 3)
        let first = fork.next()
        _ = random.fork("payment", 4)
        var again = random.fork("payment", 3)
        #expect(again.next() == first)
        _ = random.next()
        var moved = random.fork("payment", 3)
        #expect(moved.next() != first)
    }

    @Test(arguments: [0, 20_000, 200_000]) func theSameSeedGivesTheSameBytes(rate: Int) throws {
        let first = try Played(faults: FaultProfile(all: rate)).bytes()
        #expect(try Played(faults: FaultProfile(all: rate)).bytes() == first)
        #expect(try Played(seed: 8, faults: FaultProfile(all: rate)).bytes() != first)
    }

    @Test func everyPlanNamesItsPaymentsDifferently() throws {
        let tags = try [7, 8].flatMap { seed in
            try [1, 2].map { days in
                try SimulationPlan(seed: seed, merchants: 2, terminals: 2, transactions: 10, days: days).tag
            }
        }
        #expect(Set(tags).count == 4)
    }

    @Test func anImpossiblePlanIsRefused() {
        #expect(throws: InvalidPlan.self) {
            try SimulationPlan(seed: 1, merchants: 3, terminals: 2, transactions: 10, days: 1)
        }
        #expect(throws: InvalidPlan.self) {
            try SimulationPlan(seed: 1, merchants: 1, terminals: 1, transactions: 0, days: 1)
        }
    }

    /// Every document is sent at its time or later, and at least once.
    @Test func deliveriesAreInOrderAndComplete() throws {
        let played = try Played()
        let sent = Set(played.deliveries.map { $0.document.idempotencyKey.replacing("/again", with: "") })
        let made = played.payments.reduce(0) { $0 + $1.documents }
        #expect(
            sent.filter { $0.hasPrefix("sim\(played.plan.tag)-0") && $0.split(separator: "/")[0].count == 16 }.count
                == made
        )
        #expect(zip(played.deliveries, played.deliveries.dropFirst()).allSatisfy { Delivery.isBefore($0, $1) })
        #expect(played.deliveries.allSatisfy { $0.at >= $0.document.at || played.hasFault(.outOfOrder, $0) })
    }

    @Test func everyVendorHasItsPayments() throws {
        let vendors = Set(try Played().payments.map(\.vendor))
        #expect(vendors == Set(VirtualSDKs.vendors))
    }
}

extension Played {
    func hasFault(_ fault: Fault, _ delivery: Delivery) -> Bool {
        payments.contains { $0.reference == delivery.document.reference && $0.faults.contains(fault) }
    }
}
