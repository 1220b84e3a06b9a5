import Canonical
import Composition
import EventLog
import Intake
import Payments
import Projections
import Testing

/// A batch number that is used twice at one terminal: 10.00 in the first use, and 2.50 in the second. A third payment
/// is of 0.40.
struct ReusedBatchNumberTests {
    static let number = BatchReference(vendor: .dejavoo, account: "111111111111", number: "012")
    static let amounts: [Int64] = [1000, 250, 40]

    enum Step: String {
        case money1, closing1, money2, closing2
    }

    private static let orders: [[Step]] = [
        [.money1, .closing1, .money2, .closing2], [.money1, .money2, .closing1, .closing2],
        [.money1, .money2, .closing2, .closing1], [.closing1, .money1, .closing2, .money2],
        [.closing2, .closing1, .money2, .money1], [.closing2, .money2, .closing1, .money1],
        [.money2, .closing2, .money1, .closing1], [.closing1, .closing2, .money1, .money2],
    ]

    @Test(arguments: [1, 100])
    func eachUseHasItsOwnMoney(days: Int) async throws {
        try await PlantedLedger.with { planted in
            for (round, order) in Self.orders.enumerated() {
                let terminal = Terminal(planted: planted, tenant: "acme-\(round)", days: days)
                for step in order { try await terminal.take(step) }
                let note = "\(days): \(order.map(\.rawValue))"
                try await terminal.expectBothSettled(note)
                // Money that is reported after a later use was closed is flagged, and money without a closing.
                let place = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
                let isLate = place[.money1, default: 0] > place[.closing2, default: 0]
                let wasMissing = days > 30 && place[.closing1, default: 0] > place[.closing2, default: 0]
                let flags = try await terminal.state(0).anomalies.map(\.kind)
                #expect(flags.isEmpty != (isLate || wasMissing), "\(note): \(flags)")
                #expect(flags.allSatisfy { $0 == .settlementMismatch }, "\(note)")
                #expect(try await terminal.state(1).anomalies.isEmpty, "\(note)")
            }
        }
    }

    @Test func closingsWithoutATimeCloseWhatIsOpen() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme", days: 2)
            for index in 0...1 {
                try await terminal.sell(index, hour: index * 48 + 12)
                try await terminal.settle()
                try await terminal.close(hour: index * 48 + 23, isTimed: false)
                try await terminal.settle()
            }
            try await terminal.expectBothSettled("without times")
        }
    }

    @Test func capturesWithoutATimeAreInTheBatchInWhichTheyAreRecorded() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme", days: 2)
            // The first is recorded half a day after its closing, the second before its own.
            try await terminal.close(hour: 23)
            try await terminal.settle()
            try await terminal.sell(0, hour: 35, isTimed: false)
            try await terminal.settle()
            #expect(try await terminal.state(0).status == .settled)
            try await terminal.sell(1, hour: 60, isTimed: false)
            try await terminal.settle()
            #expect(try await terminal.state(1).status == .captured)
            let open = try await terminal.batches().filter { $0.closing == nil }
            #expect(open.map(\.reference) == [Self.number.inGeneration(2)])
            try await terminal.close(hour: 71)
            try await terminal.settle()
            try await terminal.expectBothSettled("without times")
        }
    }

    /// Such as the answer to a query, days later.
    @Test func aFurtherReportWithoutATimeLeavesTheMoneyInItsBatch() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            for step in [Step.money1, .closing1] { try await terminal.take(step) }
            let again = Capture(
                id: Capture.saleID,
                amounts: Amounts(total: Money(Self.amounts[0], .usd)),
                evidence: .gateway,
                response: Response(code: "00"),
                batch: Self.number
            )
            try await terminal.record([.captured(again)], on: 0, at: Terminal.hour(100))
            try await terminal.settle()
            let state = try await terminal.state(0)
            #expect(state.status == .settled && state.captures.first?.settledIn == Self.number)
            #expect(state.anomalies.isEmpty)
        }
    }

    @Test func anotherReportOfAClosingIsNoOtherUse() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            try await terminal.take(.money1)
            try await terminal.close(hour: 23, settlement: "s", net: 1000)
            try await terminal.close(hour: 23, isTimed: false)
            try await terminal.close(hour: 23, settlement: "t", net: 900)
            try await terminal.settle()
            let batches = try await terminal.batches()
            #expect(batches.map(\.reference) == [Self.number])
            let events = try await planted.ledger.reader.stream(
                StreamName.batch(Self.number, of: "acme"),
                of: "acme"
            )
            let types = ["BatchClosed", "BatchClosed", "BatchClosed", "AnomalyRaised"]
            #expect(events.map(\.type) == types)
        }
    }

    @Test func aClosingOnTheStreamOfAnotherUseIsRecordedForItsOwn() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            for step in [Step.money1, .closing1, .money2] { try await terminal.take(step) }
            try await terminal.close(hour: 2_423, isPlaced: false)
            try await terminal.settle()
            try await terminal.expectBothSettled("by events")
        }
    }

    @Test func theClosingOfAMissingUseComesLater() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            for step in [Step.money1, .money2, .closing2] { try await terminal.take(step) }
            #expect(try await terminal.state(0).status == .captured)
            let generations = try await terminal.batches().map(\.reference.generation)
            #expect(generations.sorted() == [1, 20_260_110])
            try await terminal.take(.closing1)
            try await terminal.expectBothSettled("closed later")
        }
    }

    /// The closing's net has a tip that is reported on the next morning, with the time of the evening.
    @Test func aLateTipIsInTheBatchThatItWasClosedWith() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            try await terminal.take(.money1)
            try await terminal.close(hour: 23, net: 1200)
            try await terminal.settle()
            func agreement() async throws -> BatchAgreement {
                let batch = try #require(try await terminal.batches().first)
                return try #require(try await planted.ledger.payments.agreement(of: batch, tenant: "acme"))
            }
            #expect(try await agreement().difference.value == 200)
            let tip = TipAdjustment(tip: Money(200, .usd), evidence: .gateway, at: .instant(Terminal.hour(21)))
            try await terminal.record([.tipAdjusted(tip)], on: 0, at: Terminal.hour(33))
            try await terminal.settle()
            #expect(try await agreement().difference.value == 0)
            let state = try await terminal.state(0)
            #expect(state.settled == 1200 && state.tips == 200 && state.anomalies.isEmpty)
        }
    }

    /// Its number had other uses.
    @Test func aRefundAtAnotherTerminalLeavesTheCaptureInItsBatch() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            let other = BatchReference(vendor: .dejavoo, account: "222222222222", number: "012")
            let second = Terminal(planted: planted, tenant: "acme", number: other)
            for step in [Step.money1, .closing1, .money2] { try await terminal.take(step) }
            for hour in [23, 1_000] {
                try await second.close(hour: hour)
                try await terminal.settle()
            }
            let refund = Return(
                id: "r",
                amount: Money(50, .usd),
                evidence: .gateway,
                batch: other,
                at: .instant(Terminal.hour(2_414))
            )
            try await terminal.record([.refunded(refund)], on: 1, at: Terminal.hour(2_414))
            try await terminal.settle()
            let state = try await terminal.state(1)
            #expect(state.captures.map(\.batch) == [Self.number.inGeneration(2)])
            #expect(state.refunds.map(\.batch) == [other.inGeneration(3)])
            try await terminal.take(.closing2)
            #expect(try await terminal.state(1).captures.map(\.settledIn) == [Self.number.inGeneration(2)])
        }
    }

    /// An earlier build left the money of the second use in the batch of the first one.
    @Test func aClosingTakesOpenMoneyFromTheClosedBatchBeforeIt() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            for step in [Step.money1, .closing1, .money2] { try await terminal.take(step) }
            let first = BatchAssignment(line: "capture:\(Capture.saleID)", batch: Self.number)
            try await terminal.record([.batchAssigned(first)], on: 1, at: Terminal.hour(2_413))
            try await terminal.settle()
            let before = try await terminal.state(1)
            #expect(before.captures.map(\.batch) == [Self.number] && before.status == .captured)
            try await terminal.take(.closing2)
            try await terminal.expectBothSettled("from the first batch")
        }
    }

    /// A closing reads only what may be its own of the batch that was closed before.
    @Test func settledMoneyOfTheBatchBeforeIsNotReadAgain() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            for index in 0...1 { try await terminal.sell(index, hour: 12 + index) }
            try await terminal.close(hour: 23)
            try await terminal.settle()
            try await terminal.sell(2, hour: 2_412)
            try await terminal.settle()
            let first = BatchAssignment(line: "capture:\(Capture.saleID)", batch: Self.number)
            try await terminal.record([.batchAssigned(first)], on: 2, at: Terminal.hour(2_413))
            try await terminal.settle()
            let batches = planted.ledger.payments.batches
            let closed = try await batches.generations(of: Self.number, tenant: "acme")[1]
            let end = try #require(closed?.end)
            let all = try await batches.money(in: Self.number, tenant: "acme", limit: 10)
            #expect(all.map(\.transaction) == terminal.payments)
            let later = try await batches.money(in: Self.number, tenant: "acme", madeAfter: end, limit: 10)
            #expect(later.map(\.transaction) == [terminal.payments[2]])
            // A closing with a local time is not compared with lines that have none.
            let local = OccurrenceTime(local: LocalTime(shown: Terminal.hour(9_999)), instant: end.instant)
            #expect(try await batches.money(in: Self.number, tenant: "acme", madeAfter: local, limit: 10) == all)
            try await terminal.close(hour: 2_423)
            try await terminal.settle()
            #expect(try await terminal.state(2).captures.map(\.settledIn) == [Self.number.inGeneration(2)])
        }
    }

    private static let whole = BatchReference(vendor: .dejavoo, account: "a-1", number: "012")
    private static let references = References(gatewayAccount: "a-1", terminal: number.account)

    /// The first closing names the account, and the second one the terminal. With and without the placing of intake.
    @Test(arguments: [true, false]) func aClosingUnderTheTerminalHidesNoneOfTheAccount(isPlaced: Bool) async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            let account = Terminal(planted: planted, tenant: "acme", number: Self.whole)
            try await terminal.sell(0, hour: 12, references: Self.references)
            try await terminal.settle()
            try await account.close(hour: 23)
            try await terminal.settle()
            try await terminal.sell(1, hour: 2_412, references: Self.references)
            try await terminal.close(hour: 2_423, isPlaced: isPlaced)
            try await terminal.settle()
            let first = try await terminal.state(0)
            #expect(first.captures.map(\.batch) == [Self.number] && first.anomalies.isEmpty)
            #expect(first.captures.map(\.settledIn) == [Self.whole])
            let second = try await terminal.state(1)
            #expect(second.captures.map(\.settledIn) == [Self.number.inGeneration(2)] && second.anomalies.isEmpty)
        }
    }

    /// The first closing names the terminal, and the second one the account.
    @Test func aClosingUnderTheAccountLeavesWhatTheTerminalClosed() async throws {
        try await PlantedLedger.with { planted in
            let terminal = Terminal(planted: planted, tenant: "acme")
            let account = Terminal(planted: planted, tenant: "acme", number: Self.whole)
            try await terminal.sell(0, hour: 12, references: Self.references)
            try await terminal.close(hour: 23)
            try await terminal.settle()
            try await terminal.sell(1, hour: 2_412, references: Self.references)
            try await terminal.settle()
            try await account.close(hour: 2_423)
            try await terminal.settle()
            let first = try await terminal.state(0)
            #expect(first.captures.map(\.batch) == [Self.number] && first.anomalies.isEmpty)
            #expect(first.captures.map(\.settledIn) == [Self.number])
            let second = try await terminal.state(1)
            #expect(second.captures.map(\.settledIn) == [Self.whole] && second.anomalies.isEmpty)
        }
    }

    /// The closings name the account of the terminal.
    @Test func rejectedMoneyStaysInItsBatch() async throws {
        try await PlantedLedger.with { planted in
            let whole = BatchReference(vendor: .dejavoo, account: "a-1", number: "012")
            let terminal = Terminal(planted: planted, tenant: "acme")
            let account = Terminal(planted: planted, tenant: "acme", number: whole)
            try await account.close(hour: 23)
            try await terminal.settle()
            let references = References(gatewayAccount: "a-1", terminal: Self.number.account)
            try await terminal.sell(0, hour: 35, isTimed: false, references: references)
            try await terminal.settle()
            #expect(try await terminal.state(0).captures.map(\.settledIn) == [whole])
            let rejection = TransactionEvent.settlementRejected(Settlement(id: "s", batch: whole))
            try await terminal.record([rejection], on: 0, at: Terminal.hour(40))
            for hour in [71, 119] {
                try await account.close(hour: hour)
                try await terminal.settle()
            }
            let state = try await terminal.state(0)
            #expect(state.captures.map(\.batch) == [Self.number])
            #expect(state.captures.map(\.settledIn) == [nil])
        }
    }
}
