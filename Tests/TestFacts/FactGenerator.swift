package import Canonical
package import DaybookTestKit
package import Payments

/// Generates facts about one payment that the lifecycle judges, as devices may send them: wrong, repeated and late. There are few ids and
/// amounts, so that facts often concern the same thing.
package struct FactGenerator: Sendable {
    package enum Range: Sendable {
        case plausible
        /// Amounts from both ends of the 64-bit range, and several currencies.
        case extreme
    }

    package var random: SeededGenerator
    package var range: Range
    /// The earliest time that a fact has.
    private let start: Timestamp

    package init(
        _ random: SeededGenerator,
        _ range: Range = .plausible,
        from start: Timestamp = Timestamp(microsecondsSince1970: 0)
    ) {
        self.random = random
        self.range = range
        self.start = start
    }

    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    package mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }

    package mutating func minor() -> Int64 {
        if range == .extreme && chance(40) {
            return pick([.max, .min, .max - 1, .min + 1, 1 << 60, -(1 << 60), 1 << 59, 1 << 58, -1])
        }
        return chance(3) ? -pick([1, 500]) : pick([0, 1, 100, 250, 500, 500, 750, 1000, 1000, 1200])
    }

    package mutating func money() -> Money {
        Money(minor(), range == .extreme && chance(20) ? pick([.eur, .jpy]) : chance(1) ? .eur : .usd)
    }

    package mutating func amounts() -> Amounts {
        var amounts = Amounts(total: money())
        if chance(40) { amounts.tip = chance(80) ? Money(pick([0, 50, 100, 200]), amounts.currency) : money() }
        if chance(20) { amounts.base = money() }
        if chance(10) { amounts.tax = money() }
        if chance(10) { amounts.cashback = money() }
        return amounts
    }

    package mutating func evidence() -> Evidence { pick([.reader, .relayed, .gateway, .gateway, .settlement]) }
    package mutating func time() -> ReportedTime? {
        guard !chance(50) else { return nil }
        let time = start.adding(microseconds: Int64.random(in: 0..<4, using: &random) * 1_000_000)
        return chance(30) ? .local(LocalTime(shown: time)) : .instant(time)
    }
    package mutating func batch() -> BatchReference? {
        chance(40) ? nil : BatchReference(vendor: .dejavoo, account: "tpn", number: pick(["1", "2", "3"]))
    }
    package mutating func references() -> References {
        chance(80) ? References() : References(retrievalReference: pick(["1", "2"]), invoice: pick([nil, "9"]))
    }

    package mutating func request() -> PaymentRequest {
        PaymentRequest(amounts: chance(80) ? amounts() : nil, references: references(), at: time())
    }

    package mutating func approval() -> Approval {
        var card: CardPresentation?
        if chance(20) {
            card = CardPresentation()
            card?.chipAmounts = ChipAmounts(authorized: minor(), other: chance(50) ? 0 : minor(), currencyNumeric: 840)
        }
        return Approval(
            amounts: amounts(),
            requested: chance(40) ? money() : nil,
            evidence: evidence(),
            response: Response(),
            references: references(),
            card: card,
            batch: batch(),
            at: time()
        )
    }

    package mutating func verdict() -> Verdict {
        Verdict(evidence: evidence(), response: Response(), references: references(), at: time())
    }

    package mutating func resolution() -> Resolution {
        Resolution(
            outcome: pick([.approved, .partiallyApproved, .declined, .notPosted, .reversed]),
            means: pick([.statusQuery, .find, .recoveredResult, .reversalAcknowledgement, .settlementLine]),
            amounts: chance(80) ? amounts() : nil,
            evidence: evidence(),
            at: time()
        )
    }

    package mutating func capture() -> Capture {
        Capture(
            id: pick([Capture.saleID, "a", "b"]),
            amounts: amounts(),
            evidence: evidence(),
            references: references(),
            batch: batch(),
            at: time()
        )
    }

    package mutating func tender() -> Tender {
        Tender(
            id: pick(["a", "b", "c"]),
            amounts: amounts(),
            balance: chance(50) ? money() : nil,
            offers: chance(20) ? [NamedAmount(id: pick(["x", "y"]), amount: chance(90) ? money() : nil)] : nil,
            isPartial: chance(30),
            isCaptured: chance(80),
            account: chance(30) ? TenderAccount(kind: "gift", lastFour: "0119") : nil,
            evidence: evidence(),
            references: references(),
            at: time()
        )
    }

    package mutating func refusal() -> TenderRefusal {
        TenderRefusal(
            outcome: pick([.declined, .failed]),
            id: chance(30) ? "a" : nil,
            amount: chance(50) ? money() : nil,
            evidence: evidence(),
            at: time()
        )
    }

    package mutating func followUpRefusal() -> FollowUpRefusal {
        FollowUpRefusal(
            pick(FollowUp.allCases),
            outcome: pick(FollowUpRefusal.Outcome.allCases),
            amount: chance(50) ? money() : nil,
            evidence: evidence(),
            at: time()
        )
    }

    package mutating func dispense() -> Dispense {
        Dispense(
            id: pick(["a", "b"]),
            requested: chance(60) ? money() : nil,
            dispensed: money(),
            isPartial: chance(30),
            evidence: evidence(),
            at: time()
        )
    }

    package mutating func part() -> Return {
        Return(
            id: pick(["a", "b", "c"]),
            amount: chance(60) ? money() : nil,
            evidence: evidence(),
            references: references(),
            batch: batch(),
            at: time()
        )
    }

    package mutating func settlement() -> Settlement {
        Settlement(id: pick(["1", "2"]), amount: chance(40) ? money() : nil, batch: batch(), at: time())
    }

    package mutating func tip() -> TipAdjustment {
        TipAdjustment(tip: money(), amounts: chance(50) ? amounts() : nil, evidence: evidence(), at: time())
    }

    package mutating func increment() -> Increment {
        let delta = money()
        // Releases are as frequent as increases.
        let isRelease = chance(50) && delta.value != .min
        return Increment(
            id: pick(["a", "b"]),
            delta: isRelease ? Money(-delta.value, delta.currency) : delta,
            evidence: evidence(),
            at: time()
        )
    }

    package mutating func value() -> ValueEvent {
        ValueEvent(
            pick(ValueEventName.allCases),
            ValueReport(
                amount: chance(60) ? money() : nil,
                balance: chance(20) ? money() : nil,
                response: Response(),
                references: references(),
                at: time()
            )
        )
    }

    package mutating func fact() -> TransactionEvent {
        switch Int.random(in: 0..<39, using: &random) {
        case 0...2: .saleRequested(request())
        case 3...4: .authorizationRequested(request())
        case 5: chance(30) ? .creditRequested(request()) : .verificationRequested(request())
        case 6...9: .authorizationApproved(approval())
        case 10: .partiallyApproved(approval())
        case 11: chance(30) ? .creditApproved(approval()) : .accountVerified(approval())
        case 12: .declined(verdict())
        case 13: chance(50) ? .cancelled(verdict()) : .failed(verdict())
        case 14: .outcomeUnknown(verdict())
        case 15...16: .outcomeResolved(resolution())
        case 17: .authorizationIncremented(increment())
        case 18...21: .captured(capture())
        case 22: .captureReversed(part())
        case 23: .tipAdjusted(tip())
        case 24: .voided(part())
        case 25: .reversed(part())
        case 26: .expired(settlement())
        case 27...28: .refunded(part())
        case 29: .refundVoided(part())
        case 30: .settled(settlement())
        case 31: .settlementRejected(settlement())
        case 32: .funded(settlement())
        case 33...34: .tenderApplied(tender())
        case 35: chance(50) ? .tenderRefused(refusal()) : .tenderApplied(tender())
        case 36: chance(50) ? .cashDispensed(dispense()) : .followUpRefused(followUpRefusal())
        case 37: .value(value())
        default: chance(60) ? .chargedBack(part()) : .chargebackReversed(part())
        }
    }
}
