import Canonical
import Payments
import ReplayRules
import Testing

/// The rulings on reversals.
@Suite struct ReversalTests {
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
