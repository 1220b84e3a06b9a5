import Canonical
import Payments
import Testing

/// Documents whose times cannot be compared, because one of them prints a local time: the senders' clocks decide.
@Suite("Documents that cross")
struct CrossingTests {
    /// A document, sent so many seconds after the start.
    struct Document: Sendable {
        var facts: [TransactionEvent]
        var second: Int
    }

    private static let request = Document(facts: [.authorizationRequested(Reported.request(1000))], second: 0)

    /// The state after documents in the order in which they arrive.
    private func fold(_ documents: [Document]) -> TransactionState {
        var history = PaymentHistory()
        for document in documents {
            _ = Lifecycle.decide(
                document.facts,
                after: &history,
                policy: LifecyclePolicy(),
                at: Reported.instant(document.second)
            )
        }
        return history.state
    }

    private static func unknown(_ second: Int) -> Document {
        Document(facts: [.outcomeUnknown(Reported.verdict(at: Reported.local(second)))], second: second)
    }

    private static func find(_ outcome: Resolution.Outcome, _ second: Int) -> Document {
        let found = Resolution(
            outcome: outcome,
            means: .find,
            evidence: .gateway,
            answeredAt: Reported.instant(second)
        )
        return Document(facts: [.outcomeResolved(found)], second: second)
    }

    @Test(
        "An answer that leaves the outcome unknown is resolved by a later query, whichever arrives first",
        arguments: [Resolution.Outcome.notPosted, .declined]
    )
    func queried(outcome: Resolution.Outcome) {
        for order in [Self.request, Self.unknown(10), Self.find(outcome, 60)].permutations {
            let state = fold(order)
            let reported = order.map(\.second)
            #expect(state.outcome == (outcome == .declined ? .declined : .notPosted), "\(reported)")
            #expect(!state.isInDoubt && state.anomalies.isEmpty, "\(reported)")
        }
        // Another attempt was sent after the query.
        #expect(fold([Self.request, Self.unknown(10), Self.find(outcome, 60), Self.unknown(70)]).isInDoubt)
    }

    @Test("A reversal that is due is ended by the host's later denial, whichever arrives first")
    func reversal() {
        let voiding = Document(
            facts: [
                .device(DeviceEvent(.commandSent, DeviceReport(response: Response(code: "voiding")))),
                .anomalyRaised(Anomaly(.reversalDue, "the chip declined")),
            ],
            second: 10
        )
        func declined(_ second: Int) -> Document {
            Document(facts: [.declined(Reported.verdict(at: Reported.local(second)))], second: second)
        }
        for order in [Self.request, voiding, declined(12)].permutations {
            let state = fold(order)
            #expect(state.status == .declined && !state.awaitsReversal, "\(order.map(\.second))")
            #expect(state.anomalies.isEmpty, "\(order.map(\.second))")
        }
        // An earlier attempt was declined, and the later end is the reader's, or the same denial again.
        let cancelled = TransactionEvent.cancelled(Reported.verdict(.reader, at: Reported.local(20)))
        let again = TransactionEvent.declined(Reported.verdict(.relayed, at: Reported.local(5)))
        #expect(fold([Self.request, declined(5), voiding]).awaitsReversal)
        for later in [cancelled, again] {
            let documents = [Self.request, declined(5), Document(facts: [later], second: 20), voiding]
            #expect(fold(documents).awaitsReversal, "\(later.type)")
        }
    }

    @Test("An outcome that is reported again is not later than a further attempt")
    func repeated() {
        func declined(_ evidence: Evidence, _ second: Int) -> Document {
            Document(facts: [.declined(Reported.verdict(evidence, at: Reported.local(20)))], second: second)
        }
        let further = Document(facts: [.outcomeUnknown(Reported.verdict(at: Reported.time(25)))], second: 25)
        for order in [declined(.relayed, 80), further].permutations {
            let state = fold([Self.request, declined(.gateway, 20)] + order)
            #expect(state.status == .declined && state.isInDoubt, "\(order.map(\.second))")
        }
    }
}
