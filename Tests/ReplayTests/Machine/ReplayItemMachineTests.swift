import Canonical
import DaybookTestKit
import Gateways
import Payments
import ReplayRules
import Testing

@testable import Replay

/// Every path through the execution of an item, without database and gateway.
@Suite("The machine of an item") struct ReplayItemMachineTests {
    typealias Exchange = [(event: ReplayItemMachine.Event, action: String)]

    /// To the query.
    static func queried(
        _ first: ReplayItemMachine.Event = Sample.snapshot(),
        _ call: String = "find find-1 1000 v3 compared"
    ) -> Exchange {
        [(.begun, "snapshot"), (first, "status"), (.status(.running), call)]
    }

    /// The item's own query, in the log.
    static let found = Sample.own(.find, 1, .find, .callAnswered, verdict: .declined)

    /// To the submission of a payment.
    static let submitted: Exchange =
        queried() + [
            (Sample.answered(.declined), "snapshot"), (Sample.snapshot(own: found), "claims"),
            (.claims(["a", "b"]), "duplicates"), (.orderDuplicates(nil), "status"), (.status(.running), "token"),
            (Sample.held, "sale attempt-1 1000 v5 with-token claims a,b"),
        ]

    @Test(
        "Each event leads to the expected action",
        arguments: earlierCalls + halts + changes + rulings + gateways + queries + recalls + secondJudgements
            + submissions
            + followUps
    )
    func transcript(_ transcript: ItemTranscript) throws {
        let actions = transcript.actions()
        #expect(actions == transcript.exchange.map(\.action), "\(actions)")
    }

    // MARK: Order

    private static let anyEvents: [ReplayItemMachine.Event] = [
        .begun, Sample.snapshot(), Sample.snapshot(own: found), .status(.running), .called(nil),
        Sample.answered(.approved), Sample.unanswered, .claims([]), .orderDuplicates(nil), .readModelBehind,
        Sample.held,
    ]

    @Test("An event that does not follow from the last action ends the execution without a call")
    func misplaced() throws {
        let transcript = ItemTranscript("", Self.submitted)
        for length in 0...Self.submitted.count {
            for event in Self.anyEvents {
                var machine = transcript.machine()
                for step in Self.submitted.prefix(length) { _ = machine.handle(step.event, at: Sample.now) }
                let expected = length < Self.submitted.count ? Self.submitted[length].event : Sample.unanswered
                guard Self.kind(event) != Self.kind(expected) else { continue }
                let misplaced = machine.handle(event, at: Sample.now)
                // The read model may be behind where duplicates are expected.
                let isBehind = Self.kind(event) == "readModelBehind" && Self.kind(expected) == "orderDuplicates"
                #expect(ItemTranscript.text(misplaced, at: Sample.now) == (isBehind ? "later 1" : "later 30"))
                for later in Self.anyEvents {
                    #expect(ItemTranscript.text(machine.handle(later, at: Sample.now), at: Sample.now) == "later 30")
                }
            }
        }
    }

    @Test("Whatever happens, a payment is submitted once, and only after every check", arguments: UInt64(1)...10)
    func onlyAfterEveryCheck(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let checks = Self.submitted.map { Self.kind($0.event) }
        for _ in 0..<10 {
            var machine = ItemTranscript("", Self.submitted).machine()
            var kinds: [String] = []
            var submissions = 0
            for step in Self.submitted + Self.submitted {
                // Mostly the expected event.
                let random = Self.anyEvents.randomElement(using: &generator) ?? .begun
                let event = Int.random(in: 0..<12, using: &generator) == 0 ? random : step.event
                kinds.append(Self.kind(event))
                guard case .call(let call, _, _) = machine.handle(event, at: Sample.now), call.operation == .sale
                else { continue }
                submissions += 1
                #expect(kinds == checks)
            }
            #expect(submissions <= 1)
        }
    }

    private static func kind(_ event: ReplayItemMachine.Event) -> String {
        switch event {
        case .begun: "begun"
        case .snapshot: "snapshot"
        case .status: "status"
        case .called: "called"
        case .claims: "claims"
        case .orderDuplicates: "orderDuplicates"
        case .readModelBehind: "readModelBehind"
        case .token: "token"
        }
    }
}
