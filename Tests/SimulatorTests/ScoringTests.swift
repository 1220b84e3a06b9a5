import Canonical
import Payments
import Testing

@testable import Simulator

@Suite struct ScoringTests {
    private let truth: TruthFile

    init() throws {
        truth = try Played(transactions: 600, faults: FaultProfile(all: 50_000)).truth
    }

    /// A ledger that knows everything it was told.
    private func answers() -> [LedgerPayment] {
        truth.payments.enumerated().map { index, truth in
            LedgerPayment(truth, id: "payment-\(index)")
        }
    }

    private func score(_ payments: [LedgerPayment], batches change: (inout LedgerBatch) -> Void = { _ in }) -> Score {
        var scorer = Scorer(truth)
        for payment in payments { scorer.add(payment) }
        for batch in truth.batches {
            var answer = LedgerBatch(batch)
            change(&answer)
            let members = zip(truth.payments, payments).filter { $0.0.batch == batch.batch && !$0.1.isUndecided }
            scorer.add(answer, members: members.map(\.1.id))
        }
        return scorer.score()
    }

    private func index(_ holds: (PaymentTruth) -> Bool) throws -> Int {
        let index = truth.payments.firstIndex(where: holds)
        return try #require(index)
    }

    @Test func aLedgerThatKnowsTheTruthIsClean() {
        let score = score(answers())
        #expect(score.isClean, "\(score.mismatches.prefix(3))")
        #expect(score.measures.allSatisfy { $0.measure.precision == 10_000 && $0.measure.recall == 10_000 })
        #expect(score.inDoubt.actual > 5)
        #expect(score.payments == 600)
    }

    @Test func aWrongStatusIsFound() throws {
        var payments = answers()
        let index = try index { $0.status == .declined && $0.evidence == .complete }
        payments[index].status = "captured"
        let score = score(payments)
        #expect(score.mismatches.map(\.matter) == [.status])
        #expect(score.mismatches[0].subject == truth.payments[index].reference)
        #expect(score.statuses.precision < 10_000 && score.statuses.recall < 10_000)
        #expect(score.amounts.precision == 10_000)
    }

    @Test(arguments: ["captured", "tip", "refunded", "credited", "authorized"])
    func aWrongCentIsFound(amount: String) throws {
        var payments = answers()
        let index = try index { $0.captured > 0 && $0.evidence == .complete }
        switch amount {
        case "captured": payments[index].captured += 1
        case "tip": payments[index].tip += 1
        case "refunded": payments[index].refunded += 1
        case "credited": payments[index].credited += 1
        default: payments[index].authorized += 1
        }
        let score = score(payments)
        #expect(score.mismatches.map(\.matter) == [.amount])
        #expect(score.amounts.recall < 10_000)
    }

    @Test func aDoubtWithoutReasonIsFound() throws {
        var payments = answers()
        payments[try index { $0.captured > 0 && $0.evidence == .complete }].isInDoubt = true
        let score = score(payments)
        #expect(score.mismatches.map(\.matter) == [.inDoubt])
        #expect(score.inDoubt.precision < 10_000 && score.inDoubt.recall == 10_000)
    }

    @Test func aGuessThatIsWrongIsFound() throws {
        var payments = answers()
        let index = try index { $0.evidence == .missing && $0.captured > 0 }
        payments[index].isInDoubt = false
        payments[index].status = "declined"
        payments[index].captured = 0
        let score = score(payments)
        #expect(score.mismatches.map(\.matter).contains(.status))
        #expect(score.inDoubt.recall < 10_000 && score.inDoubt.precision == 10_000)
    }

    @Test func missingAndDoubledPaymentsAreFound() throws {
        let payments = answers()
        let index = try index { $0.captured > 0 && $0.evidence == .complete }
        var scorer = Scorer(truth)
        for (number, payment) in payments.enumerated() where number != index { scorer.add(payment) }
        #expect(scorer.score().mismatches.contains { $0.matter == .absent })
        scorer.add(payments[index])
        scorer.add(payments[index])
        #expect(scorer.score().mismatches.contains { $0.matter == .doubled })
    }

    @Test func paymentsInOtherBatchesAreFound() throws {
        let payments = answers()
        let index = try index { $0.batch != nil && $0.evidence == .complete }
        var scorer = Scorer(truth)
        for payment in payments { scorer.add(payment) }
        for batch in truth.batches {
            var members = zip(truth.payments, payments).filter { $0.0.batch == batch.batch && !$0.1.isUndecided }
                .map(\.1.id)
            members.removeAll { $0 == payments[index].id }
            scorer.add(LedgerBatch(batch), members: members)
        }
        let score = scorer.score()
        #expect(score.mismatches.map(\.matter) == [.membership])
        #expect(score.membership.recall < 10_000)
    }

    @Test func batchesThatAreOpenOrAddUpToSomethingElseAreFound() throws {
        let closed = try #require(truth.batches.first { $0.isClosed }).batch
        let reopened = score(answers()) { if $0.name == closed { $0.status = "open" } }
        #expect(reopened.mismatches.map(\.matter) == [.batch])
        let wrong = score(answers()) { if $0.name == closed { $0.net = $0.net.mapValues { $0 + 1 } } }
        #expect(wrong.mismatches.map(\.matter) == [.batch])
    }

    @Test func sharesAreWrittenInFourDigits() {
        #expect(Measure.text(10_000) == "1.0000")
        #expect(Measure.text(9_987) == "0.9987")
        #expect(Measure.text(0) == "0.0000")
    }
}

extension LedgerPayment {
    /// What a ledger that was told everything there is would answer.
    init(_ truth: PaymentTruth, id: String) {
        let isKnown = truth.evidence == .complete
        func amount(_ value: Int64) -> JSONValue {
            ["value": .number(.init(value)), "currency": .string(truth.currency)]
        }
        let json: JSONValue = [
            "id": .string(id), "reference": .string(truth.reference),
            "status": .string(isKnown ? truth.status.rawValue : "in-doubt"), "inDoubt": .bool(!isKnown),
            "amounts": [
                "authorized": amount(truth.authorized), "captured": amount(truth.captured), "tip": amount(truth.tip),
                "refunded": amount(truth.refunded), "credited": amount(truth.credited),
            ],
        ]
        self = LedgerPayment(json) ?? preconditionFailure("an answer of the test's own making is one")
    }
}

extension LedgerBatch {
    init(_ truth: BatchTruth) {
        var json: JSONObject = [
            "id": .string(truth.batch.text), "vendor": .string(truth.batch.vendor.rawValue),
            "account": .string(truth.batch.account), "status": .string(truth.isClosed ? "closed" : "open"),
            "net": [["value": .number(.init(truth.net - truth.unknownNet)), "currency": .string(truth.currency)]],
        ]
        if let number = truth.batch.number { json["number"] = .string(number) }
        self = LedgerBatch(.object(json)) ?? preconditionFailure("an answer of the test's own making is one")
    }
}

private func ?? <Value>(value: Value?, _ failure: @autoclosure () -> Never) -> Value {
    if let value { return value }
    failure()
}
