import Canonical
import Composition
import EventLog
import Intake
import Payments
import Projections
import Testing

/// A batch number that is used twice at one terminal: 10.00 in the first use, and 2.50 in the second.
struct ReusedBatchNumberTests {
    private static let number = BatchReference(vendor: .dejavoo, account: "111111111111", number: "012")
    private static let amounts: [Int64] = [1000, 250]

    private enum Step: String {
        case money1, closing1, money2, closing2
    }

    /// Records what happened around one batch number.
    private struct Terminal {
        let planted: PlantedLedger
        let tenant: String
        /// The days between both uses.
        var days = 100
        let payments = [UUID128(high: 1, low: 1), UUID128(high: 1, low: 2)]

        private var sender: Sender { Sender(tenant: tenant, actor: "cli:test", correlation: "c-1") }

        /// - Parameter hour: The hour after the beginning of the first day.
        static func hour(_ hour: Int) -> Timestamp {
            Timestamp(microsecondsSince1970: 1_768_003_200_000_000 + Int64(hour) * 3_600_000_000)
        }

        func take(_ step: Step) async throws {
            let next = days * 24
            switch step {
            case .money1: try await sell(0, hour: 12)
            case .closing1: try await close(hour: 23)
            case .money2: try await sell(1, hour: next + 12)
            case .closing2: try await close(hour: next + 23)
            }
            try await settle()
        }

        /// - Parameter isTimed: Whether the document has a time. The event has one in any case.
        func sell(_ index: Int, hour: Int, isTimed: Bool = true) async throws {
            let amounts = Amounts(total: Money(ReusedBatchNumberTests.amounts[index], .usd))
            let at = Self.hour(hour)
            let facts: [TransactionEvent] = [
                .saleRequested(PaymentRequest(amounts: amounts)),
                .authorizationApproved(
                    Approval(amounts: amounts, evidence: .gateway, response: Response(), references: References())
                ),
                .captured(
                    Capture(
                        id: Capture.saleID,
                        amounts: amounts,
                        evidence: .gateway,
                        batch: ReusedBatchNumberTests.number,
                        at: isTimed ? .instant(at) : nil
                    )
                ),
            ]
            try await record(facts, on: index, at: at)
        }

        func record(_ facts: [TransactionEvent], on index: Int, at time: Timestamp) async throws {
            let received = DocumentReceived(
                vendor: .dejavoo,
                kind: "story",
                document: .object(JSONObject()),
                redactions: []
            )
            _ = try await planted.ledger.intake.recorder.record(
                facts,
                from: received,
                stream: StreamName.transaction(payments[index]),
                keys: [],
                idempotency: [],
                policy: LifecyclePolicy(),
                occurredAt: time,
                sender: sender
            )
        }

        /// - Parameters:
        ///   - isTimed: Whether the document has a time.
        ///   - isPlaced: False for an event that its sender put on the stream of the number.
        func close(
            hour: Int,
            settlement: String? = nil,
            net: Int64? = nil,
            isTimed: Bool = true,
            isPlaced: Bool = true
        ) async throws {
            let closing = BatchClosing(
                batch: ReusedBatchNumberTests.number,
                settlement: settlement,
                response: Response(code: "00"),
                totals: net.map { HostTotals(net: Money($0, .usd)) },
                at: isTimed ? .instant(Self.hour(hour)) : nil
            )
            _ = try await planted.ledger.intake.recorder.record(
                [.batchClosed(closing)],
                about: ReusedBatchNumberTests.number,
                from: nil,
                idempotency: [],
                occurredAt: Self.hour(hour),
                sender: sender,
                isIntake: isPlaced
            )
        }

        func settle() async throws { try await planted.settle() }

        func batches() async throws -> [BatchView] {
            try await planted.ledger.payments.batches.batches(of: tenant, number: "012", limit: 10)
        }

        func state(_ index: Int) async throws -> TransactionState {
            let events = try await planted.ledger.reader.stream(
                StreamName.transaction(payments[index]),
                of: tenant
            )
            return TransactionState(folding: try events.map { try TransactionEvent($0) })
        }

        /// Expects the money of each use in the batch that its closing closed, and nothing elsewhere.
        func expectBothSettled(_ note: String) async throws {
            let batches = try await batches()
            let nets = batches.filter { !$0.totals.isEmpty }.map { batch in
                "\(batch.closedAt?.rfc3339 ?? "open") \(batch.totals.reduce(0) { $0 + $1.net })"
            }
            let ends = [Self.hour(23), Self.hour(days * 24 + 23)].map(\.rfc3339)
            #expect(nets.sorted() == ["\(ends[0]) 1000", "\(ends[1]) 250"], "\(note)")
            #expect(batches.filter { $0.closing != nil }.map(\.reference.generation).sorted() == [1, 2], "\(note)")
            for index in 0...1 {
                let state = try await state(index)
                #expect(state.status == .settled, "\(note)")
                let batch = batches.first { $0.closedAt?.rfc3339 == ends[index] }
                #expect(state.captures.first?.settledIn == batch?.reference, "\(note)")
            }
        }
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
}
