import Canonical
import Payments
import Testing

@testable import Simulator

@Suite struct ScoringTests {
    private let truth: TruthFile

    init() throws {
        truth = try Played(transactions: 600, faults: FaultProfile(all: 50_000)).truth
    }

    /// The answers of a ledger that knows everything reported to it.
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

    @Test func membersAreReadByTheirNames() throws {
        let payment = try #require(
            LedgerPayment([
                "id": "1", "status": "captured", "references": ["clerk": "clerk-1"],
                "breakdown": ["tax": ["value": 5, "currency": "USD"]],
            ])
        )
        #expect(payment.member(at: "references.clerk") == "clerk-1")
        #expect(payment.member(at: "breakdown.tax") == 5 && payment.member(at: "breakdown.tip") == nil)
    }

    @Test func aWrongStatusIsFound() throws {
        var payments = answers()
        let index = try index { $0.status == .declined && $0.evidence == .complete }
        payments[index].status = "captured"
        let score = score(payments)
        #expect(score.mismatches.map(\.aspect) == [.status])
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
        #expect(score.mismatches.map(\.aspect) == [.amount])
        #expect(score.amounts.recall < 10_000)
    }

    @Test func aDoubtWithoutReasonIsFound() throws {
        var payments = answers()
        payments[try index { $0.captured > 0 && $0.evidence == .complete }].isInDoubt = true
        let score = score(payments)
        #expect(score.mismatches.map(\.aspect) == [.inDoubt])
        #expect(score.inDoubt.precision < 10_000 && score.inDoubt.recall == 10_000)
    }

    @Test func aWrongGuessIsFound() throws {
        var payments = answers()
        let index = try index { $0.evidence == .missing && $0.captured > 0 }
        payments[index].isInDoubt = false
        payments[index].status = "declined"
        payments[index].captured = 0
        let score = score(payments)
        #expect(score.mismatches.map(\.aspect).contains(.status))
        #expect(score.inDoubt.recall < 10_000 && score.inDoubt.precision == 10_000)
    }

    @Test func missingAndDoubledPaymentsAreFound() throws {
        let payments = answers()
        let index = try index { $0.captured > 0 && $0.evidence == .complete }
        var scorer = Scorer(truth)
        for (number, payment) in payments.enumerated() where number != index { scorer.add(payment) }
        #expect(scorer.score().mismatches.contains { $0.aspect == .absent })
        scorer.add(payments[index])
        scorer.add(payments[index])
        #expect(scorer.score().mismatches.contains { $0.aspect == .doubled })
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
        #expect(score.mismatches.map(\.aspect) == [.membership])
        #expect(score.membership.recall < 10_000)
    }

    @Test func aFurtherUseOfANumberIsAnotherBatch() {
        func name(_ generation: JSONValue) -> BatchName? {
            LedgerBatch([
                "id": "b", "vendor": "dejavoo", "account": "t-1", "number": "7", "generation": generation,
                "status": "closed",
            ])?.name
        }
        #expect(name(1) == BatchName(vendor: .dejavoo, account: "t-1", number: "7"))
        #expect(name(2) != nil && name(2) != name(1))
    }

    @Test func openBatchesAndWrongTotalsAreFound() throws {
        let closed = try #require(truth.batches.first { $0.isClosed }).batch
        let reopened = score(answers()) { if $0.name == closed { $0.status = "open" } }
        #expect(reopened.mismatches.map(\.aspect) == [.batch])
        let wrong = score(answers()) { if $0.name == closed { $0.net = $0.net.mapValues { $0 + 1 } } }
        #expect(wrong.mismatches.map(\.aspect) == [.batch])
        let tipped = score(answers()) {
            if $0.name == closed { $0.sums = $0.sums.mapValues { $0.with(tip: $0.tip + 1) } }
        }
        #expect(tipped.mismatches.map(\.aspect) == [.batch])
    }

    @Test func aWrongTotalOfADayIsFound() throws {
        // The totals by merchant, day and currency of a ledger that knows everything.
        var days: [String: [String: MoneySums]] = [:]
        var currencies: [String: String] = [:]
        for payment in truth.payments where payment.evidence == .complete {
            currencies[payment.merchant] = payment.currency
            if let at = payment.moneyAt {
                var sums = days[payment.merchant]?[String(at.rfc3339.prefix(10))] ?? MoneySums()
                sums.captured += payment.captured
                sums.tip += payment.tip
                sums.credited += payment.credited
                days[payment.merchant, default: [:]][String(at.rfc3339.prefix(10))] = sums
            }
            if let at = payment.refundedAt {
                days[payment.merchant, default: [:]][String(at.rfc3339.prefix(10)), default: MoneySums()].refunded +=
                    payment.refunded
            }
        }
        func mismatches(_ change: (inout LedgerDay) -> Void) -> [Mismatch] {
            var scorer = Scorer(truth)
            for merchant in scorer.merchants {
                let answers = (days[merchant] ?? [:]).compactMap { day, sums in
                    LedgerDay(day, sums, currency: currencies[merchant] ?? "")
                }
                scorer.add(
                    answers.map { answer in
                        var answer = answer
                        if merchant == scorer.merchants[0] { change(&answer) }
                        return answer
                    },
                    of: merchant
                )
            }
            return scorer.score().mismatches.filter { $0.aspect == .day }
        }
        #expect(mismatches { _ in }.isEmpty)
        #expect(!mismatches { $0.sums.captured += 1 }.isEmpty)
        #expect(!mismatches { $0.net += 1 }.isEmpty)
        #expect(!mismatches { $0.day = "1999-12-31" }.isEmpty)
    }

    @Test func sharesAreWrittenInFourDigits() {
        #expect(Measure.text(10_000) == "1.0000")
        #expect(Measure.text(9_987) == "0.9987")
        #expect(Measure.text(0) == "0.0000")
    }
}

extension LedgerPayment {
    /// The answer of a ledger that received all documents.
    init(_ truth: PaymentTruth, id: String) {
        let isKnown = truth.evidence == .complete
        func amount(_ value: Int64) -> JSONValue {
            ["value": .number(.init(value)), "currency": .string(truth.currency)]
        }
        var json: JSONObject = [
            "id": .string(id), "reference": .string(truth.reference), "merchant": .string(truth.merchant),
            "status": .string(isKnown ? truth.status.rawValue : "in-doubt"), "inDoubt": .bool(!isKnown),
            "amounts": [
                "authorized": amount(truth.authorized), "captured": amount(truth.captured), "tip": amount(truth.tip),
                "refunded": amount(truth.refunded), "credited": amount(truth.credited),
            ],
        ]
        if let printed = truth.printedAt, !printed.hasSuffix("Z") { json["localTime"] = .string(printed) }
        self = LedgerPayment(.object(json)) ?? preconditionFailure("an answer of the test's own making is one")
    }
}

extension LedgerBatch {
    init(_ truth: BatchTruth) {
        func total(_ type: String, _ amount: Int64, tip: Int64 = 0) -> JSONValue {
            func money(_ value: Int64) -> JSONValue {
                ["value": .number(.init(value)), "currency": .string(truth.currency)]
            }
            return ["type": .string(type), "amount": money(amount), "tip": money(tip)]
        }
        var json: JSONObject = [
            "id": .string(truth.batch.text), "vendor": .string(truth.batch.vendor.rawValue),
            "account": .string(truth.batch.account), "status": .string(truth.isClosed ? "closed" : "open"),
            "net": [["value": .number(.init(truth.net - truth.unknownNet)), "currency": .string(truth.currency)]],
            "totals": [
                total("sale", truth.known.captured, tip: truth.known.tip), total("refund", truth.known.refunded),
                total("credit", truth.known.credited),
            ],
        ]
        if let number = truth.batch.number { json["number"] = .string(number) }
        self = LedgerBatch(.object(json)) ?? preconditionFailure("an answer of the test's own making is one")
    }
}

extension LedgerDay {
    init?(_ day: String, _ sums: MoneySums, currency: String) {
        func money(_ value: Int64) -> JSONValue { ["value": .number(.init(value)), "currency": .string(currency)] }
        self.init([
            "day": .string(day), "currency": .string(currency), "captured": money(sums.captured),
            "tip": money(sums.tip), "refunded": money(sums.refunded), "credited": money(sums.credited),
            "net": money(sums.net),
        ])
    }
}

extension MoneySums {
    fileprivate func with(tip: Int64) -> MoneySums {
        var sums = self
        sums.tip = tip
        return sums
    }
}

private func ?? <Value>(value: Value?, _ failure: @autoclosure () -> Never) -> Value {
    if let value { return value }
    failure()
}
