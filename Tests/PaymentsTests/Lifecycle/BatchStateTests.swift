import Payments
import Testing

@Suite("Batches")
struct BatchStateTests {
    private static func closing(_ settlement: String? = nil, net: Int64? = nil, at second: Int? = nil) -> BatchClosing {
        BatchClosing(
            batch: Reported.batch(1),
            settlement: settlement,
            response: Response(code: "0"),
            totals: net.map { HostTotals(net: Reported.usd($0)) },
            at: second.map(Reported.time)
        )
    }

    private static let imbalance = BatchImbalance(
        batch: Reported.batch(1),
        host: HostTotals(net: Reported.usd(5)),
        ledger: HostTotals(net: Reported.usd(4))
    )

    struct Course: Sendable, CustomTestStringConvertible {
        var name: String
        var facts: [BatchEvent]
        var status: BatchState.Status
        var recorded: Int
        var anomalies: [Anomaly.Kind] = []

        var testDescription: String { name }
    }

    @Test(arguments: [
        Course(name: "asked to close", facts: [.batchCloseRequested(closing())], status: .closing, recorded: 1),
        Course(
            name: "closed",
            facts: [.batchCloseRequested(closing()), .batchClosed(closing("s", net: 5))],
            status: .closed,
            recorded: 2
        ),
        Course(
            name: "closed, reported again in another form",
            facts: [
                .batchClosed(closing("s", net: 5)), .batchClosed(closing("s", net: 5, at: 1)), .batchClosed(closing()),
            ],
            status: .closed,
            recorded: 3
        ),
        Course(
            name: "closed twice, by two settlements",
            facts: [.batchClosed(closing("s", net: 5)), .batchClosed(closing("t", net: 5))],
            status: .closed,
            recorded: 3,
            anomalies: [.batchMismatch]
        ),
        Course(
            name: "closed twice, with two totals",
            facts: [.batchClosed(closing("s", net: 5)), .batchClosed(closing("s", net: 6))],
            status: .closed,
            recorded: 3,
            anomalies: [.batchMismatch]
        ),
        Course(
            name: "failed, and closed later",
            facts: [.batchCloseFailed(closing()), .batchCloseRequested(closing()), .batchClosed(closing("s"))],
            status: .closed,
            recorded: 3
        ),
        Course(
            name: "failed after it was closed",
            facts: [.batchClosed(closing("s")), .batchCloseFailed(closing())],
            status: .closed,
            recorded: 3,
            anomalies: [.batchMismatch]
        ),
        Course(
            name: "out of balance",
            facts: [.batchClosed(closing("s")), .batchOutOfBalance(imbalance)],
            status: .outOfBalance,
            recorded: 2
        ),
        Course(
            name: "an anomaly is raised once",
            facts: [.anomalyRaised(Anomaly(.batchMismatch, "x")), .anomalyRaised(Anomaly(.batchMismatch, "x"))],
            status: .open,
            recorded: 1,
            anomalies: [.batchMismatch]
        ),
    ])
    func course(_ course: Course) {
        var history: [BatchEvent] = []
        for fact in course.facts { history += BatchState.decide([fact], after: history) }
        let state = BatchState(folding: history)
        #expect(state.status == course.status)
        #expect(state.anomalies.map(\.kind) == course.anomalies)
        #expect(history.count == course.recorded)
        #expect(state.version == Int64(history.count))
        #expect(BatchState.decide(course.facts, after: history).isEmpty)
        #expect(BatchState.decide(course.facts + course.facts, after: []).count == history.count)
    }

    @Test("Every document is recorded, even if it contains nothing new")
    func documents() {
        let facts: [BatchEvent] = [.documentReceived(Reported.document), .batchClosed(Self.closing("s"))]
        let history = BatchState.decide(facts, after: [])
        #expect(history == facts)
        #expect(BatchState.decide(facts, after: history) == [.documentReceived(Reported.document)])
        #expect(BatchState(folding: history).reference == Reported.batch(1))
    }

    @Test("The last answer to a request to close is kept, and a request without an answer changes nothing")
    func answers() {
        func answered(_ code: String?) -> BatchClosing {
            BatchClosing(batch: Reported.batch(1), response: Response(code: code))
        }
        let refused = BatchState(folding: [.batchCloseRequested(answered("96")), .batchCloseRequested(answered(nil))])
        #expect(refused.answer == Response(code: "96") && refused.status == .closing)
        #expect(BatchState(folding: [.batchCloseFailed(answered("05"))]).answer == Response(code: "05"))
        #expect(BatchState(folding: [.batchCloseRequested(answered(nil))]).answer == nil)
    }

    @Test("A batch is part of another one of its number until its own closing, or until the link ends")
    func parts() {
        let part = BatchReference(vendor: .dejavoo, account: "S1", number: "7")
        let whole = BatchReference(vendor: .dejavoo, account: "tpn", number: "7")
        let other = BatchReference(vendor: .dejavoo, account: "tpn", number: "8")
        let linked = BatchEvent.batchLinked(BatchLink(part, partOf: whole))
        #expect(BatchState(folding: [linked]).partOf == whole)
        #expect(BatchState(folding: [.batchLinked(BatchLink(part, partOf: other))]).partOf == nil)
        #expect(BatchState(folding: [linked, .batchLinked(BatchLink(part, partOf: part))]).partOf == nil)
        let closing = BatchClosing(batch: part, response: Response())
        for event in [BatchEvent.batchCloseRequested(closing), .batchClosed(closing), .batchCloseFailed(closing)] {
            #expect(BatchState(folding: [linked, event]).partOf == nil)
            #expect(BatchState(folding: [event, linked]).partOf == nil)
        }
    }
}
