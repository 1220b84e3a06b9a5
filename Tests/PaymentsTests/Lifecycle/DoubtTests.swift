import Payments
import Testing

@Suite("Follow-ups in doubt")
struct DoubtTests {
    private func state(
        _ steps: [[TransactionEvent]],
        policy: LifecyclePolicy = LifecyclePolicy(capturesOnce: true)
    ) -> TransactionState {
        var history: [TransactionEvent] = []
        for step in steps { history += Lifecycle.decide(step, after: history, policy: policy) }
        return TransactionState(folding: history)
    }

    private func doubt(_ followUp: FollowUp, refund: String? = nil) -> [TransactionEvent] {
        [.anomalyRaised(.followUpInDoubt(followUp, refund: refund))]
    }

    private func doubt(_ subject: FollowUpInDoubt.Subject) -> [TransactionEvent] {
        [.anomalyRaised(.followUpInDoubt(subject))]
    }

    private let authorized = Reported.authorization(1000)
    private let sold = Reported.sale(1000)

    @Test("A doubt ends once the follow-up is reported")
    func reported() {
        let rows: [(payment: [TransactionEvent], followUp: FollowUpInDoubt.Subject, fact: TransactionEvent)] = [
            (authorized, .followUp(.capture), Reported.captured(1000)),
            (sold, .followUp(.tipAdjustment), Reported.tip(200, total: 1200)),
            (sold, .followUp(.tipAdjustment), Reported.tip(0)),
            (sold, .followUp(.void), .voided(Reported.part("v"))),
            (authorized, .followUp(.reversal), .reversed(Reported.part("r"))),
            (authorized, .followUp(.increment), Reported.incremented(100)),
            // No money is left to capture or tip.
            (authorized, .followUp(.capture), .voided(Reported.part("v"))),
            (sold, .followUp(.tipAdjustment), .reversed(Reported.part("r"))),
            // Another source reports the payment of a withdrawn statement.
            (sold, .withdrawnPayment, Reported.resolved(.approved, .find, 1000)),
            (sold, .withdrawnPayment, Reported.approved(1000, by: .settlement)),
            (sold, .withdrawnPayment, .reversed(Reported.part("r"))),
            (sold, .withdrawnPayment, .settled(Reported.settlement())),
            // Money in a closed batch was taken, and what settlement reports was not voided.
            (sold, .followUp(.void), .settled(Reported.settlement(1, 1000))),
            (sold, .followUp(.tipAdjustment), .settled(Reported.settlement())),
        ]
        for row in rows {
            #expect(state([row.payment, doubt(row.followUp)]).isInDoubt, "\(row.followUp)")
            let after = state([row.payment, doubt(row.followUp), [row.fact]])
            #expect(!after.isInDoubt, "\(row.followUp) by \(row.fact.type)")
            #expect(after.anomalies.isEmpty, "\(row.followUp) by \(row.fact.type)")
        }
    }

    @Test("Facts about another subject do not end a doubt")
    func others() {
        let rows: [(payment: [TransactionEvent], followUp: FollowUpInDoubt.Subject, fact: TransactionEvent)] = [
            (sold, .followUp(.void), Reported.tip(200)),
            (sold, .followUp(.tipAdjustment), .voided(Reported.part("v", 100))),
            (sold, .followUp(.refund), .refunded(Reported.part("other", 100))),
            (sold, .followUp(.refund), .settled(Reported.settlement())),
            (authorized, .followUp(.capture), .reversed(Reported.part("r", 100))),
            (sold, .followUp(.increment), .voided(Reported.part("v"))),
            (sold, .withdrawnPayment, Reported.tip(200)),
            // The payment counts until an operator decides that it does not.
            (sold, .withdrawnPayment, Reported.resolved(.declined, .find)),
            (sold, .withdrawnPayment, Reported.resolved(.notPosted, .find)),
            (sold, .withdrawnPayment, Reported.resolved(.approved, .settlementLine, 1000, by: .settlement)),
        ]
        for row in rows {
            let after = state([row.payment, doubt(row.followUp), [row.fact]])
            #expect(after.anomalies.contains(.followUpInDoubt(row.followUp)), "\(row.followUp) by \(row.fact.type)")
        }
    }

    @Test("A payment rests on a statement line until another source reports it")
    func restsOnALine() {
        let line = Reported.resolved(.approved, .settlementLine, 1000, by: .settlement)
        let asked: [TransactionEvent] = [.saleRequested(Reported.request(1000)), .outcomeUnknown(Reported.verdict())]
        #expect(!TransactionState.restsOnStatementLine(asked))
        #expect(TransactionState.restsOnStatementLine(asked + [line]))
        #expect(TransactionState.restsOnStatementLine(asked + [Reported.approved(1000, by: .reader), line]))
        for other in [
            Reported.approved(1000), Reported.resolved(.approved, .find, 1000), .settled(Reported.settlement()),
        ] {
            #expect(!TransactionState.restsOnStatementLine(asked + [line, other]), "\(other.type)")
            #expect(!TransactionState.restsOnStatementLine(asked + [other, line]), "\(other.type)")
        }
    }

    @Test("A doubt is the same by its subject, whatever its explanation")
    func subject() {
        let other = Anomaly(.followUpInDoubt, "the terminal was cut off", inDoubt: FollowUpInDoubt(.void))
        let after = state([sold, doubt(.void), [.anomalyRaised(other)]])
        #expect(after.anomalies == [.followUpInDoubt(.void)])
        #expect(!state([sold, [.anomalyRaised(other)], [.anomalyCleared(.followUpInDoubt(.void))]]).isInDoubt)
        #expect(!state([sold, [.anomalyRaised(other)], [.voided(Reported.part("v"))]]).isInDoubt)
        // The subject counts, not the text.
        let text = Anomaly(.followUpInDoubt, Anomaly.followUpInDoubt(.void).explanation)
        #expect(state([sold, [.anomalyRaised(text)], [.voided(Reported.part("v"))]]).isInDoubt)
    }

    @Test("The stored names of the subjects of a doubt")
    func subjects() {
        let names = FollowUpInDoubt.Subject.allCases.map(\.rawValue)
        #expect(
            names == [
                "capture", "tip-adjustment", "void", "refund", "reversal", "increment", "refund-void", "follow-up",
                "partial-void", "found-refund", "payment-attempt", "further-tender", "withdrawn-payment",
            ]
        )
        #expect(names.map(FollowUpInDoubt.Subject.init) == FollowUpInDoubt.Subject.allCases)
    }

    @Test("Every doubt is independent of the others")
    func apart() {
        let after = state([sold, doubt(.refund), doubt(.void), doubt(.tipAdjustment), [Reported.tip(100)]])
        #expect(after.anomalies == [.followUpInDoubt(.refund), .followUpInDoubt(.void)])
    }

    @Test("A doubt recorded after the fact that ends it is ended")
    func late() {
        #expect(!state([authorized, [Reported.captured(1000)], doubt(.capture)]).isInDoubt)
        #expect(!state([sold, [.voided(Reported.part("v"))], doubt(.void)]).isInDoubt)
        #expect(!state([sold, [.settled(Reported.settlement())], doubt(.tipAdjustment)]).isInDoubt)
        #expect(state([sold, [Reported.tip(100)], doubt(.tipAdjustment)]).isInDoubt)
        // If an authorisation can be captured in parts, one capture does not resolve another.
        let parts = LifecyclePolicy()
        #expect(state([authorized, [Reported.captured(400)], doubt(.capture)], policy: parts).isInDoubt)
    }

    @Test("Only settlement ends a doubt about a refund")
    func refund() {
        var settled = Reported.part("r", 100)
        settled.evidence = .settlement
        #expect(!state([sold, doubt(.refund), [.refunded(settled)]]).isInDoubt)
    }

    @Test("A reversal is due until the payment is reversed or proves not to be approved")
    func reversalDue() {
        let due: [TransactionEvent] = [.anomalyRaised(Anomaly(.reversalDue, "the terminal failed"))]
        #expect(state([sold, due]).anomalies.map(\.kind) == [.reversalDue])
        #expect(state([sold, due, [.voided(Reported.part("v", 100))]]).anomalies.map(\.kind) == [.reversalDue])
        #expect(state([sold, due, [.voided(Reported.part("v"))]]).anomalies.isEmpty)
        #expect(state([authorized, due, [.reversed(Reported.part("r"))]]).anomalies.isEmpty)
        #expect(state([due, [.declined(Reported.verdict())]]).anomalies.isEmpty)
        #expect(state([due, [.declined(Reported.verdict(.reader))]]).anomalies.map(\.kind) == [.reversalDue])
    }

    private func voided(_ id: String) -> [TransactionEvent] { [.refundVoided(Reported.part(id))] }

    @Test("The reported void of a refund ends the doubt about that refund and about no other")
    func refundVoided() {
        let two = sold + [.refunded(Reported.part("a", 100)), .refunded(Reported.part("b", 100))]
        for refund in [nil, "a"] {
            #expect(state([two, doubt(.refundVoid, refund: refund)]).isInDoubt)
            #expect(!state([two, doubt(.refundVoid, refund: refund), voided("a")]).isInDoubt, "\(refund ?? "any")")
        }
        #expect(state([two, doubt(.refundVoid, refund: "a"), voided("b")]).isInDoubt)
        // The same facts in the other order.
        #expect(!state([two, voided("a"), doubt(.refundVoid, refund: "a")]).isInDoubt)
        #expect(state([two, voided("b"), doubt(.refundVoid, refund: "a")]).isInDoubt)
        #expect(state([two, voided("b"), doubt(.refundVoid)]).isInDoubt)
        #expect(!state([two, voided("a"), voided("b"), doubt(.refundVoid)]).isInDoubt)
        #expect(!state([sold, voided("a"), doubt(.refundVoid, refund: "a")]).isInDoubt)
        // Other facts do not end the doubt.
        #expect(state([two, doubt(.refundVoid, refund: "a"), [Reported.tip(100)]]).isInDoubt)
    }

    @Test("A standalone refund's void, in any form, ends the doubt, and so does settlement")
    func creditVoided() {
        let credit = Reported.credit(1000)
        for fact in [voided("credit"), [.voided(Reported.part("v"))], [.settled(Reported.settlement(1, 1000))]] {
            #expect(!state([credit, doubt(.refundVoid, refund: "x"), fact]).isInDoubt, "\(fact[0].type)")
            #expect(!state([credit, fact, doubt(.refundVoid, refund: "x")]).isInDoubt, "\(fact[0].type)")
        }
    }

    @Test("A doubt about a partial void ends once a void is reported")
    func partialVoid() {
        #expect(state([sold, doubt(.partialVoid)]).isInDoubt)
        #expect(!state([sold, doubt(.partialVoid), [.voided(Reported.part("v", 100))]]).isInDoubt)
        #expect(!state([sold, [.voided(Reported.part("v", 100))], doubt(.partialVoid)]).isInDoubt)
    }

    @Test("A further tender is known once the balance equals what the other tenders leave")
    func furtherTender() {
        let first: [TransactionEvent] = [
            .saleRequested(Reported.request(1000)), Reported.tender(600, id: "a", balance: 400),
        ]
        for doubts in [[.outcomeUnknown(Reported.verdict())], doubt(.furtherTender)] {
            #expect(state([first, doubts]).isInDoubt)
            #expect(!state([first, doubts, [Reported.tender(400, id: "b", balance: 0)]]).isInDoubt)
            #expect(state([first, doubts, [Reported.tender(400, id: "b")]]).isInDoubt)
            // A tender in between is not recorded.
            #expect(state([first, doubts, [Reported.tender(200, id: "b", balance: 100)]]).isInDoubt)
            // A repeat of the first tender proves nothing.
            #expect(state([first, doubts, [Reported.tender(600, id: "a", balance: 400, by: .settlement)]]).isInDoubt)
        }
    }
}
