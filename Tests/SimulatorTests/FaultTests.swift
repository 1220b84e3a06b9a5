import Payments
import Testing

@testable import Simulator

@Suite struct FaultTests {
    /// Each fault alone happens at its rate.
    @Test(arguments: Fault.allCases) func eachFaultIsPlantedAtItsRate(fault: Fault) throws {
        var profile = FaultProfile.none
        profile[fault] = 200_000
        let played = try Played(terminals: 60, transactions: 3_000, days: 30, faults: profile)
        let planted = played.simulation.planted
        let occasions = try #require(planted.occasions[fault])
        let happened = planted.happened[fault] ?? 0
        // Batches and terminal days are fewer; four standard deviations at a rate of 0.2 hold for any seed.
        let expected = occasions / 5
        let deviation = Int((Double(occasions) * 0.16).squareRoot() * 4)
        #expect(occasions > 100)
        #expect((expected - deviation...expected + deviation).contains(happened), "\(happened) of \(occasions)")
        for other in Fault.allCases where other != fault {
            #expect(planted.happened[other] == nil, "\(other) was planted as well")
        }
    }

    @Test func withoutFaultsNothingIsLost() throws {
        let played = try Played(faults: .none)
        #expect(played.payments.allSatisfy { $0.faults.isEmpty && $0.evidence == .complete })
        #expect(Set(played.deliveries.map(\.document.idempotencyKey)).count == played.deliveries.count)
    }

    /// Evidence is lost only by faults that lose answers.
    @Test func evidenceIsMissingOnlyBecauseOfFaults() throws {
        let missing = try Played(transactions: 3_000, faults: FaultProfile(all: 100_000)).payments
            .filter { $0.evidence == .missing }
        let losing: Set<Fault> = [.lostAnswer, .powerLoss, .partialApproval, .hostApprovedTerminalDeclined]
        #expect(missing.count > 50)
        #expect(missing.allSatisfy { !losing.isDisjoint(with: $0.faults) })
    }

    @Test func documentsHaveTheTimesOfSkewedClocks() throws {
        var profile = FaultProfile.none
        profile[.clockSkew] = 1_000_000
        let played = try Played(faults: profile)
        #expect(played.deliveries.allSatisfy { $0.document.occurredAt != $0.document.at })
    }

    @Test(arguments: [
        ("none", 0, 0), ("", 0, 0), ("everyday", 5_000, 5_000), ("storm", 50_000, 50_000), ("all=0.02", 20_000, 20_000),
        ("late=0.5", 500_000, 0), ("all=0.000001,late=1", 1_000_000, 1), ("late=0,all=1.0", 0, 1_000_000),
    ])
    func profilesAreRead(text: String, late: Int, duplicate: Int) throws {
        let profile = try FaultProfile(parsing: text)
        #expect(profile[.late] == late)
        #expect(profile[.duplicate] == duplicate)
        #expect(try FaultProfile(parsing: profile.text) == profile)
    }

    @Test(arguments: [
        "late", "late=", "late=2", "late=1.1", "late=.5", "late=-0.1", "late=0.1234567", "late=1e-2", "sometimes=0.1",
        "late=0.1,", "all=0.0 ", "late=0.-1", "late=0.+1",
    ])
    func otherProfilesAreRefused(text: String) {
        #expect(throws: InvalidProfile.self) { try FaultProfile(parsing: text) }
    }
}
