import Canonical
import Payments
import Testing

/// A payment that was sent again while the outcome of an attempt was unknown.
@Suite("Attempts with an unknown outcome")
struct UnansweredAttemptTests {
    /// A document with one fact, sent so many seconds after the start.
    struct Document: Sendable {
        var fact: TransactionEvent
        var second: Int
    }

    /// Documents about one payment, after its request.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let documents: [Document]
        var isInDoubt = false
        var isAwaited = false
    }

    private static let request = Document(fact: .saleRequested(Reported.request(1000)), second: 0)
    private static let doubt = Anomaly.followUpInDoubt(.paymentAttempt)

    private static func sent(_ second: Int, code: String = "0021", isTimed: Bool = true) -> Document {
        let report = DeviceReport(response: Response(code: code), at: isTimed ? Reported.time(second) : nil)
        return Document(fact: .device(DeviceEvent(.authorizationSent, report)), second: second)
    }

    private static func verdict(_ second: Int, _ id: String?, _ evidence: Evidence, isTimed: Bool) -> Verdict {
        var verdict = Reported.verdict(evidence, at: isTimed ? Reported.time(second) : nil)
        verdict.references.gatewayTransaction = id
        return verdict
    }

    private static func unknown(
        _ second: Int,
        id: String? = nil,
        by evidence: Evidence = .reader,
        isTimed: Bool = true
    ) -> Document {
        Document(fact: .outcomeUnknown(verdict(second, id, evidence, isTimed: isTimed)), second: second)
    }

    private static func declined(
        _ second: Int,
        id: String? = nil,
        by evidence: Evidence = .gateway,
        isTimed: Bool = true
    ) -> Document {
        Document(fact: .declined(verdict(second, id, evidence, isTimed: isTimed)), second: second)
    }

    private static func resolved(
        _ outcome: Resolution.Outcome,
        _ means: Resolution.Means,
        _ second: Int,
        id: String? = nil
    ) -> Document {
        let resolution = Resolution(
            outcome: outcome,
            means: means,
            amounts: outcome == .approved ? Reported.amounts(1000) : nil,
            evidence: means == .recoveredResult ? .reader : .gateway,
            references: References(gatewayTransaction: id),
            answeredAt: Reported.instant(second)
        )
        return Document(fact: .outcomeResolved(resolution), second: second)
    }

    /// The state after documents, each of which is decided and recorded in the given order.
    private func fold(_ documents: [Document]) -> TransactionState {
        var history = PaymentHistory()
        for document in [Self.request] + documents {
            let at = Reported.instant(document.second)
            _ = Lifecycle.decide([document.fact], after: &history, policy: LifecyclePolicy(), at: at)
        }
        return history.state
    }

    private static let unanswered = [sent(10), unknown(20), sent(30), declined(40)]

    private static let rows = [
        Row(testDescription: "the second attempt is declined", documents: unanswered, isInDoubt: true),
        Row(
            testDescription: "the second attempt is declined by the terminal",
            documents: [sent(10), unknown(20), sent(30), declined(40, by: .reader)],
            isInDoubt: true
        ),
        Row(testDescription: "one attempt is declined", documents: [sent(10), unknown(20), declined(40)]),
        Row(
            testDescription: "the first attempt is declined before the second one",
            documents: [sent(10), unknown(20), declined(25), sent(30)],
            isAwaited: true
        ),
        Row(
            testDescription: "both attempts are declined, as the times show",
            documents: [sent(10), unknown(20), declined(25), sent(30), declined(40)]
        ),
        Row(
            testDescription: "a device reports one attempt in two steps",
            documents: [sent(10), unknown(20), sent(30, code: "0022"), declined(40)]
        ),
        Row(
            testDescription: "a device repeats a step before the outcome is unknown",
            documents: [sent(10), sent(15), unknown(20), declined(40)]
        ),
        Row(
            testDescription: "both outcomes are unknown at first",
            documents: [sent(10), unknown(20), sent(30), unknown(35), declined(40)],
            isInDoubt: true
        ),
        Row(
            testDescription: "the decline has the id of the first attempt",
            documents: [sent(10), unknown(20, id: "1"), sent(30), declined(40, id: "1")],
            isInDoubt: true
        ),
        Row(
            testDescription: "both attempts are declined, as the ids show",
            documents: [sent(10), unknown(20, id: "1"), sent(30), declined(40, id: "1"), declined(41, id: "2")]
        ),
    ]

    @Test("A decline answers one attempt, whatever order the documents arrive in", arguments: rows)
    func orders(_ row: Row) {
        for order in row.documents.permutations {
            let state = fold(order)
            let seconds = order.map(\.second)
            #expect(state.status == .declined, "\(seconds)")
            #expect(state.isInDoubt == row.isInDoubt, "\(seconds)")
            #expect(state.awaitsAnswer == row.isAwaited, "\(seconds)")
            #expect(state.anomalies == (row.isInDoubt ? [Self.doubt] : []), "\(seconds)")
        }
    }

    @Test("Without times in the documents, their order of arrival decides")
    func untimed() {
        let first = [Self.sent(10, isTimed: false), Self.unknown(20, isTimed: false)]
        let declined = Self.declined(40, isTimed: false)
        #expect(fold(first + [Self.sent(30, isTimed: false), declined]).anomalies == [Self.doubt])
        #expect(fold(first + [Self.sent(30, code: "0022", isTimed: false), declined]).anomalies == [])
        #expect(fold(first + [declined]).anomalies == [])
    }

    @Test(
        "A query, a stored result or an operator ends the doubt",
        arguments: [
            resolved(.declined, .find, 50), resolved(.notPosted, .statusQuery, 50),
            resolved(.approved, .find, 50, id: "1"), resolved(.declined, .recoveredResult, 50),
            Document(fact: .anomalyCleared(doubt), second: 50),
        ]
    )
    func ended(_ end: Document) {
        let state = fold(Self.unanswered + [end])
        #expect(!state.isInDoubt && !state.awaitsAnswer)
        // Another report of the decline does not renew it.
        let again = fold(Self.unanswered + [end, Self.declined(40, by: .relayed)])
        #expect(!again.isInDoubt && !again.awaitsAnswer)
        // Evidence from before the decline arrives leaves no doubt.
        if case .outcomeResolved = end.fact {
            #expect(!fold(Array(Self.unanswered.dropLast()) + [end, Self.declined(40)]).isInDoubt)
        }
    }

    @Test("The operator's testimony ends the doubt")
    func testimony() {
        let testimony = Resolution(
            outcome: .declined,
            means: .testimony,
            evidence: .gateway,
            testimony: Testimony(
                evidence: "the gateway's list has no payment",
                reason: "asked the gateway",
                followUp: FollowUpInDoubt(.paymentAttempt)
            )
        )
        let end = Document(fact: .outcomeResolved(testimony), second: 50)
        #expect(!fold(Self.unanswered + [end]).isInDoubt)
    }

    @Test("A query that finds only the declined transaction does not end the doubt")
    func foundDecline() {
        let documents = [Self.sent(10), Self.unknown(20), Self.sent(30), Self.declined(40, id: "2")]
        #expect(fold(documents + [Self.resolved(.declined, .find, 50, id: "2")]).isInDoubt)
        #expect(!fold(documents + [Self.resolved(.approved, .find, 50, id: "1")]).isInDoubt)
    }

    @Test("A further attempt does not hide the one without an answer")
    func furtherAttempt() {
        let further = [Self.sent(50), Self.declined(60)]
        #expect(fold(Self.unanswered + further).isInDoubt)
        let order = [
            Self.sent(10), Self.unknown(20), Self.sent(30), Self.sent(50), Self.declined(40), Self.declined(60),
        ]
        #expect(fold(order).isInDoubt)
    }
}
