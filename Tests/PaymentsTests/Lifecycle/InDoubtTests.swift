import Payments
import Testing

@Suite("In doubt")
struct InDoubtTests {
    private static let sale = TransactionEvent.saleRequested(Reported.request(750))
    private static let cancelled = TransactionEvent.cancelled(Reported.verdict(.reader))
    private static let doubt: [TransactionEvent] = [sale, .outcomeUnknown(Reported.verdict())]
    private static let saleCapture = Reported.captured(750, id: Capture.saleID)

    @Test(
        "In doubt",
        arguments: [
            Story(
                "approved by a status query",
                given: doubt,
                when: Reported.resolved(.approved, .statusQuery, 750),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "approved by a find, and the capture reported later",
                given: doubt,
                when: Reported.resolved(.approved, .find, 750),
                saleCapture,
                then: .captured,
                "A750 C750"
            ),
            Story(
                "approved by a result the reader had kept",
                given: doubt,
                when: Reported.resolved(.approved, .recoveredResult, 750, by: .reader),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "approved by a line of the settlement",
                given: doubt,
                when: Reported.resolved(.approved, .settlementLine, 750, by: .settlement),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "approved in part",
                given: doubt,
                when: Reported.resolved(.partiallyApproved, .statusQuery, 500),
                then: .partiallyApproved,
                "A500 C500 due250"
            ),
            Story("declined", given: doubt, when: Reported.resolved(.declined, .statusQuery), then: .declined),
            Story(
                "declined, as the reader knew",
                given: doubt.map { $0.limited(to: .relayed) },
                when: Reported.resolved(.declined, .recoveredResult, by: .reader),
                then: .declined
            ),
            Story("not posted", given: doubt, when: Reported.resolved(.notPosted, .find), then: .notPosted),
            Story(
                "reversed",
                given: doubt,
                when: Reported.resolved(.reversed, .reversalAcknowledgement),
                then: .reversed
            ),
            Story(
                "reversed by the reversal in doubt",
                given: doubt,
                when: .reversed(Reported.part("r")),
                then: .reversed
            ),
            Story(
                "approved, without an amount",
                given: doubt,
                when: Reported.resolved(.approved, .find),
                then: .authorized,
                "",
                .amountUnreadable
            ),
            Story(
                "an authorisation approved by a find",
                given: [.authorizationRequested(Reported.request(750)), .outcomeUnknown(Reported.verdict())],
                when: Reported.resolved(.approved, .find, 750),
                then: .authorized,
                "A750"
            ),
            Story(
                "the host answers after all",
                given: doubt,
                when: Reported.approved(750),
                saleCapture,
                then: .captured,
                "A750 C750"
            ),
            Story(
                "a cancellation at the device is no evidence",
                given: doubt,
                when: .failed(Reported.verdict(.reader)),
                then: .inDoubt
            ),
            Story(
                "giving up at the device where the doubt arose neither",
                given: [sale, .outcomeUnknown(Reported.verdict(.reader))],
                when: cancelled,
                then: .inDoubt
            ),
            Story(
                "doubt does not undo an approval",
                given: Reported.sale(750),
                when: .outcomeUnknown(Reported.verdict()),
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
            Story(
                "the reader's approval ends the doubt",
                given: doubt,
                when: Reported.approved(750, by: .reader),
                saleCapture,
                then: .captured,
                "A750 C750"
            ),
            Story(
                "resolved twice, the same way",
                given: doubt,
                when: Reported.resolved(.declined, .statusQuery),
                Reported.resolved(.declined, .find),
                then: .declined
            ),
            Story(
                "resolved twice, two ways",
                given: doubt,
                when: Reported.resolved(.notPosted, .statusQuery),
                Reported.resolved(.approved, .find, 750),
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
        ]
    )
    func inDoubt(_ story: Story) { story.check() }

    // MARK: Doubts about settled outcomes

    private static func declined(_ second: Int?) -> TransactionEvent {
        .declined(Reported.verdict(at: second.map(Reported.time)))
    }

    private static func unknown(_ second: Int?, _ evidence: Evidence = .reader, id: String? = nil) -> TransactionEvent {
        var verdict = Reported.verdict(evidence, at: second.map(Reported.time))
        verdict.references.gatewayTransaction = id
        return .outcomeUnknown(verdict)
    }

    private static func found(
        _ outcome: Resolution.Outcome,
        _ minor: Int64? = nil,
        id: String? = nil,
        _ means: Resolution.Means = .find,
        answeredAt second: Int? = nil
    ) -> TransactionEvent {
        .outcomeResolved(
            Resolution(
                outcome: outcome,
                means: means,
                amounts: minor.map { Reported.amounts($0) },
                evidence: .gateway,
                references: References(gatewayTransaction: id),
                at: Reported.time(1),
                answeredAt: second.map(Reported.instant)
            )
        )
    }

    private static func approved(_ minor: Int64, id: String, at second: Int) -> TransactionEvent {
        var approval = Reported.approval(minor)
        approval.references.gatewayTransaction = id
        approval.at = Reported.time(second)
        return .authorizationApproved(approval)
    }

    @Test(
        "A doubt reported about a settled payment is about another follow-up",
        arguments: [
            Story(
                "a second attempt after a decline",
                given: [sale, declined(1)],
                when: unknown(2),
                then: .declined,
                "",
                .followUpInDoubt
            ),
            Story(
                "without a time",
                given: [sale, declined(nil)],
                when: unknown(nil),
                then: .declined,
                "",
                .followUpInDoubt
            ),
            Story("an older one was answered", given: [sale, declined(2)], when: unknown(1), then: .declined),
            Story("one of the same time, too", given: [sale, declined(2)], when: unknown(2), then: .declined),
            Story(
                "after a cancellation",
                given: [sale, .cancelled(Reported.verdict(.reader, at: Reported.time(1)))],
                when: unknown(2, .gateway),
                then: .inDoubt
            ),
            Story(
                "after a credit",
                given: Reported.credit(750),
                when: unknown(2),
                then: .credited,
                "credit750",
                .followUpInDoubt
            ),
            Story(
                "the find shows the other attempt",
                given: [sale, declined(1)],
                when: unknown(2),
                found(.approved, 750, id: "other"),
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
            Story(
                "the find shows that nothing else was posted",
                given: [sale, approved(750, id: "first", at: 1), saleCapture],
                when: unknown(2),
                found(.approved, 750, id: "other"),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "the find shows a known follow-up",
                given: [sale, approved(750, id: "first", at: 1), saleCapture],
                when: unknown(2),
                found(.approved, 750, id: "first", answeredAt: 3),
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
            Story(
                "a reader's last operation is always the one in doubt",
                given: [sale, approved(750, id: "first", at: 1), saleCapture],
                when: unknown(2),
                found(.approved, 750, id: "first", .recoveredResult),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "the other attempt is reported later",
                given: [sale, declined(1)],
                when: unknown(2),
                approved(750, id: "second", at: 3),
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "a void of the payment does not concern another attempt",
                given: [sale, approved(750, id: "first", at: 1), saleCapture],
                when: unknown(2),
                .voided(Reported.part("v")),
                then: .voided,
                "A750",
                .followUpInDoubt
            ),
            Story(
                "under the payment's own id it is a follow-up, and a void ends it",
                given: [sale, approved(750, id: "first", at: 1), saleCapture],
                when: unknown(2, id: "first"),
                .voided(Reported.part("v")),
                then: .voided,
                "A750"
            ),
            Story(
                "the follow-up was reported before",
                given: [sale, approved(750, id: "first", at: 1), saleCapture],
                when: .voided(Reported.part("v")),
                unknown(2, id: "first"),
                then: .voided,
                "A750"
            ),
            Story(
                "the doubt that was resolved comes after its resolution",
                given: [sale],
                when: found(.approved, 750, id: "first", answeredAt: 3),
                unknown(2),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "after the resolution, a doubt is a new one",
                given: [sale],
                when: found(.approved, 750, id: "first", answeredAt: 3),
                unknown(4),
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
            Story(
                "an unanswered query is no attempt",
                given: [sale, declined(1)],
                when: .outcomeUnknown(
                    Verdict(evidence: .gateway, response: Response(), at: Reported.time(2), means: .find)
                ),
                then: .declined
            ),
            Story(
                "the terminal has not ended yet",
                given: [sale, approved(750, id: "first", at: 1)],
                when: unknown(2),
                policy: LifecyclePolicy(terminalCompletes: true),
                then: .authorized,
                "A750"
            ),
            Story(
                "the terminal had ended",
                given: [sale, approved(750, id: "first", at: 1), saleCapture],
                when: unknown(2),
                policy: LifecyclePolicy(terminalCompletes: true),
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
        ]
    )
    func beside(_ story: Story) { story.check() }

    @Test("A document that names its doubt raises no other doubt")
    func named() {
        let sold = Reported.sale(750)
        let reported: [TransactionEvent] = [Self.unknown(2), .anomalyRaised(.followUpInDoubt(.tipAdjustment))]
        let events = sold + Lifecycle.decide(reported, after: sold, policy: LifecyclePolicy())
        #expect(TransactionState(folding: events).anomalies == [.followUpInDoubt(.tipAdjustment)])
    }

    // MARK: Credits

    private static let credit: [TransactionEvent] = [
        .creditRequested(Reported.request(750)), .outcomeUnknown(Reported.verdict()),
    ]

    private static func foundCredit(_ minor: Int64?) -> TransactionEvent {
        let amounts = minor.map { Reported.amounts($0) }
        return .outcomeResolved(
            Resolution(outcome: .approved, means: .find, operation: .credit, amounts: amounts, evidence: .gateway)
        )
    }

    @Test(
        "A credit in doubt that turns out to be approved gives money back",
        arguments: [
            Story(
                "by a status query",
                given: credit,
                when: Reported.resolved(.approved, .statusQuery, 750),
                then: .credited,
                "credit750"
            ),
            Story("by what was found", given: credit, when: foundCredit(750), then: .credited, "credit750"),
            Story(
                "reported as a credit afterwards",
                when: Reported.resolved(.approved, .find, 750),
                .creditRequested(Reported.request(750)),
                then: .credited,
                "credit750"
            ),
            Story(
                "then reported",
                given: credit,
                when: Reported.resolved(.approved, .find, 750),
                .creditApproved(Reported.approval(750)),
                then: .credited,
                "credit750"
            ),
            Story(
                "then reported with another amount",
                given: credit,
                when: Reported.resolved(.approved, .find, 750),
                .creditApproved(Reported.approval(700)),
                then: .credited,
                "credit750",
                .conflictingAmount
            ),
            Story(
                "reported, then found with another amount",
                given: Reported.credit(750),
                when: Reported.resolved(.approved, .find, 700),
                then: .credited,
                "credit750",
                .conflictingAmount
            ),
            Story(
                "then voided",
                given: credit,
                when: Reported.resolved(.approved, .find, 750),
                .voided(Reported.part("v")),
                then: .voided
            ),
            Story(
                "voided before it was found",
                given: credit,
                when: .voided(Reported.part("v")),
                Reported.resolved(.approved, .find, 750),
                then: .voided
            ),
            Story(
                "then settled",
                given: credit,
                when: Reported.resolved(.approved, .find, 750),
                .settled(Reported.settlement(1, 750)),
                then: .settled,
                "credit750"
            ),
            Story("declined", given: credit, when: Reported.resolved(.declined, .find), then: .declined),
            Story("nothing else is known", when: foundCredit(750), then: .credited, "credit750"),
            Story(
                "nothing else is known, and then the request",
                when: foundCredit(750),
                .creditRequested(Reported.request(750)),
                then: .credited,
                "credit750"
            ),
            Story(
                "nothing else is known, and then a sale",
                when: foundCredit(750),
                sale,
                then: .credited,
                "credit750",
                .conflictingOutcome
            ),
            Story(
                "found beside a payment",
                given: Reported.sale(750),
                when: foundCredit(100),
                then: .captured,
                "A750 C750",
                .followUpInDoubt
            ),
            Story(
                "found beside a payment, and then reported",
                given: Reported.sale(750),
                when: foundCredit(100),
                .refunded(Reported.part("r", 100)),
                then: .partiallyRefunded,
                "A750 C750 F100"
            ),
            Story(
                "a reported refund is found",
                given: Reported.sale(750) + [.refunded(Reported.part("r", 100))],
                when: foundCredit(100),
                then: .partiallyRefunded,
                "A750 C750 F100"
            ),
            Story(
                "it settles nothing about the payment it is a refund of",
                given: doubt,
                when: foundCredit(100),
                then: .inDoubt,
                "",
                .followUpInDoubt
            ),
            Story(
                "approved, and then reported as a credit",
                when: Reported.approved(750),
                .creditRequested(Reported.request(750)),
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
            Story(
                "reported as a credit, and then approved",
                given: [.creditRequested(Reported.request(750))],
                when: Reported.approved(750),
                then: .authorized,
                "A750",
                .conflictingOutcome
            ),
        ]
    )
    func credits(_ story: Story) { story.check() }
}
