import Canonical
import Payments
import Testing

/// Open calls to gateways that may have taken effect.
@Suite("Open calls") struct OpenCallTests {
    private static func event(
        _ name: GatewayEvent.Name,
        _ reference: String,
        _ operation: GatewayOperation = .sale,
        _ verdict: GatewayVerdictName? = nil,
        about: String? = nil
    ) -> TransactionEvent {
        .gateway(
            GatewayEvent(
                name,
                GatewayReport(
                    reference: reference,
                    gateway: "main",
                    vendor: .bridgepay,
                    operation: operation,
                    about: about,
                    verdict: verdict
                )
            )
        )
    }

    /// A name, events, the references that are open after them, and whether money may have moved.
    static let stories: [(String, [TransactionEvent], open: [String], mayHaveActed: Bool)] = {
        let sent = event(.callSent, "1")
        let lost = [sent, event(.callTimedOut, "1")]
        var stories: [(String, [TransactionEvent], open: [String], mayHaveActed: Bool)] = [
            ("nothing", [], [], false),
            ("under way", [sent], ["1"], true),
            ("reported twice", [sent, sent], ["1"], true),
            ("never sent", [sent, event(.callFailed, "1")], [], false),
            ("not answered", lost, ["1"], true),
            ("not answered, and the sending is not reported", [event(.callTimedOut, "1")], ["1"], true),
            ("a question under way", [event(.callSent, "2", .find)], ["2"], false),
            ("a question not answered", [event(.callSent, "2", .find), event(.callTimedOut, "2", .find)], [], false),
            ("two attempts", lost + [event(.callSent, "3", .void)], ["1", "3"], true),
            (
                "an answer to another call ends nothing", lost + [event(.callAnswered, "3", .void, .approved)], ["1"],
                true
            ),
        ]
        func resolved(
            _ outcome: Resolution.Outcome,
            _ means: Resolution.Means,
            _ evidence: Evidence,
            _ operation: Payments.Operation? = nil
        ) -> TransactionEvent {
            .outcomeResolved(
                Resolution(
                    outcome: outcome,
                    means: means,
                    operation: operation,
                    amounts: Amounts(total: Money(1_250, .usd)),
                    evidence: evidence
                )
            )
        }
        let line = resolved(.approved, .settlementLine, .settlement)
        stories += [
            ("a line of a statement shows the payment", lost + [line], [], false),
            ("a line, and the call is under way", [sent, line], [], false),
            ("a line before the call", [line, sent], ["1"], true),
            ("what a reader kept", lost + [resolved(.approved, .recoveredResult, .reader)], [], false),
            ("a part", lost + [resolved(.partiallyApproved, .settlementLine, .settlement)], [], false),
            // The reader may have kept another operation, and does not know a server's calls.
            ("a reader that kept a decline", lost + [resolved(.declined, .recoveredResult, .reader)], ["1"], true),
            ("a find that names no call", lost + [resolved(.approved, .find, .gateway)], ["1"], true),
            ("money given back", lost + [resolved(.approved, .settlementLine, .settlement, .credit)], ["1"], true),
            (
                "a line, and one of two calls", lost + [event(.callSent, "4"), event(.callTimedOut, "4"), line],
                ["1", "4"], true
            ),
            (
                "a line, and an unanswered void", lost + [event(.callSent, "3", .void), line], ["3"],
                true
            ),
        ]
        for verdict in GatewayVerdictName.allCases {
            let isEnd = verdict.isCertain || verdict == .refused
            stories.append(
                ("answered \(verdict)", [sent, event(.callAnswered, "1", .sale, verdict)], isEnd ? [] : ["1"], !isEnd)
            )
            stories.append(
                (
                    "found \(verdict)", lost + [event(.callAnswered, "2", .find, verdict, about: "1")],
                    verdict.isCertain ? [] : ["1"], !verdict.isCertain
                )
            )
            stories.append(
                (
                    "found \(verdict), about another", lost + [event(.callAnswered, "2", .find, verdict, about: "9")],
                    ["1"], true
                )
            )
        }
        for operation in [GatewayOperation.capture, .refund, .tipAdjustment, .void] {
            let followUp = [event(.callSent, "3", operation)]
            stories.append(
                (
                    "\(operation) cut short, and the payment found",
                    followUp + [event(.callAnswered, "2", .find, .approved, about: "3")], ["3"], true
                )
            )
        }
        return stories
    }()

    @Test(arguments: stories)
    func story(_ name: String, _ events: [TransactionEvent], _ open: [String], _ mayHaveActed: Bool) {
        let state = TransactionState(folding: events)
        #expect(state.openCalls.calls.map(\.reference) == open, "\(name)")
        #expect(state.openCalls.mayHaveActed == mayHaveActed, "\(name)")
        #expect(state.openCalls.isEmpty == open.isEmpty, "\(name)")
    }

    @Test("A new attempt has its own references; a failed call restores the earlier ones")
    func names() {
        let declined = TransactionEvent.declined(
            Verdict(
                evidence: .gateway,
                response: Response(code: "D17"),
                references: References(gatewayTransaction: "G1", authorizationCode: "A1", invoice: "INV7")
            )
        )
        var events = [declined, Self.event(.callSent, "1")]
        var state = TransactionState(folding: events)
        #expect(state.outcome == .unknown && state.references == References(invoice: "INV7"))
        #expect(state.verdicts.earlierAttempt?.references.gatewayTransaction == "G1")
        let neverLeft = TransactionState(folding: events + [Self.event(.callFailed, "1")])
        #expect(neverLeft.outcome == .declined && neverLeft.references.gatewayTransaction == "G1")
        #expect(neverLeft.references.authorizationCode == "A1")
        events.append(Self.event(.callTimedOut, "1"))
        events.append(
            .authorizationApproved(
                Approval(
                    amounts: Amounts(total: Money(1_250, .usd)),
                    evidence: .gateway,
                    response: Response(code: "A01"),
                    references: References(gatewayTransaction: "G2")
                )
            )
        )
        state = TransactionState(folding: events)
        #expect(state.references.gatewayTransaction == "G2" && state.references.authorizationCode == nil)
    }

    @Test("Calls beyond the bound stay open")
    func bound() {
        var events = (0...OpenCalls.most).map { Self.event(.callSent, "\($0)") }
        events += (0...OpenCalls.most).map { Self.event(.callFailed, "\($0)") }
        let state = TransactionState(folding: events)
        #expect(state.openCalls.calls.isEmpty && state.openCalls.unlisted == 1 && state.openCalls.mayHaveActed)
    }

    @Test("A call is recorded once, changes nothing about the money, and is no anomaly")
    func decided() {
        let sent = Self.event(.callSent, "1")
        let facts = Lifecycle.decide([sent, sent], after: [], policy: LifecyclePolicy())
        #expect(facts == [sent])
        #expect(Lifecycle.decide([sent], after: facts, policy: LifecyclePolicy()).isEmpty)
        var state = TransactionState(folding: facts)
        state.openCalls = OpenCalls()
        state.version = 0
        state.steps.followUps = AskedFollowUps()
        // The call determines the payment's vendor.
        #expect(state.identity.vendor == .bridgepay)
        state.identity.vendor = nil
        #expect(state == TransactionState())
    }
}
