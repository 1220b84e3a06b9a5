import Canonical
import Payments
import ReplayRules
import Testing

/// Windows, waits, caps and deadlines.
@Suite struct LimitTests {
    private static let seconds: [(String, Int64)] = [
        ("window.duplicate.braintree", 30), ("window.duplicate.authorize-net", 120), ("window.duplicate.helcim", 300),
        ("window.duplicate.clover", 3600), ("window.duplicate.fluidpay", 300), ("window.duplicate.cielo", 24 * 3600),
        ("window.duplicate", 24 * 3600), ("wait.unposted.handpoint", 90), ("wait.unposted", 90), ("wait.in-flight", 30),
        ("wait.silence", 180),
        ("wait.retry-later", day), ("wait.retry", 3600), ("cap.period", 30 * day),
        ("deadline.reversal.card-present", 24 * 3600), ("deadline.reversal.card-not-present", 72 * 3600),
        ("deadline.reversal", 24 * 3600), ("window.authorization.visa", 5 * day),
        ("window.authorization.visa.card-present", 5 * day), ("window.authorization.visa.merchant-initiated", 5 * day),
        ("window.authorization.visa.card-not-present", 7 * day), ("window.authorization.visa.travel", 30 * day),
        ("window.authorization.mastercard", 7 * day), ("window.authorization.amex", 7 * day),
        ("window.authorization.discover", 10 * day), ("window.authorization.diners", 7 * day),
        ("window.authorization.jcb", 365 * day), ("window.authorization.bridgepay", 7 * day),
        ("window.authorization", 5 * day), ("window.tip.handpoint", day), ("window.tip", day),
        ("window.void.handpoint", day), ("window.void", day), ("window.refund", 120 * day),
    ]
    private static let others: [(String, Int64)] = [
        ("cap.attempts.visa", 15), ("cap.attempts", 15), ("cap.after-enquiry", 1), ("capture.once", 0),
        ("capture.once.handpoint", 1), ("capture.once.bridgepay", 1), ("capture.tolerance", 0), ("void.once", 0),
        ("void.once.bridgepay", 1), ("lookup", 0), ("lookup.bridgepay", 1), ("lookup.handpoint", 1),
        ("lookup.dejavoo", 1),
    ]
    private static let lists: [(String, [Int64])] = [
        ("query.intervals", [5, 15, 30, 60, 120, 300, 900, 3600, 14_400, 43_200, 86_400]),
        ("reversal.intervals", [30, 60, 120, 300, 900, 3600]),
        ("reversal.late-intervals", [3600, 14_400, 43_200, 86_400]),
    ]

    @Test func everyLimit() throws {
        let book = try standardBook()
        let limits = book.rules.filter { $0.record.space == "limit" }
        for (id, value) in Self.seconds {
            let rule = limits.first { $0.id == id }
            #expect(rule?.number == value && rule?.record.unit == .seconds, "\(id)")
        }
        for (id, value) in Self.others { #expect(limits.first { $0.id == id }?.number == value, "\(id)") }
        for (id, value) in Self.lists { #expect(limits.first { $0.id == id }?.list == value, "\(id)") }
        #expect(limits.count == Self.seconds.count + Self.others.count + Self.lists.count)
    }

    /// The gateway's duplicate window must pass before the same card is charged again.
    @Test(arguments: [
        ("braintree", Int64(30)), ("authorize-net", 120), ("helcim", 300), ("fluidpay", 300), ("clover", 3600),
        ("cielo", 86_400), ("another", 86_400),
    ])
    func duplicateWindows(gateway: String, seconds: Int64) throws {
        var evidence = declinedSale(answer: "91")
        evidence.gateway = gateway
        let book = try standardBook(["wait.retry=0"])
        let inside = classify(evidence, at: sentAt.after(seconds - 1), book: book)
        #expect(inside.disposition == .waitUntil(sentAt.after(seconds)))
        #expect(inside.rule.hasPrefix("window.duplicate"))
        #expect(classify(evidence, at: sentAt.after(seconds), book: book).disposition == .resubmit)
    }

    /// A sixteenth attempt within thirty days must wait. Attempts of other payments with the card count; attempts that
    /// were never sent do not.
    @Test(arguments: [CardScheme.visa, .mastercard, nil]) func attemptsAreCapped(scheme: CardScheme?) throws {
        var evidence = declinedSale(answer: "51", scheme: scheme)
        for number in 1...14 {
            evidence.attempts.append(
                AttemptEvidence(
                    position: Int64(100 + number),
                    at: sentAt.after(-Int64(number) * day),
                    operation: .sale,
                    isThisPayment: false
                )
            )
        }
        let book = try standardBook()
        let now = sentAt.after(3 * day)
        let ruling = classify(evidence, at: now, book: book)
        // The oldest attempt was 14 days before.
        #expect(ruling.disposition == .waitUntil(sentAt.after(16 * day)))
        #expect(ruling.rule == (scheme == .visa ? "cap.attempts.visa" : "cap.attempts"))
        #expect(classify(evidence, at: sentAt.after(16 * day), book: book).disposition == .resubmit)
        evidence.attempts[1].isSent = false
        #expect(classify(evidence, at: now, book: book).disposition == .resubmit)
    }

    /// An attempt that was certainly never sent is in no duplicate window and may be sent immediately.
    @Test func anAttemptThatWasNeverSentMayBeResubmitted() throws {
        let attempts = [AttemptEvidence(position: 1, at: sentAt, operation: .sale, isSent: false)]
        for status in [TransactionStatus.requested, .failed] {
            var evidence = PaymentEvidence(
                wanted: ReplayRequest(.sale),
                vendor: .bridgepay,
                balance: PaymentBalance(status: status),
                attempts: attempts
            )
            let book = try standardBook()
            let ruling = classify(evidence, at: sentAt.after(1), book: book)
            #expect(ruling == Ruling(.resubmit, rule: "attempt.not-sent", evidence: [1]))
            evidence.attempts[0].isSent = true
            let sent = classify(evidence, at: sentAt.after(1), book: book)
            #expect(sent.disposition == .waitUntil(sentAt.after(5)) && sent.rule == "query.intervals")
        }
    }

    /// A gateway's "not posted" counts only if the gateway was queried late enough.
    @Test(arguments: [Vendor.handpoint, .bridgepay]) func notPostedIsProvenOnlyAfterAWait(vendor: Vendor) throws {
        var evidence = declinedSale(vendor: vendor, outcome: .unknown, status: .notPosted)
        let book = try standardBook()
        func found(_ seconds: Int64) -> Ruling {
            evidence.resolutions = [
                ResolutionEvidence(position: 9, at: sentAt.after(seconds), outcome: .notPosted, means: .statusQuery)
            ]
            return classify(evidence, at: sentAt.after(200), book: book)
        }
        #expect(found(89).disposition.name == .waitUntil)
        #expect(found(90) == Ruling(.resubmit, rule: "resolution.not-posted", evidence: [9]))
    }

    @Test func whatTheGatewayItselfLeftUnknownIsProvenByNoTill() throws {
        var evidence = declinedSale(vendor: .bridgepay, outcome: .unknown, status: .notPosted)
        let book = try standardBook()
        func found(by source: Payments.Evidence, after answer: Payments.Evidence) -> Disposition {
            evidence.answers[0].by = answer
            evidence.resolutions = [
                ResolutionEvidence(
                    position: 9,
                    at: sentAt.after(100),
                    outcome: .notPosted,
                    means: .statusQuery,
                    by: source
                )
            ]
            return classify(evidence, at: sentAt.after(200), book: book).disposition
        }
        #expect(found(by: .gateway, after: .gateway) == .resubmit)
        #expect(found(by: .relayed, after: .relayed) == .resubmit)
        #expect(found(by: .relayed, after: .gateway) != .resubmit)
    }
}
