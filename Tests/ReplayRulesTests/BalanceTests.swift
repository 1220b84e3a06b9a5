import Canonical
import Payments
import ReplayRules
import Testing

/// The rulings on a payment and its follow-ups by the payment's status.
@Suite struct BalanceTests {
    private static let byStatus: [(TransactionStatus, Disposition.Name, String)] = [
        (.partiallyApproved, .alreadyPosted, "status.posted"), (.authorized, .alreadyPosted, "status.posted"),
        (.partiallyCaptured, .alreadyPosted, "status.posted"), (.captured, .alreadyPosted, "status.posted"),
        (.credited, .alreadyPosted, "status.posted"), (.completed, .alreadyPosted, "status.posted"),
        (.verified, .alreadyPosted, "status.posted"),
        (.settled, .alreadyPosted, "status.posted"), (.funded, .alreadyPosted, "status.posted"),
        (.partiallyRefunded, .alreadyPosted, "status.posted"), (.refunded, .alreadyPosted, "status.posted"),
        (.chargedBack, .alreadyPosted, "status.posted"),
        (.settlementRejected, .needsPerson, "status.settlement-rejected"), (.voided, .never, "status.voided"),
        (.cancelled, .never, "status.cancelled"), (.reversed, .needsPerson, "status.reversed"),
        (.expired, .needsPerson, "status.expired"), (.inDoubt, .needsPerson, "default"),
        (.declined, .resubmit, "iso.05"), (.failed, .resubmit, "iso.05"), (.requested, .resubmit, "iso.05"),
        (.notPosted, .needsPerson, "default"),
    ]

    /// A payment whose last answer was a decline that allows a resubmission.
    @Test func everyStatus() throws {
        #expect(Set(Self.byStatus.map(\.0)) == Set(TransactionStatus.allCases))
        let book = try standardBook()
        for (status, name, rule) in Self.byStatus {
            let evidence = declinedSale(answer: "05", vendor: .paydiant, status: status)
            let ruling = classify(evidence, at: sentAt.after(2 * day), book: book)
            #expect(ruling.disposition.name == name && ruling.rule == rule, "\(status): \(ruling)")
        }
    }

    @Test func aTestPaymentIsNeverResubmitted() throws {
        let book = try standardBook()
        for wanted in [ReplayRequest(.sale), ReplayRequest(.reversal), ReplayRequest(.void)] {
            var evidence = declinedSale(answer: "05")
            evidence.balance.isTest = true
            evidence.wanted = wanted
            let ruling = classify(evidence, at: sentAt.after(2 * day), book: book)
            #expect(ruling.disposition == .never && ruling.rule == "payment.test")
        }
    }

    @Test func contradictingFactsNeedReview() throws {
        let book = try standardBook()
        let now = sentAt.after(2 * day)
        var evidence = declinedSale(answer: "05")
        evidence.balance.contradictions = [.conflictingOutcome]
        #expect(classify(evidence, at: now, book: book).rule == "facts.contradict")
        evidence = declinedSale(answer: "05")
        var approval = evidence.answers[0]
        approval.position = 3
        approval.outcome = .approved
        approval.by = .reader
        evidence.answers.append(approval)
        #expect(
            classify(evidence, at: now, book: book)
                == Ruling(.needsPerson, rule: "facts.approval-reported", evidence: [3])
        )
        evidence = declinedSale(answer: "05")
        evidence.resolutions = [ResolutionEvidence(position: 7, at: now, outcome: .approved, means: .find)]
        #expect(classify(evidence, at: now, book: book).rule == "facts.approval-reported")
    }

    /// The host approved, and the terminal did not execute the payment: it is reversed and not charged again.
    @Test func anApprovalTheTerminalDidNotCompleteIsReversed() throws {
        let book = try standardBook()
        var evidence = declinedSale(vendor: .youtransactor, status: .authorized)
        evidence.balance.isReversalDue = true
        evidence.balance.approvedAt = sentAt
        let payment = classify(evidence, at: sentAt.after(60), book: book)
        #expect(payment.disposition == .needsPerson && payment.instead == .reversal)
        evidence.wanted = ReplayRequest(.reversal)
        #expect(classify(evidence, at: sentAt.after(60), book: book).disposition == .resubmit)
        evidence.wanted = ReplayRequest(.capture)
        #expect(classify(evidence, at: sentAt.after(60), book: book).instead == .reversal)
    }

    /// A final code counts permanently; a code that needs other data counts only until the next attempt.
    @Test func earlierAttempts() throws {
        let book = try standardBook()
        func again(_ first: String, _ second: String) -> Ruling {
            var evidence = declinedSale(answer: first)
            evidence.attempts.append(AttemptEvidence(position: 10, at: sentAt.after(day), operation: .sale))
            var answer = evidence.answers[0]
            answer.position = 11
            answer.at = sentAt.after(day + 1)
            answer.answer = second
            evidence.answers.append(answer)
            return classify(evidence, at: sentAt.after(4 * day), book: book)
        }
        #expect(again("04", "05").rule == "iso.04")
        #expect(again("54", "05").disposition == .resubmit)
        #expect(again("05", "54").rule == "iso.54")
        #expect(again("05", "43").disposition == .never)
    }

    /// A late answer may be about an earlier attempt: an attempt with a reference is ended only by that reference.
    @Test func anAnswerIsAboutTheAttemptItNames() throws {
        let book = try standardBook()
        let now = sentAt.after(2 * day)
        var evidence = declinedSale(answer: "05")
        evidence.attempts[0].reference = "first"
        evidence.attempts.append(
            AttemptEvidence(position: 5, at: sentAt.after(60), operation: .sale, reference: "second")
        )
        evidence.answers[0].position = 6
        evidence.answers[0].at = sentAt.after(61)
        evidence.answers[0].reference = "first"
        let open = classify(evidence, at: now, book: book)
        #expect(open.disposition == .waitUntil(now) && open.evidence == [5])
        var second = evidence.answers[0]
        second.position = 7
        second.reference = "second"
        evidence.answers.append(second)
        #expect(classify(evidence, at: now, book: book).disposition == .resubmit)
        evidence.answers.removeLast()
        evidence.resolutions = [
            ResolutionEvidence(
                position: 8,
                at: sentAt.after(300),
                outcome: .notPosted,
                means: .find,
                reference: "second"
            )
        ]
        #expect(classify(evidence, at: now, book: book).disposition == .resubmit)
        evidence.resolutions[0].reference = "first"
        #expect(classify(evidence, at: now, book: book).disposition == .waitUntil(now))
    }

    @Test func aFoundDeclineHasNoReason() throws {
        var evidence = declinedSale(codes: [AnswerCode("bridgepay.result", "20002")], outcome: .unknown)
        evidence.resolutions = [
            ResolutionEvidence(position: 9, at: sentAt.after(100), outcome: .declined, means: .find)
        ]
        let ruling = classify(evidence, at: sentAt.after(2 * day), book: try standardBook())
        #expect(ruling.disposition == .needsPerson && ruling.rule == "resolution.declined")
    }
}

/// The rulings on captures, tips, voids, refunds and reversals.
@Suite struct FollowUpTests {
    private let soon = sentAt.after(2 * 3600)

    private func authorized(_ answer: String? = "91", amount: Int64? = nil, vendor: Vendor = .handpoint)
        -> PaymentEvidence
    {
        var evidence = capturedSale(
            wanting: ReplayRequest(.capture, amount: amount.map { Money($0, .usd) }),
            answer: answer,
            vendor: vendor
        )
        evidence.balance = PaymentBalance(
            status: .authorized,
            operation: .authorization,
            currency: .usd,
            authorized: 1000,
            approvedAt: sentAt
        )
        return evidence
    }

    @Test func aFailedCaptureIsResubmitted() throws {
        let ruling = classify(authorized(), at: soon, book: try standardBook())
        #expect(ruling.disposition == .resubmit && ruling.rule == "iso.91")
        #expect(classify(authorized("04"), at: soon, book: try standardBook()).disposition == .never)
    }

    @Test(
        arguments: [
            (CardScheme.visa, CardUse.cardPresent, Int64(5)), (.visa, .cardNotPresent, 7), (.visa, .travel, 30),
            (.visa, .merchantInitiated, 5), (.visa, nil, 5), (.mastercard, nil, 7), (.amex, nil, 7),
            (.discover, nil, 10),
            (.diners, nil, 7), (.jcb, nil, 365), (nil, nil, 5),
        ] as [(CardScheme?, CardUse?, Int64)]
    )
    func anExpiredAuthorisationIsNeverCaptured(scheme: CardScheme?, use: CardUse?, days: Int64) throws {
        var evidence = authorized()
        evidence.scheme = scheme
        evidence.use = use
        let book = try standardBook()
        #expect(classify(evidence, at: sentAt.after(days * day - 1), book: book).disposition == .resubmit)
        let past = classify(evidence, at: sentAt.after(days * day), book: book)
        #expect(past.disposition == .never && past.rule.hasPrefix("window.authorization"), "\(past)")
        evidence.balance.isExpired = true
        #expect(classify(evidence, at: soon, book: book).rule == "capture.expired")
    }

    /// The gateway's window counts if it is the shorter one.
    @Test func theGatewaysWindowCounts() throws {
        var evidence = authorized(vendor: .bridgepay)
        evidence.scheme = .jcb
        let ruling = classify(evidence, at: sentAt.after(7 * day), book: try standardBook())
        #expect(ruling.rule == "window.authorization.bridgepay")
    }

    @Test func aCapturedPaymentIsNotCapturedAgain() throws {
        let book = try standardBook()
        for vendor in [Vendor.handpoint, .bridgepay] {
            let evidence = capturedSale(wanting: ReplayRequest(.capture, amount: Money(100, .usd)), vendor: vendor)
            let ruling = classify(evidence, at: soon, book: book)
            #expect(ruling.disposition == .alreadyPosted && ruling.rule == "capture.once.\(vendor.rawValue)")
        }
        var several = authorized(amount: 600, vendor: .dejavoo)
        several.balance.captured = 400
        several.balance.hasOpenCapture = true
        #expect(classify(several, at: soon, book: book).disposition == .resubmit)
        several.wanted.amount = Money(601, .usd)
        #expect(classify(several, at: soon, book: book).rule == "capture.exceeds")
        several.balance.captured = 1000
        #expect(classify(several, at: soon, book: book).disposition == .alreadyPosted)
    }

    @Test(arguments: [
        (Int64(1000), false, Disposition.Name.resubmit), (1001, false, .never), (1200, true, .resubmit),
        (1201, true, .never),
    ])
    func aCaptureStaysWithinTheAuthorisation(amount: Int64, isTolerant: Bool, expected: Disposition.Name) throws {
        let book = try standardBook(isTolerant ? ["capture.tolerance=2000"] : [])
        #expect(classify(authorized(amount: amount), at: soon, book: book).disposition.name == expected)
        var partial = authorized(amount: 1001)
        partial.balance.isPartial = true
        #expect(classify(partial, at: soon, book: book).disposition == .never)
    }

    @Test func anUnapprovedPaymentHasNoFollowUps() throws {
        let book = try standardBook()
        for status in [TransactionStatus.declined, .failed, .notPosted, .cancelled, .voided, .reversed] {
            for operation in [ReplayOperation.capture, .tipAdjustment, .refund] {
                var evidence = authorized()
                evidence.wanted.operation = operation
                evidence.balance = PaymentBalance(status: status, currency: .usd)
                #expect(classify(evidence, at: soon, book: book).disposition == .never, "\(status) \(operation)")
            }
        }
    }

    @Test func anotherCurrencyNeedsReview() throws {
        var evidence = authorized(amount: 100)
        evidence.wanted.amount = Money(100, .eur)
        #expect(classify(evidence, at: soon, book: try standardBook()).disposition == .needsPerson)
    }

    @Test func tips() throws {
        let book = try standardBook()
        let tip = ReplayRequest(.tipAdjustment, tip: Money(200, .usd))
        #expect(classify(capturedSale(wanting: tip), at: soon, book: book).disposition == .resubmit)
        let settled = classify(capturedSale(wanting: tip, isSettled: true), at: soon, book: book)
        #expect(settled.disposition == .never && settled.rule == "tip.settled")
        let same = ReplayRequest(.tipAdjustment, tip: Money(100, .usd))
        #expect(classify(capturedSale(wanting: same), at: soon, book: book).disposition == .alreadyPosted)
        let late = classify(capturedSale(wanting: tip), at: sentAt.after(day), book: book)
        #expect(late.disposition == .needsPerson && late.rule == "window.tip.handpoint")
    }

    @Test func voids() throws {
        let book = try standardBook()
        let void = ReplayRequest(.void)
        #expect(classify(capturedSale(wanting: void), at: soon, book: book).disposition == .resubmit)
        let settled = classify(capturedSale(wanting: void, isSettled: true), at: soon, book: book)
        #expect(settled.disposition == .never && settled.instead == .refund)
        let late = classify(capturedSale(wanting: void), at: sentAt.after(day), book: book)
        #expect(late.disposition == .needsPerson && late.rule == "window.void.handpoint")
        var voided = capturedSale(wanting: void)
        voided.balance.isVoided = true
        voided.balance.status = .voided
        #expect(classify(voided, at: soon, book: book).disposition == .alreadyPosted)
        var part = capturedSale(wanting: void, vendor: .bridgepay)
        part.balance.voids = 1
        #expect(classify(part, at: soon, book: book).rule == "void.once.bridgepay")
        var already = capturedSale(wanting: void, answer: nil, vendor: .bridgepay)
        already.answers[0].codes = [AnswerCode("bridgepay.result", "10042")]
        #expect(classify(already, at: soon, book: book).disposition == .alreadyPosted)
    }

    @Test func refundsAreLimitedToTheRemainingAmount() throws {
        let book = try standardBook()
        func refund(_ amount: Int64?, refunded: Int64 = 0, isSettled: Bool = true) -> PaymentEvidence {
            let request = ReplayRequest(.refund, amount: amount.map { Money($0, .usd) })
            var evidence = capturedSale(wanting: request, isSettled: isSettled)
            evidence.balance.refunded = refunded
            return evidence
        }
        #expect(classify(refund(600, refunded: 400), at: soon, book: book).disposition == .resubmit)
        #expect(classify(refund(601, refunded: 400), at: soon, book: book).rule == "refund.exceeds")
        #expect(classify(refund(nil, refunded: 1000), at: soon, book: book).disposition == .alreadyPosted)
        let unsettled = classify(refund(100, isSettled: false), at: soon, book: book)
        #expect(unsettled.disposition == .needsPerson && unsettled.instead == .void)
        let late = classify(refund(100), at: sentAt.after(120 * day), book: book)
        #expect(late.disposition == .needsPerson && late.rule == "window.refund")
        var disputed = refund(100)
        disputed.balance.chargedBack = 1
        #expect(classify(disputed, at: soon, book: book).rule == "refund.disputed")
        var only = authorized()
        only.wanted = ReplayRequest(.refund)
        let authorisedOnly = classify(only, at: soon, book: book)
        #expect(authorisedOnly.disposition == .never && authorisedOnly.instead == .void)
    }

    @Test func aFollowUpThatWasNeverRequestedIsNotResubmitted() throws {
        var evidence = capturedSale(wanting: ReplayRequest(.void))
        evidence.attempts.removeLast()
        evidence.answers = []
        #expect(classify(evidence, at: soon, book: try standardBook()).rule == "follow-up.not-requested")
    }

    /// An unanswered follow-up is in doubt; only a reversal is repeated in that case.
    @Test func anUnansweredCallIsInDoubt() throws {
        let book = try standardBook()
        for operation in [ReplayOperation.void, .refund, .capture, .tipAdjustment] {
            var evidence = operation == .capture ? authorized() : capturedSale(wanting: ReplayRequest(operation))
            if operation == .refund { evidence.balance.hasSettledCapture = true }
            if operation == .refund { evidence.balance.hasOpenCapture = false }
            evidence.wanted.tip = Money(200, .usd)
            evidence.answers = []
            let ruling = classify(evidence, at: soon, book: book)
            #expect(ruling.disposition == .waitUntil(soon), "\(operation): \(ruling)")
        }
    }

    @Test func aReversalIsRepeatedUntilItIsAcknowledged() throws {
        let book = try standardBook()
        var evidence = authorized()
        evidence.wanted = ReplayRequest(.reversal)
        evidence.answers = []
        evidence.attempts = [AttemptEvidence(position: 4, at: sentAt, operation: .reversal)]
        #expect(classify(evidence, at: sentAt.after(29), book: book).disposition == .waitUntil(sentAt.after(30)))
        let again = classify(evidence, at: sentAt.after(30), book: book)
        #expect(again.disposition == .resubmit && again.rule == "reversal.repeated" && !again.isShown)
        evidence.attempts.append(AttemptEvidence(position: 5, at: sentAt.after(30), operation: .reversal))
        #expect(classify(evidence, at: sentAt.after(89), book: book).disposition == .waitUntil(sentAt.after(90)))
        // It is repeated without end; after the deadline an operator sees it.
        let overdue = classify(evidence, at: sentAt.after(day), book: book)
        #expect(overdue.disposition == .resubmit && overdue.rule == "deadline.reversal" && overdue.isShown)
        evidence.use = .cardNotPresent
        #expect(classify(evidence, at: sentAt.after(3 * day - 1), book: book).rule == "reversal.repeated")
        #expect(classify(evidence, at: sentAt.after(3 * day), book: book).rule == "deadline.reversal.card-not-present")
    }

    @Test(arguments: [
        ("79", Disposition.alreadyPosted), ("80", .alreadyPosted), ("21", .alreadyPosted), ("25", .needsPerson),
        ("05", .needsPerson),
    ])
    func answersToReversals(code: String, expected: Disposition) throws {
        var evidence = authorized(code)
        evidence.wanted = ReplayRequest(.reversal)
        evidence.answers[0].operation = .reversal
        evidence.attempts[1].operation = .reversal
        #expect(classify(evidence, at: soon, book: try standardBook()).disposition == expected)
    }

    @Test func aSettledPaymentIsNotReversed() throws {
        let evidence = capturedSale(wanting: ReplayRequest(.reversal), isSettled: true)
        let ruling = classify(evidence, at: soon, book: try standardBook())
        #expect(ruling.disposition == .never && ruling.instead == .refund)
    }
}
