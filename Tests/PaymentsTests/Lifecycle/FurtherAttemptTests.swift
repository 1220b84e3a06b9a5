import Canonical
import Payments
import Testing

/// A payment that ended without money and that the app attempts again under the same name.
@Suite("Further attempts")
struct FurtherAttemptTests {
    private static let sale = TransactionEvent.saleRequested(Reported.request(1000))

    private static func sent(_ second: Int? = nil, code: String = "0021") -> TransactionEvent {
        let report = DeviceReport(response: Response(code: code), at: second.map(Reported.time))
        return .device(DeviceEvent(.authorizationSent, report))
    }

    private static func decline(_ second: Int? = nil, by evidence: Evidence = .gateway) -> TransactionEvent {
        .declined(Reported.verdict(evidence, at: second.map(Reported.time)))
    }

    private static let doubt = TransactionEvent.anomalyRaised(.followUpInDoubt(.paymentAttempt))

    /// The state after documents, each of which is decided and recorded.
    private func fold(_ observations: [TransactionEvent]...) -> TransactionState {
        var history: [TransactionEvent] = []
        for facts in observations {
            history += Lifecycle.decide(facts, after: history, policy: LifecyclePolicy())
        }
        return TransactionState(folding: history)
    }

    @Test("A request that is sent again after a decline awaits an answer", arguments: [true, false])
    func sentAgain(isTimed: Bool) {
        func at(_ second: Int) -> Int? { isTimed ? second : nil }
        let first = [Self.sale, Self.sent(at(10)), Self.decline(at(20))]
        #expect(!fold(first).awaitsAnswer)
        let again = fold(first, [Self.sent(at(30))])
        #expect(again.awaitsAnswer && again.status == .declined && !again.isInDoubt)
        // Its answer, be it the same as the first one, ends the wait.
        #expect(!fold(first, [Self.sent(at(30))], [Self.decline(at(40))]).awaitsAnswer)
        #expect(!fold(first, [Self.sent(at(30))], Reported.sale(1000)).awaitsAnswer)
        // In doubt, it is known until its answer, or evidence about it, arrives.
        let doubted = fold(first, [Self.sent(at(30))], [Self.doubt])
        #expect(doubted.isInDoubt && !doubted.awaitsAnswer)
        #expect(!fold(first, [Self.sent(at(30))], [Self.doubt], [Self.decline(at(300))]).isInDoubt)
        #expect(!fold(first, [Self.sent(at(30))], [Self.doubt], Reported.sale(1000)).isInDoubt)
    }

    @Test("A report of the first attempt that arrives late begins no other attempt")
    func late() {
        let first = [Self.sale, Self.sent(10), Self.decline(20)]
        #expect(!fold(first, [Self.sent(15, code: "0022")]).awaitsAnswer)
        // Without times, it is another report than the first one.
        #expect(!fold([Self.sale, Self.sent(), Self.decline()], [Self.sent(code: "0022")]).awaitsAnswer)
        #expect(!fold([Self.sale, Self.decline()], [Self.sent()]).awaitsAnswer)
        #expect(!fold([Self.sale, Self.sent()] + Reported.sale(1000), [Self.sent()]).awaitsAnswer)
    }

    @Test("A repeated report of the first outcome answers no later attempt")
    func repeated() {
        let first = [Self.sale, Self.sent(10), Self.decline(20)]
        #expect(fold(first, [Self.sent(30)], [Self.decline(20, by: .relayed)]).awaitsAnswer)
    }

    @Test("An open outcome, or a reader that stopped, answers no later attempt", arguments: [Int?.none, 40])
    func openOutcomes(second: Int?) {
        let first = [Self.sale, Self.sent(10), Self.decline(20)]
        let at = second.map(Reported.time)
        for outcome: TransactionEvent in [
            .outcomeUnknown(Reported.verdict(.reader, at: at)), .outcomeUnknown(Reported.verdict(at: at)),
            .failed(Reported.verdict(.reader, at: at)), .cancelled(Reported.verdict(.reader, at: at)),
        ] {
            let state = fold(first, [Self.sent(30)], [outcome])
            #expect(state.awaitsAnswer || state.isInDoubt, "\(outcome)")
            // In doubt, only the host's answer ends it.
            let doubted = fold(first, [Self.sent(30)], [Self.doubt], [outcome])
            #expect(doubted.isInDoubt, "\(outcome)")
        }
        #expect(!fold(first, [Self.sent(30)], [Self.decline(second, by: .reader)]).awaitsAnswer)
    }

    @Test("With two attempts in doubt, the answer to one does not end the doubt")
    func twoAttempts() {
        let first = [Self.sale, Self.sent(10), Self.decline(20)]
        let state = fold(first, [Self.sent(30)], [Self.doubt], [Self.sent(400)], [Self.decline(410)])
        #expect(state.isInDoubt)
    }

    /// Documents of two attempts at one payment.
    struct Attempts: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let documents: [TransactionEvent]
        let status: TransactionStatus
        let isAwaited: Bool
    }

    private static let approval = TransactionEvent.authorizationApproved(
        Approval(
            amounts: Reported.amounts(1000),
            evidence: .gateway,
            response: Response(),
            references: References(),
            at: Reported.time(40)
        )
    )

    private static let attempts = [
        Attempts(
            testDescription: "one attempt, declined",
            documents: [sent(10), sent(11, code: "0022"), decline(20)],
            status: .declined,
            isAwaited: false
        ),
        Attempts(
            testDescription: "two attempts, the first one declined",
            documents: [sent(10), decline(20), sent(30)],
            status: .declined,
            isAwaited: true
        ),
        Attempts(
            testDescription: "two attempts, both declined",
            documents: [sent(10), decline(20), sent(30), decline(40)],
            status: .declined,
            isAwaited: false
        ),
        Attempts(
            testDescription: "two attempts, the second one approved",
            documents: [sent(10), decline(20), sent(30), approval],
            status: .authorized,
            isAwaited: false
        ),
        Attempts(
            testDescription: "sent twice before the only outcome",
            documents: [sent(10), sent(15), decline(20)],
            status: .declined,
            isAwaited: false
        ),
        Attempts(
            testDescription: "two attempts, the first one failed at the reader",
            documents: [sent(10), .failed(Reported.verdict(.reader, at: Reported.time(20))), sent(30)],
            status: .failed,
            isAwaited: true
        ),
    ]

    @Test("The times of the documents decide, and not the order in which they arrive", arguments: attempts)
    func orders(_ row: Attempts) {
        let request = TransactionEvent.authorizationRequested(Reported.request(1000))
        for order in row.documents.permutations {
            var history = Lifecycle.decide([request], after: [], policy: LifecyclePolicy())
            for document in order {
                history += Lifecycle.decide([document], after: history, policy: LifecyclePolicy())
            }
            let state = TransactionState(folding: history)
            #expect(state.status == row.status && state.awaitsAnswer == row.isAwaited, "\(order.map(\.type))")
        }
    }

    @Test("The answer to an attempt that was reported before the first outcome ends the doubt about it")
    func crossed() {
        let crossed = [Self.sale, Self.sent(10), Self.sent(30), Self.decline(20)]
        #expect(fold(crossed, [Self.doubt]).isInDoubt)
        #expect(!fold(crossed, [Self.doubt], [Self.decline(40)]).isInDoubt)
        // Another report of the first outcome, and an answer without a time.
        #expect(fold(crossed, [Self.decline(20, by: .relayed)]).awaitsAnswer)
        #expect(!fold(crossed, [Self.decline(by: .relayed)]).awaitsAnswer)
        #expect(!fold(crossed, [Self.decline(by: .relayed)], [Self.decline(20, by: .relayed)]).awaitsAnswer)
    }

    @Test("Another report of the first outcome does not renew a doubt that has ended")
    func ended() {
        let cleared = TransactionEvent.anomalyCleared(.followUpInDoubt(.paymentAttempt))
        let attempts = [Self.sale, Self.sent(10), Self.decline(20)]
        let repeated = [Self.decline(20, by: .relayed)]
        let state = fold(attempts, [Self.sent(30)], [Self.doubt], [cleared], repeated)
        #expect(!state.isInDoubt && !state.awaitsAnswer)
        #expect(fold(attempts, [Self.sent(30)], [Self.doubt], [cleared], repeated, [Self.sent(50)]).awaitsAnswer)
    }

    @Test("Without times, a report that is repeated before the outcome is of the same attempt")
    func untimed() {
        #expect(!fold([Self.sale, Self.sent()], [Self.sent()], [Self.decline()]).awaitsAnswer)
        #expect(fold([Self.sale, Self.sent()], [Self.decline()], [Self.sent()]).awaitsAnswer)
        // Its refusal may equal the earlier one.
        let refused = [Reported.refused()]
        #expect(fold([Self.sale, Self.sent()], refused, [Self.sent()]).awaitsAnswer)
        #expect(!fold([Self.sale, Self.sent()], refused, [Self.sent()], refused).awaitsAnswer)
    }

    @Test("Of a terminal's time without a zone, the senders' clocks decide", arguments: [(5, false), (50, true)])
    func localTimes(second: Int, isAwaited: Bool) {
        let decline = TransactionEvent.declined(Reported.verdict(at: Reported.local(20)))
        var state = TransactionState()
        for (event, second) in [(Self.sale, 0), (Self.sent(1), 1), (decline, 20), (Self.sent(second), second)] {
            Lifecycle.evolve(&state, event, at: Reported.instant(second))
        }
        #expect(state.awaitsAnswer == isAwaited)
        // The further attempt is reported before the outcome.
        var crossed = TransactionState()
        for (event, second) in [(Self.sale, 0), (Self.sent(1), 1), (Self.sent(second), second), (decline, 20)] {
            Lifecycle.evolve(&crossed, event, at: Reported.instant(second))
        }
        #expect(crossed.awaitsAnswer == isAwaited)
        // The terminal's clock is days behind.
        let late = TransactionEvent.declined(Reported.verdict(at: Reported.local(-200_000)))
        var behind = TransactionState()
        for (event, second) in [(Self.sale, 0), (Self.sent(10), 10), (late, 20)] {
            Lifecycle.evolve(&behind, event, at: Reported.instant(second))
        }
        #expect(!behind.awaitsAnswer)
    }

    @Test("An outcome with the time at which its attempt began ends that attempt", arguments: [(8, false), (14, true)])
    func beginningTimes(second: Int, isAwaited: Bool) {
        for order in [(Self.sent(second), second), (Self.decline(0), 12)].permutations {
            var state = TransactionState()
            for (event, second) in [(Self.sale, 0)] + order {
                Lifecycle.evolve(&state, event, at: Reported.instant(second))
            }
            #expect(state.status == .declined && state.awaitsAnswer == isAwaited, "\(order.map(\.0.type))")
        }
    }
}
