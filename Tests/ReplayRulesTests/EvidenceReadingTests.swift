import Canonical
import Payments
import ReplayRules
import Testing

/// The evidence that is read from a payment's events.
@Suite struct EvidenceReadingTests {
    private func facts(_ events: [TransactionEvent]) -> [RecordedFact] {
        events.enumerated().map { index, event in
            RecordedFact(position: Int64(100 + index), at: sentAt.after(Int64(index)), event: event)
        }
    }

    private func document(_ vendor: Vendor) -> TransactionEvent {
        .documentReceived(
            DocumentReceived(vendor: vendor, kind: "x", document: [:], redactions: [])
        )
    }

    private let request = PaymentRequest(amounts: Amounts(total: Money(1000, .usd)))

    private func verdict(_ code: String?, _ by: Evidence = .gateway, brand: String? = nil) -> Verdict {
        var card = CardPresentation()
        card.brand = brand
        return Verdict(evidence: by, response: Response(code: code), card: brand == nil ? nil : card)
    }

    @Test func aDecline() throws {
        let evidence = PaymentEvidence(
            folding: facts([document(.bridgepay), .saleRequested(request), .declined(verdict("D03", brand: "VISA"))])
        )
        #expect(evidence.wanted == ReplayRequest(.sale, amount: Money(1000, .usd)))
        #expect(evidence.vendor == .bridgepay && evidence.scheme == .visa)
        #expect(evidence.attempts.map(\.position) == [101] && evidence.answers.map(\.position) == [102])
        let ruling = classify(evidence, at: sentAt.after(2 * day), book: try standardBook())
        #expect(ruling == Ruling(.resubmit, rule: "bridgepay.message.D03", evidence: [102]))
    }

    @Test("A decline is not resubmitted while a later attempt awaits its answer")
    func furtherAttempt() throws {
        let sent = TransactionEvent.device(DeviceEvent(.authorizationSent, DeviceReport()))
        let declined: [TransactionEvent] = [
            document(.bridgepay), .saleRequested(request), sent, .declined(verdict("D03")),
        ]
        func ruling(_ events: [TransactionEvent]) throws -> Ruling {
            classify(PaymentEvidence(folding: facts(events)), at: sentAt.after(2 * day), book: try standardBook())
        }
        #expect(try ruling(declined).disposition == .resubmit)
        #expect(try ruling(declined + [sent]).disposition != .resubmit)
    }

    @Test("A decline that may answer either of two attempts leaves a doubt")
    func unansweredAttempt() {
        func sent(_ seconds: Int64) -> TransactionEvent {
            let report = DeviceReport(at: .instant(sentAt.after(seconds)))
            return .device(DeviceEvent(.authorizationSent, report))
        }
        func doubts(_ reported: [(seconds: Int64, event: TransactionEvent)], isFlagged: Bool = true) -> Int {
            var history = PaymentHistory()
            var recorded: [TransactionEvent] = []
            for (seconds, event) in reported {
                let at = sentAt.after(seconds)
                recorded += Lifecycle.decide([event], after: &history, policy: LifecyclePolicy(), at: at)
            }
            // A log of an earlier build lacks the finding.
            if !isFlagged { recorded.removeAll { if case .anomalyRaised = $0 { true } else { false } } }
            return PaymentEvidence(folding: facts(recorded)).doubts.count
        }
        let first: [(seconds: Int64, event: TransactionEvent)] = [
            (seconds: 0, event: .saleRequested(request)), (seconds: 1, event: sent(1)),
            (seconds: 60, event: .outcomeUnknown(verdict(nil))),
        ]
        let declined = (seconds: Int64(90), event: TransactionEvent.declined(verdict("D03")))
        #expect(doubts(first + [declined]) == 0)
        let again = first + [(seconds: 70, event: sent(70)), declined]
        #expect(doubts(again) == 1 && doubts(again, isFlagged: false) == 1)
    }

    @Test("Of documents that cross, the senders' clocks decide whether a later attempt awaits its answer")
    func crossed() throws {
        func fact(_ seconds: Int64, recorded: Int64, _ event: TransactionEvent) -> RecordedFact {
            let (at, occurred) = (sentAt.after(recorded), sentAt.after(seconds))
            return RecordedFact(position: recorded, at: at, occurredAt: occurred, event: event)
        }
        func sent(_ seconds: Int64) -> TransactionEvent {
            let report = DeviceReport(at: .instant(sentAt.after(seconds)))
            return .device(DeviceEvent(.authorizationSent, report))
        }
        // The terminal prints its local time.
        var declined = verdict("D03")
        declined.at = .local(LocalTime(shown: sentAt.after(5)))
        let recorded = [fact(0, recorded: 1, document(.bridgepay)), fact(0, recorded: 2, .saleRequested(request))]
        func ruling(_ second: Int64) throws -> Ruling {
            let facts =
                recorded + [
                    fact(second, recorded: 100, sent(second)), fact(5, recorded: 101, .declined(declined)),
                ]
            return classify(PaymentEvidence(folding: facts), at: sentAt.after(2 * day), book: try standardBook())
        }
        #expect(try ruling(2).disposition == .resubmit)
        #expect(try ruling(60).disposition != .resubmit)
    }

    @Test("The windows of rules count from the time at which a capture was recorded")
    func captureTime() {
        let capture = Capture(id: "c", amounts: Amounts(total: Money(1000, .usd)), evidence: .gateway)
        let recorded = RecordedFact(
            position: 1,
            at: sentAt,
            occurredAt: sentAt.after(-day),
            event: .captured(capture)
        )
        #expect(PaymentEvidence(folding: [recorded]).balance.capturedAt == sentAt)
    }

    @Test("The tip of a request is asked again with it; one of another total is not")
    func requestedTip() {
        let amounts = Amounts(total: Money(1200, .usd), tip: Money(300, .usd))
        let declined: [TransactionEvent] = [
            document(.bridgepay), .saleRequested(PaymentRequest(amounts: amounts)), .declined(verdict("D03")),
        ]
        let evidence = PaymentEvidence(folding: facts(declined))
        #expect(evidence.wanted == ReplayRequest(.sale, amount: Money(1200, .usd), tip: Money(300, .usd)))
        #expect(PaymentEvidence(folding: facts(Array(declined.dropLast(2)))).wanted.tip == nil)
    }

    @Test(
        "The issuer's advice beside the vendor's code can only make a decision stricter",
        arguments: [
            (IssuerAnswer(advice: "03"), Disposition.Name.never, "mastercard.advice.03"),
            (IssuerAnswer(advice: "21"), .never, "mastercard.advice.21"),
            (IssuerAnswer(advice: "42"), .never, "mastercard.advice.42"),
            (IssuerAnswer(advice: "30"), .waitUntil, "mastercard.advice.30"),
            (IssuerAnswer(code: "41"), .never, "iso.41"),
            (IssuerAnswer(code: "05", advice: "03"), .never, "mastercard.advice.03"),
            (IssuerAnswer(code: "91"), .resubmit, "bridgepay.message.D03"),
            (IssuerAnswer(advice: "99"), .needsPerson, "default"),
        ]
    )
    func issuers(_ issuer: IssuerAnswer, _ name: Disposition.Name, _ rule: String) throws {
        var declined = verdict("D03", brand: "MASTERCARD")
        declined.response.issuer = issuer
        let evidence = PaymentEvidence(
            folding: facts([document(.bridgepay), .saleRequested(request), .declined(declined)])
        )
        let ruling = classify(evidence, at: sentAt.after(2 * day), book: try standardBook())
        #expect(ruling.disposition.name == name && ruling.rule == rule, "\(ruling)")
    }

    @Test("A credit with an open call is not resubmitted, although it was declined before")
    func aCreditUnderWay() throws {
        let book = try standardBook()
        let declined = facts([document(.bridgepay), .creditRequested(request), .declined(verdict("D03"))])
        let now = sentAt.after(2 * day)
        #expect(classify(PaymentEvidence(folding: declined), at: now, book: book).disposition == .resubmit)
        let report = GatewayReport(
            reference: "r-1",
            gateway: "main",
            vendor: .bridgepay,
            operation: .refund,
            amount: Money(1000, .usd)
        )
        let sent = RecordedFact(
            position: 200,
            at: sentAt.after(day),
            event: .gateway(GatewayEvent(.callSent, report))
        )
        let open = PaymentEvidence(folding: declined + [sent])
        #expect(open.attempts.last?.operation == .credit && open.attempts.last?.reference == "r-1")
        #expect(open.balance.mayHaveActed && open.balance.status == .inDoubt)
        #expect(classify(open, at: now, book: book).disposition != .resubmit)
    }

    @Test("Nothing is resubmitted while a call of any kind is open")
    func anOpenCall() throws {
        let book = try standardBook()
        var evidence = PaymentEvidence(
            folding: facts([document(.bridgepay), .saleRequested(request), .declined(verdict("D03"))])
        )
        let now = sentAt.after(2 * day)
        #expect(classify(evidence, at: now, book: book).disposition == .resubmit)
        evidence.balance.mayHaveActed = true
        let ruling = classify(evidence, at: now, book: book)
        #expect(ruling.disposition == .needsPerson && ruling.rule == "call.open")
    }

    @Test func anUnknownOutcome() throws {
        let book = try standardBook()
        let events = facts([document(.bridgepay), .saleRequested(request), .outcomeUnknown(verdict("20002"))])
        let open = PaymentEvidence(folding: events)
        #expect(open.doubts == [Doubt(operation: .sale, position: 102, sentAt: sentAt.after(1), vendor: .bridgepay)])
        #expect(classify(open, at: sentAt.after(2), book: book).disposition == .waitUntil(sentAt.after(6)))
        func found(_ outcome: Resolution.Outcome, _ amounts: Amounts? = nil) -> PaymentEvidence {
            let resolution = Resolution(outcome: outcome, means: .find, amounts: amounts, evidence: .gateway)
            let fact = RecordedFact(position: 200, at: sentAt.after(100), event: .outcomeResolved(resolution))
            return PaymentEvidence(folding: events + [fact])
        }
        let now = sentAt.after(200)
        #expect(classify(found(.notPosted), at: now, book: book).disposition == .resubmit)
        #expect(
            classify(found(.approved, Amounts(total: Money(1000, .usd))), at: now, book: book).disposition
                == .alreadyPosted
        )
        #expect(classify(found(.declined), at: now, book: book).rule == "resolution.declined")
        #expect(classify(found(.reversed), at: now, book: book).disposition == .needsPerson)
    }

    @Test(
        "\"Not posted\" counts if its query was recorded late enough, whatever the clock of the sale's sender",
        arguments: [-3_600, 0, 3_600],
        [(Int64(89), false), (90, true)]
    )
    func aQueryAboutACall(ahead: Int64, _ query: (at: Int64, isProof: Bool)) throws {
        func fact(_ position: Int64, _ seconds: Int64, _ event: TransactionEvent) -> RecordedFact {
            RecordedFact(position: position, at: sentAt.after(seconds), event: event)
        }
        func call(_ name: GatewayEventName, _ operation: GatewayOperation, _ reference: String) -> GatewayEvent {
            GatewayEvent(
                name,
                GatewayReport(reference: reference, gateway: "main", vendor: .bridgepay, operation: operation)
            )
        }
        var sale = call(.callSent, .sale, "s-1")
        sale.report.at = sentAt.after(ahead)
        sale.report.overBy = sentAt.after(ahead + 95)
        var answer = call(.callAnswered, .find, "f-1")
        answer.report.about = "s-1"
        answer.report.verdict = .notPosted
        let resolution = Resolution(
            outcome: .notPosted,
            means: .find,
            evidence: .gateway,
            answeredAt: sentAt.after(query.at + 1 + ahead)
        )
        let facts = [
            fact(1, 0, .saleRequested(request)), fact(1, 0, .gateway(sale)),
            fact(2, 1, .gateway(call(.callTimedOut, .sale, "s-1"))), fact(3, 1, .outcomeUnknown(verdict("20002"))),
            fact(4, query.at, .gateway(call(.callSent, .find, "f-1"))),
            // The answer comes much later than the query was sent.
            fact(5, query.at + 60, .gateway(answer)), fact(6, query.at + 60, .outcomeResolved(resolution)),
        ]
        let evidence = PaymentEvidence(folding: facts)
        #expect(evidence.attempts.map(\.at) == [sentAt])
        #expect(evidence.resolutions.map(\.at) == [sentAt.after(query.at), sentAt.after(query.at)])
        let ruling = classify(evidence, at: sentAt.after(2 * day), book: try standardBook())
        #expect((ruling.disposition == .resubmit) == query.isProof, "\(ruling)")
    }

    /// A request without an answer may have been sent.
    @Test func aRequestWithoutAnAnswer() throws {
        let evidence = PaymentEvidence(folding: facts([document(.handpoint), .saleRequested(request)]))
        let ruling = classify(evidence, at: sentAt.after(2), book: try standardBook())
        #expect(ruling.disposition == .waitUntil(sentAt.after(6)))
        let unknowable = PaymentEvidence(folding: facts([document(.paydiant), .saleRequested(request)]))
        #expect(classify(unknowable, at: sentAt.after(2), book: try standardBook()).disposition == .needsPerson)
    }

    @Test func aHostApprovalAndATerminalFailure() throws {
        let approval = Approval(
            amounts: Amounts(total: Money(1000, .usd)),
            evidence: .gateway,
            response: Response(code: "00"),
            references: References()
        )
        let history: [TransactionEvent] = [document(.youtransactor), .saleRequested(request)]
        let reported = Lifecycle.decide(
            [.authorizationApproved(approval), .failed(verdict("error", .reader))],
            after: history,
            policy: LifecyclePolicy(terminalCompletes: true)
        )
        var evidence = PaymentEvidence(folding: facts(history + reported))
        #expect(evidence.balance.isReversalDue && evidence.wanted.operation == .reversal)
        let book = try standardBook()
        #expect(classify(evidence, at: sentAt.after(60), book: book).disposition == .resubmit)
        evidence.wanted.operation = .sale
        let sale = classify(evidence, at: sentAt.after(60), book: book)
        #expect(sale.disposition == .needsPerson && sale.instead == .reversal)
    }

    @Test func aFollowUpInDoubt() throws {
        let approval = Approval(
            amounts: Amounts(total: Money(1000, .usd)),
            evidence: .gateway,
            response: Response(code: "A01"),
            references: References()
        )
        let events: [TransactionEvent] = [
            document(.bridgepay), .authorizationRequested(request), .authorizationApproved(approval),
            .anomalyRaised(.followUpInDoubt(.capture)),
        ]
        let evidence = PaymentEvidence(folding: facts(events), wanted: ReplayRequest(.capture))
        #expect(evidence.doubts.map(\.position) == [103] && evidence.balance.approvedAt == sentAt.after(2))
        let book = try standardBook()
        #expect(classify(evidence, at: sentAt.after(60), book: book).disposition == .waitUntil(sentAt.after(60)))
        let payment = PaymentEvidence(folding: facts(events))
        #expect(classify(payment, at: sentAt.after(60), book: book).disposition == .alreadyPosted)
    }

    @Test func nothingAtAll() throws {
        let evidence = PaymentEvidence(folding: [])
        #expect(classify(evidence, at: sentAt, book: try standardBook()).disposition == .needsPerson)
    }

    @Test(
        arguments: [
            ("VISA CREDIT", CardScheme.visa), ("MC", .mastercard), ("Master Card", .mastercard),
            ("MASTERCARD", .mastercard),
            ("AMEX", .amex), ("American Express", .amex), ("Discover", .discover), ("DINERS CLUB", .diners),
            ("JCB", .jcb),
            ("Girocard", nil), ("", nil),
        ] as [(String, CardScheme?)]
    )
    func schemes(brand: String, scheme: CardScheme?) {
        #expect(CardScheme(brand: brand) == scheme)
    }
}
