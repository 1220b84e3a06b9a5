import Canonical
import Payments
import Testing

@testable import Simulator

@Suite struct BalanceScoringTests {
    private let truth: TruthFile

    init() throws {
        truth = TruthFile(try Played(transactions: 600, faults: FaultProfile(all: 50_000)).simulation)
    }

    /// The answers of a ledger that knows everything reported to it.
    private func answers() -> [LedgerPayment] {
        truth.payments.enumerated().map { index, truth in
            var payment = LedgerPayment(truth, id: "payment-\(index)")
            if truth.evidence != .complete {
                (payment.captured, payment.tip, payment.refunded, payment.credited) = (0, 0, 0, 0)
            }
            return payment
        }
    }

    /// - Parameters:
    ///   - change: Changes the balances at the end of a day; nil: of all days.
    ///   - missing: A day whose balances are not read.
    private func score(
        _ payments: [LedgerPayment],
        without missing: String? = nil,
        _ change: (String?, inout [AccountName: Int64]) -> Void = { _, _ in }
    ) -> BalanceScore {
        var scorer = BalanceScorer(truth, .traded)
        for payment in payments { scorer.add(payment) }
        let known = truth.payments.filter { $0.evidence == .complete }
        for day in scorer.days where day == nil || day != missing {
            var balances = BalanceTruth.sums(of: known, through: day)
            change(day, &balances)
            scorer.add(balances.map { LedgerBalance($0.key, $0.value) }, through: day)
        }
        return scorer.score()
    }

    private static let sales = AccountName("sales", part: "credit", currency: "USD")

    @Test func aLedgerThatKnowsTheTruthIsClean() {
        let score = score(answers())
        #expect(score.isClean, "\(score.differences.prefix(3)) \(score.unread)")
        #expect(score.balances.precision == 10_000 && score.balances.recall == 10_000)
        #expect(score.balances.actual > 40 && score.sums.isEmpty)
    }

    /// The money of payments in doubt is stated by account, and is exactly theirs.
    @Test func moneyInDoubtIsStatedApart() {
        let score = score(answers())
        var doubts: [AccountName: Int64] = [:]
        for payment in truth.payments where payment.evidence == .missing {
            for entry in payment.entries { doubts.add(entry.amount, to: entry.account) }
        }
        #expect(!doubts.isEmpty && score.paymentsInDoubt > 5)
        #expect(Dictionary(uniqueKeysWithValues: score.doubts.map { ($0.account, $0.inDoubt) }) == doubts)
        for one in score.doubts { #expect(one.found == one.truth - one.inDoubt) }
    }

    @Test func aWrongCentIsFound() {
        let score = score(answers()) { day, balances in
            if day == nil { balances.add(1, to: Self.sales) }
        }
        #expect(score.differences.map(\.account) == [Self.sales])
        #expect(score.sums == ["USD": 1] && score.differences[0].day == nil)
        #expect(score.balances.precision < 10_000 && score.balances.recall < 10_000)
    }

    @Test func aWrongAccountIsFound() {
        let other = AccountName("sales", part: "cheque", currency: "USD")
        let score = score(answers()) { day, balances in
            guard day == nil else { return }
            balances.add(-250, to: other)
            balances.add(250, to: Self.sales)
        }
        #expect(Set(score.differences.map(\.account)) == [Self.sales, other])
        #expect(score.sums == ["USD": 500])
    }

    @Test func aMissingAccountIsFound() {
        let score = score(answers()) { day, balances in if day == nil { balances[Self.sales] = nil } }
        #expect(score.differences.map(\.account) == [Self.sales])
        #expect(score.balances.precision == 10_000 && score.balances.recall < 10_000)
    }

    /// Money that is counted a day late is right on all other days.
    @Test func aWrongDayIsFound() throws {
        let first = "2025-03-03"
        let late = try #require(
            truth.payments.first { payment in
                payment.evidence == .complete && payment.captured > 0
                    && payment.entries.contains { $0.day == first }
            }
        )
        let score = score(answers()) { day, balances in
            guard day == first else { return }
            for entry in late.entries where entry.day <= first { balances.add(-entry.amount, to: entry.account) }
        }
        #expect(!score.differences.isEmpty && score.differences.allSatisfy { $0.day == first })
    }

    @Test func moneyBeforeTheFirstDayIsFound() throws {
        let day = try #require(BalanceScorer(truth, .traded).days.first ?? nil)
        #expect(!truth.balances.contains { $0.day == day })
        let score = score(answers()) { if $0 == day { $1.add(100, to: Self.sales) } }
        #expect(score.differences.map(\.day) == [day])
    }

    @Test func aDayThatIsNotReadIsFound() {
        let score = score(answers(), without: "2025-03-04")
        #expect(score.unread == ["2025-03-04"] && !score.isClean && score.differences.isEmpty)
    }

    /// A ledger that decides what no document proves must have the money.
    @Test func aWrongGuessIsFound() throws {
        var payments = answers()
        let index = try #require(truth.payments.firstIndex { $0.evidence == .missing && $0.captured > 0 })
        payments[index].isInDoubt = false
        payments[index].status = "declined"
        let score = score(payments)
        #expect(!score.isClean)
        let money = truth.payments[index].entries.reduce(0) { $0 + abs($1.amount) }
        #expect(score.differences.filter { $0.day == nil }.reduce(0) { $0 + abs($1.difference) } == money)
    }

    /// A doubt about a payment whose evidence is complete is no excuse.
    @Test func aDoubtWithoutReasonIsFound() throws {
        var payments = answers()
        let index = try #require(truth.payments.firstIndex { $0.evidence == .complete && $0.captured > 0 })
        payments[index].isInDoubt = true
        payments[index].captured = 0
        let score = score(payments) { day, balances in
            for entry in truth.payments[index].entries where day.map({ entry.day <= $0 }) ?? true {
                balances.add(-entry.amount, to: entry.account)
            }
        }
        #expect(!score.isClean)
        #expect(self.score(answers()).paymentsInDoubt == score.paymentsInDoubt)
    }

    /// A result that arrives under the next sale counts there.
    @Test func aRecoveredResultIsFoundInAnotherPayment() throws {
        let played = try Played(
            transactions: 400,
            faults: .none,
            vendors: [.handpoint],
            troubles: TroubleProfile(parsing: "recovered-later=0.3")
        )
        let truth = TruthFile(played.simulation)
        let lost = try #require(
            truth.payments.first { $0.evidence == .indirect && $0.troubles.contains(.recoveredLater) }
        )
        for isRecovered in [false, true] {
            var scorer = BalanceScorer(truth, .traded)
            for (index, payment) in truth.payments.enumerated() {
                var answer = LedgerPayment(payment, id: "payment-\(index)")
                if payment.evidence != .complete { answer.captured = 0 }
                scorer.add(answer)
            }
            if isRecovered {
                var answer = LedgerPayment(lost, id: "recovered")
                answer.reference = nil
                answer.gatewayTransaction = lost.id("gatewayTransaction")
                scorer.add(answer)
            }
            let doubtful = truth.payments.filter {
                $0.evidence != .complete && !(isRecovered && $0.reference == lost.reference)
            }
            #expect(scorer.score().paymentsInDoubt == doubtful.count, "\(isRecovered)")
        }
    }

    @Test func theTruthFileKeepsBalances() throws {
        let lines = try truth.lines()
        let read = try TruthFile(lines: lines.map(\.canonicalBytes))
        #expect(read.balances == truth.balances && read.payments == truth.payments)
    }

    @Test func anAnswerOfTheTrialBalanceIsRead() throws {
        let json: JSONValue = [
            "account": "sales", "part": "credit", "currency": "USD", "credit": ["value": 250, "currency": "USD"],
        ]
        let balance = try #require(LedgerBalance(json))
        #expect(balance.account == Self.sales && balance.amount == -250)
        #expect(LedgerBalance(["currency": "USD"]) == nil)
    }
}

extension LedgerBalance {
    /// A row of a trial balance.
    init(_ account: AccountName, _ amount: Int64) {
        let side = amount < 0 ? "credit" : "debit"
        let json: JSONValue = [
            "account": .string(account.name), "part": .string(account.part), "currency": .string(account.currency),
            side: ["value": .number(.init(abs(amount))), "currency": .string(account.currency)],
        ]
        guard let balance = LedgerBalance(json) else {
            preconditionFailure("an answer of the test's own making is one")
        }
        self = balance
    }
}
