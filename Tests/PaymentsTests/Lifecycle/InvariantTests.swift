import Canonical
import DaybookTestKit
import Payments
import TestFacts
import Testing

/// The invariants I1 to I11 over generated lives, most of which are illegal.
@Suite("Invariants")
struct InvariantTests {
    private static let lives = 500

    /// Checks every step of many lives.
    private func everyStep(
        _ range: FactGenerator.Range = .plausible,
        name: String = #function,
        _ check: (Life.Step, Life, Comment) throws -> Void
    ) rethrows {
        var generator = FactGenerator(.forTest(name), range)
        let seed = generator.random.seed
        for number in 0..<Self.lives {
            let life = generator.life()
            for (index, step) in life.steps.enumerated() {
                try check(step, life, "DAYBOOK_TEST_SEED=\(seed), life \(number), step \(index)")
            }
        }
    }

    @Test("I1: the approval is between zero and the request, or flagged; the rest is due")
    func i1() throws {
        try everyStep { step, life, seed in
            let (state, held, tenders) = (step.after, step.after.authorization, step.after.tenders.entries)
            try #require(state.authorized >= 0, seed)
            guard let requested = held.requested else {
                let balance = tenders.isEmpty ? 0 : state.tenders.leastBalance ?? 0
                return try #require(state.due == (held.isPartial ? balance : 0), seed)
            }
            // Tips on top are not part of the request, and offers need not be paid.
            let onTop = tenders.reduce(0) { $0 + $1.tip } - state.offered
            if let approved = held.approved, approved - onTop > requested {
                try #require(life.raised.contains(.approvalExceedsRequest), seed)
            }
            let covered = tenders.isEmpty ? state.authorized : max(0, (held.approved ?? 0) - onTop)
            try #require(state.due == (held.isPartial ? max(0, requested - covered) : 0), seed)
        }
    }

    @Test("I2: the parts add up to the total in one currency, or it is flagged")
    func i2() throws {
        var generator = FactGenerator(.forTest(), .extreme)
        let seed = Comment("DAYBOOK_TEST_SEED=\(generator.random.seed)")
        for _ in 0..<Self.lives * 5 {
            let amounts = generator.amounts()
            let policy = LifecyclePolicy()
            let approval = Approval(amounts: amounts, evidence: .gateway, response: .init(), references: .init())
            let events = Lifecycle.decide([.authorizationApproved(approval)], after: [], policy: policy)
            let state = TransactionState(folding: events)
            let parts = [amounts.base, amounts.tip, amounts.tax, amounts.fee, amounts.cashback].compactMap(\.self)
            let isMixed = parts.contains { $0.currency != amounts.currency }
            try #require(state.has(.currencyMismatch) == isMixed, seed)
            guard !isMixed, amounts.base != nil else { continue }
            let sum = parts.reduce(Int128(0)) { $0 + Int128($1.value) }
            let isWhole = sum == Int128(amounts.total.value)
            try #require((state.has(.amountsDoNotAddUp) || state.has(.amountOverflow)) || isWhole, seed)
            if isWhole { try #require(!state.has(.amountsDoNotAddUp), seed) }
        }
    }

    @Test("I3: captures, tips on top left out, stay within authorisation and tolerance, or are flagged")
    func i3() throws {
        try everyStep { step, life, seed in
            let (state, held) = (step.after, step.after.authorization)
            guard held.approved != nil else { return try #require(!state.has(.captureExceedsAuthorization), seed) }
            let base = state.countedCaptures.reduce(Int128(0)) { sum, capture in
                let adjusted = max(0, capture.tip - capture.firstTip)
                let onTop = life.policy.tipExceedsAuthorization ? capture.tip : adjusted
                return sum + Int128(max(0, capture.amount - capture.voided - onTop))
            }
            let tolerance = held.isPartial ? 0 : life.policy.overcaptureBasisPoints
            let isWithin = base * 10_000 <= Int128(state.authorized) * Int128(10_000 + tolerance)
            try #require(state.has(.captureExceedsAuthorization) == !isWithin, seed)
        }
    }

    @Test("I4: refunds and chargebacks stay within the captured amount, or are flagged")
    func i4() throws {
        try everyStep { step, _, seed in
            let state = step.after
            let isFlagged =
                state.has(.refundExceedsCapture) || state.has(.refundNotAllowed) || state.has(.originalNotRecorded)
            if state.refunded + state.chargedBack > state.captured { try #require(isFlagged, seed) }
            if state.refunded + state.chargedBack <= state.captured {
                try #require(!state.has(.refundExceedsCapture), seed)
            }
        }
    }

    @Test("I5: a payment that is voided, not posted or declined contributes no money")
    func i5() throws {
        let without: Set<TransactionStatus> = [
            .requested, .declined, .cancelled, .failed, .inDoubt, .notPosted, .voided, .reversed, .expired, .verified,
            .completed,
        ]
        try everyStep { step, _, seed in
            let state = step.after
            guard without.contains(state.status) else { return }
            let amounts = [
                state.captured, state.tips, state.refunded, state.chargedBack, state.settled, state.settlement.funded,
                state.credited,
            ]
            try #require(amounts.allSatisfy { $0 == 0 }, "\(state.status), \(state.amountsText), \(seed)")
        }
    }

    @Test("I6: the remaining amount is the captured amount less the refunds, as the gateway calculates it")
    func i6() throws {
        var generator = FactGenerator(.forTest())
        let seed = Comment("DAYBOOK_TEST_SEED=\(generator.random.seed)")
        for _ in 0..<Self.lives {
            var life = Life(policy: generator.policy())
            let total = Int64.random(in: 1...10_000, using: &generator.random)
            life.observe(Reported.sale(total, in: 1))
            life.observe([.settled(Reported.settlement(1, total))])
            var remaining = total
            var open: [String: Int64] = [:]
            for number in 0..<6 {
                if let (id, amount) = open.min(by: { $0.key < $1.key }), generator.chance(30) {
                    open[id] = nil
                    remaining += amount
                    life.observe([.refundVoided(Reported.part(id))])
                } else {
                    let amount = Int64.random(in: 0...remaining, using: &generator.random)
                    open["r\(number)"] = amount
                    remaining -= amount
                    life.observe([.refunded(Reported.part("r\(number)", amount))])
                }
                try #require(life.steps.last?.after.remaining == remaining, seed)
            }
            try #require(life.raised.isEmpty, seed)
        }
    }

    @Test("I7: a capture is in at most one closed batch, or it is flagged")
    func i7() throws {
        try everyStep { step, _, seed in
            for capture in step.after.captures {
                try #require(capture.isSettled || capture.settledIn == nil, seed)
                guard let earlier = step.before.captures.first(where: { $0.id == capture.id && $0.isSettled }) else {
                    continue
                }
                try #require(isKept(capture, earlier, step.facts), seed)
            }
        }
    }

    /// True if a settled capture stays in its batch, which may become known later, or the facts explain its removal.
    private func isKept(_ capture: CaptureEntry, _ earlier: CaptureEntry, _ facts: [TransactionEvent]) -> Bool {
        if capture.isSettled && [nil, capture.settledIn].contains(earlier.settledIn) { return true }
        for fact in facts {
            switch fact {
            // One document may report that a batch was rejected and which batch then took its captures.
            case .settlementRejected: if capture.isSettled || capture.settledIn == nil { return true }
            case .voided(let reported), .refundVoided(let reported):
                let isInNone = !capture.isSettled && capture.settledIn == nil
                if isInNone && isBefore(reported.at, earlier.settlement.closedAt?.reported) { return true }
            default: continue
            }
        }
        return false
    }

    /// True if a void was made before the closing of the batch that is reported to contain its capture.
    private func isBefore(_ voided: ReportedTime?, _ closed: ReportedTime?) -> Bool {
        guard let voided, let closed else { return false }
        return voided.isBefore(closed)
    }

    @Test("I7: a batch's net is the captures and tips in it less the refunds in it")
    func i7Nets() throws {
        var generator = FactGenerator(.forTest())
        let seed = Comment("DAYBOOK_TEST_SEED=\(generator.random.seed)")
        for _ in 0..<Self.lives / 10 {
            var expected: [Int: Int64] = [:]
            var nets: [Int: Int64] = [:]
            for _ in 0..<10 {
                let batch = Int.random(in: 1...3, using: &generator.random)
                let base = Int64.random(in: 1...10_000, using: &generator.random)
                let tip = generator.chance(50) ? Int64.random(in: 0...2_000, using: &generator.random) : nil
                var life = Life(policy: LifecyclePolicy())
                life.observe(Reported.sale(base, in: batch))
                if let tip { life.observe([Reported.tip(tip)]) }
                let isVoided = generator.chance(20)
                if isVoided { life.observe([.voided(Reported.part("v"))]) }
                life.observe([.settled(Reported.settlement(batch))])
                expected[batch, default: 0] += isVoided ? 0 : base + (tip ?? 0)
                if !isVoided && generator.chance(40) {
                    let refund = Int64.random(in: 1...base, using: &generator.random)
                    life.observe([.refunded(Reported.part("r", refund, in: batch + 1))])
                    life.observe([.settled(Reported.settlement(batch + 1, refund))])
                    expected[batch + 1, default: 0] -= refund
                }
                guard let state = life.steps.last?.after else { continue }
                for number in 1...4 {
                    for capture in state.captures where capture.settledIn == Reported.batch(number) {
                        nets[number, default: 0] += capture.net
                    }
                    for refund in state.refunds where refund.settledIn == Reported.batch(number) {
                        nets[number, default: 0] -= refund.amount
                    }
                }
                try #require(life.raised == (isVoided ? [.settlementMismatch] : []), seed)
            }
            for number in 1...4 { try #require(nets[number] ?? 0 == expected[number] ?? 0, seed) }
        }
    }

    @Test("I9: every event's legs add up to zero, and all legs to the folded amounts")
    func i9() throws {
        for range in [FactGenerator.Range.plausible, .extreme] {
            var generator = FactGenerator(.forTest(), range)
            let seed = Comment("DAYBOOK_TEST_SEED=\(generator.random.seed)")
            for _ in 0..<Self.lives {
                let life = generator.life()
                var state = TransactionState()
                var book = state.book
                var balances: [Account: Int128] = [:]
                for event in life.history {
                    Lifecycle.evolve(&state, event)
                    let before = book
                    book = state.book
                    let legs = Leg.changes(from: before, to: book)
                    try #require(legs.reduce(Int128(0)) { $0 + Int128($1.amount) } == 0, seed)
                    try #require(legs.allSatisfy { $0.amount != 0 }, seed)
                    try #require(book == before || !legs.isEmpty, seed)
                    // What is loaded onto a gift card, or taken off it, is no captured amount.
                    for leg in legs where !["load", "deactivation"].contains(leg.line) {
                        balances[leg.account, default: 0] += Int128(leg.amount)
                    }
                }
                guard !state.isTest, state.currency != nil else {
                    try #require(balances.values.allSatisfy { $0 == 0 }, seed)
                    continue
                }
                func balance(_ accounts: Account...) -> Int128 { accounts.reduce(0) { $0 + (balances[$1] ?? 0) } }
                let cash = balance(.cashMachine)
                let returned = Int128(state.refunded + state.credited)
                try #require(
                    balance(.sales, .tipsPayable, .taxPayable, .surcharge, .cashBack, .refunds) + cash
                        == returned - Int128(state.captured),
                    seed
                )
                try #require(balance(.tipsPayable) == Int128(-state.tips), seed)
                try #require(balance(.disputeReceivable) == Int128(state.chargedBack), seed)
                try #require(balance(.bank) == Int128(state.settlement.funded), seed)
                try #require(balance(.suspense, .fees, .writeOff, .reserve, .cashInTransit) == 0, seed)
            }
        }
    }

    @Test("I10: a recorded fact adds nothing when it is repeated, alone or together with others")
    func i10() throws {
        try everyStep(.extreme) { step, life, seed in
            guard step.after.version == life.history.count else { return }
            for event in life.history {
                let again = Lifecycle.decide([event], after: life.history, policy: life.policy)
                switch event {
                case .documentReceived: try #require(again == [event], seed)
                // The ledger decides whether an anomaly exists, not the sender.
                case .anomalyRaised, .anomalyCleared: break
                default: try #require(again.isEmpty, seed)
                }
            }
            // Every reported fact is recorded.
            let facts = life.steps.flatMap(\.facts).filter { $0 != .documentReceived(Reported.document) }
            try #require(facts.allSatisfy(life.history.contains), seed)
            try #require(Lifecycle.decide(facts, after: life.history, policy: life.policy).isEmpty, seed)
        }
    }

    @Test("I10: the same events always give the same state, and a repeated decision is the same")
    func i10Fold() throws {
        try everyStep(.extreme) { step, life, seed in
            let prefix = Array(life.history.prefix(Int(step.after.version)))
            try #require(TransactionState(folding: prefix) == step.after, seed)
            let earlier = Array(life.history.prefix(Int(step.before.version)))
            try #require(Lifecycle.decide(step.facts, after: earlier, policy: life.policy) == step.events, seed)
            let stored = try JSONValueEncoder().encode(step.after)
            try #require(try JSONValueDecoder().decode(TransactionState.self, from: stored) == step.after, seed)
        }
    }

    @Test("I11: the chip signs base, tip and cashback, the cashback and the currency, or it is flagged")
    func i11() throws {
        var generator = FactGenerator(.forTest())
        let seed = Comment("DAYBOOK_TEST_SEED=\(generator.random.seed)")
        for _ in 0..<Self.lives * 2 {
            let base = Int64.random(in: 1...5_000, using: &generator.random)
            let tip = generator.pick([nil, 0, 100, 200] as [Int64?])
            let cashback = generator.pick([nil, 1_000] as [Int64?])
            let signed = base + (tip ?? 0) + (cashback ?? 0)
            let fee = generator.pick([0, 40] as [Int64])
            let fault = Int.random(in: 0..<4, using: &generator.random)
            var approval = Reported.approval(
                0,
                chip: ChipAmounts(
                    authorized: signed + (fault == 1 ? 7 : 0),
                    other: (cashback ?? 0) + (fault == 2 ? 7 : 0),
                    currencyNumeric: fault == 3 ? 978 : generator.pick([nil, 840])
                )
            )
            approval.amounts = Amounts(
                total: Reported.usd(signed + fee),
                base: Reported.usd(base),
                tip: tip.map(Reported.usd),
                fee: fee == 0 ? nil : Reported.usd(fee),
                cashback: cashback.map(Reported.usd)
            )
            var life = Life(policy: LifecyclePolicy())
            life.observe([.authorizationApproved(approval)])
            try #require(life.raised == (fault == 0 ? [] : [.chipAmountMismatch]), seed)
        }
    }

    @Test("No sequence of facts traps or loses a fact, and the events keep the order of the facts")
    func total() throws {
        try everyStep(.extreme) { step, _, seed in
            var rest = step.facts[...]
            for event in step.events {
                switch event {
                case .anomalyRaised, .anomalyCleared: continue
                default: break
                }
                guard let index = rest.firstIndex(of: event) else {
                    Issue.record("an event that was not reported: \(event.type), \(seed)")
                    continue
                }
                rest = rest[(index + 1)...]
            }
            try #require(step.after.status.rawValue.isEmpty == false, seed)
            try #require(step.after.turnover <= TransactionState.turnoverLimit, seed)
            try #require(step.after.captures.allSatisfy { 0...$0.amount ~= $0.voided && 0...$0.amount ~= $0.tip }, seed)
        }
    }

    @Test("The generated lives reach every status and every anomaly of the lifecycle")
    func reach() {
        var generator = FactGenerator(SeededGenerator(seed: 1), .extreme)
        var statuses: Set<TransactionStatus> = []
        var anomalies: Set<Anomaly.Kind> = []
        for _ in 0..<2_000 {
            let life = generator.life()
            statuses.formUnion(life.steps.map(\.after.status))
            anomalies.formUnion(life.raised)
        }
        #expect(statuses == Set(TransactionStatus.allCases))
        // These are raised by the document readers, by batches, and where events are recorded.
        let others: Set<Anomaly.Kind> = [
            .amountScaleAssumed, .operationAssumed, .keysDisagree, .batchMismatch, .implausibleTime, .unknownKind,
            .unknownValue, .limitExceeded, .malformedField, .reversalDue, .duplicateSuspected, .riskReported,
            .disputeMismatch,
        ]
        #expect(anomalies == Set(Anomaly.Kind.allCases).subtracting(others))
    }
}
