import Canonical
import DaybookTestKit
import Payments
import ReplayRules

/// Random evidence, likely and unlikely.
struct RandomEvidence {
    var random: SeededGenerator
    private let codes: [AnswerCode]
    private let answerCodes: [String]

    init(random: SeededGenerator, book: RuleBook) {
        self.random = random
        codes = book.rules.filter { $0.record.space.contains(".") && $0.record.space != "mastercard.advice" }
            .compactMap { rule in
                let (space, restIsIssuers) = (rule.record.space, rule.record.space.hasSuffix(".host"))
                return rule.record.code.map { AnswerCode(space, $0, restIsIssuers: restIsIssuers) }
            }
        answerCodes = book.rules.filter { $0.record.space == "iso" }.compactMap(\.record.code) + ["ZZ", ""]
    }

    private mutating func flip(_ chances: Int = 2) -> Bool { Int.random(in: 0..<chances, using: &random) == 0 }

    private mutating func time() -> Timestamp { sentAt.after(Int64.random(in: 0...(40 * day), using: &random)) }

    private mutating func one<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    mutating func now() -> Timestamp { sentAt.after(Int64.random(in: 0...(80 * day), using: &random)) }

    mutating func next() -> PaymentEvidence { flip() ? denied() : anything() }

    /// A failed payment, the most frequent case, with one or two further facts.
    private mutating func denied() -> PaymentEvidence {
        let operation = one([ReplayOperation.sale, .authorization, .credit])
        var evidence = PaymentEvidence(
            wanted: ReplayRequest(operation, amount: Money(500, .usd)),
            vendor: one(Vendor.allCases),
            scheme: one(CardScheme.allCases),
            balance: PaymentBalance(
                status: one([.declined, .declined, .failed, .notPosted, .requested]),
                currency: .usd
            ),
            attempts: [AttemptEvidence(position: 1, at: sentAt, operation: operation, isSent: !flip(8))]
        )
        for position in 2...3 where flip() {
            var reported = answer(Int64(position), operation)
            if flip() { reported.codes = [] }
            if !flip(6) { reported.operation = operation }
            if !flip(6) { reported.outcome = .declined }
            evidence.answers.append(reported)
        }
        if evidence.balance.status == .notPosted || flip(6) {
            let outcome: Resolution.Outcome = flip(6) ? .approved : .notPosted
            let at = sentAt.after(Int64.random(in: 0...300, using: &random))
            evidence.resolutions = [ResolutionEvidence(position: 9, at: at, outcome: outcome, means: .find)]
        }
        if flip(10) {
            evidence.doubts = [Doubt(operation: nil, position: 10, sentAt: sentAt, vendor: evidence.vendor)]
        }
        return evidence
    }

    private mutating func anything() -> PaymentEvidence {
        let operation = one(ReplayOperation.allCases)
        // More likely a status that leaves something to decide.
        let status = flip() ? one([.declined, .failed, .notPosted, .requested]) : one(TransactionStatus.allCases)
        var balance = PaymentBalance(status: status, currency: flip(8) ? nil : .usd)
        let isDenied = [.declined, .failed, .notPosted, .requested, .cancelled].contains(status)
        balance.authorized = flip(isDenied ? 8 : 2) ? 1000 : 0
        balance.captured = flip(isDenied ? 8 : 2) ? Int64.random(in: 0...1000, using: &random) : 0
        balance.refunded = flip(isDenied ? 8 : 4) ? 200 : 0
        balance.hasOpenCapture = balance.captured > 0 && flip()
        balance.hasSettledCapture = balance.captured > 0 && flip()
        balance.tip = flip() ? 100 : nil
        balance.isReversalDue = flip(20)
        balance.isVoided = flip(20)
        balance.isExpired = flip(20)
        balance.approvedAt = flip() ? time() : nil
        balance.capturedAt = flip() ? time() : nil
        if flip(10) { balance.contradictions = [.conflictingOutcome] }
        var evidence = PaymentEvidence(
            wanted: ReplayRequest(
                operation,
                amount: flip(4) ? nil : Money(500, .usd),
                tip: flip() ? Money(1, .usd) : nil
            ),
            vendor: flip(6) ? nil : one(Vendor.allCases),
            gateway: flip() ? "helcim" : nil,
            scheme: flip(4) ? nil : one(CardScheme.allCases),
            use: flip(4) ? nil : one(CardUse.allCases),
            balance: balance
        )
        var position: Int64 = 0
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            position += 1
            evidence.attempts.append(
                AttemptEvidence(
                    position: position,
                    at: time(),
                    operation: flip(4) ? one(ReplayOperation.allCases) : operation,
                    isSent: !flip(4),
                    isThisPayment: !flip(4)
                )
            )
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            position += 1
            evidence.answers.append(answer(position, operation))
        }
        for _ in 0..<(flip(3) ? 2 : 0) {
            position += 1
            let outcomes: [Resolution.Outcome] = [.approved, .partiallyApproved, .declined, .notPosted, .reversed]
            let means: [Resolution.Means] = [.statusQuery, .find, .recoveredResult, .settlementLine]
            evidence.resolutions.append(
                ResolutionEvidence(position: position, at: time(), outcome: one(outcomes), means: one(means))
            )
        }
        for _ in 0..<(flip(5) ? 2 : 0) {
            position += 1
            let asked = (0..<Int.random(in: 0...3, using: &random)).map { index in
                QueryEvidence(position: Int64(index), at: time(), answer: one(QueryEvidence.Answer.allCases))
            }
            evidence.doubts.append(
                Doubt(
                    operation: flip() ? operation : nil,
                    position: position,
                    sentAt: time(),
                    vendor: evidence.vendor,
                    queries: asked
                )
            )
        }
        return evidence
    }

    private mutating func answer(_ position: Int64, _ operation: ReplayOperation) -> AnswerEvidence {
        let likely: [Outcome] = [.declined, .declined, .failed, .unknown]
        return AnswerEvidence(
            position: position,
            at: time(),
            operation: flip(5) ? one(ReplayOperation.allCases) : operation,
            by: one(Evidence.allCases),
            outcome: flip(6) ? one(Outcome.allCases) : one(likely),
            codes: flip(3) ? [one(codes)] : [],
            answer: flip(3) ? nil : one(answerCodes),
            advice: flip(6) ? one(["02", "03", "24", "30", "40", "98"]) : nil,
            message: flip(4) ? one(["NO REPLY", "INVALID YEAR", "DECLINED"]) : nil
        )
    }
}
