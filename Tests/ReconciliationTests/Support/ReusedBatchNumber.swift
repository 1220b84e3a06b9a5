import Canonical
import Composition
import EventLog
import Intake
import Payments
import Projections
import Testing

extension ReusedBatchNumberTests {
    /// Records what happened around one batch number.
    struct Terminal {
        let planted: PlantedLedger
        let tenant: String
        /// The days between both uses.
        var days = 100
        var number = ReusedBatchNumberTests.number
        let payments = (1...3 as ClosedRange<UInt64>).map { UUID128(high: 1, low: $0) }

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
        func sell(
            _ index: Int,
            hour: Int,
            isTimed: Bool = true,
            references: References = References()
        ) async throws {
            let amounts = Amounts(total: Money(ReusedBatchNumberTests.amounts[index], .usd))
            let at = Self.hour(hour)
            let facts: [TransactionEvent] = [
                .saleRequested(PaymentRequest(amounts: amounts)),
                .authorizationApproved(
                    Approval(amounts: amounts, evidence: .gateway, response: Response(), references: references)
                ),
                .captured(
                    Capture(
                        id: Capture.saleID,
                        amounts: amounts,
                        evidence: .gateway,
                        batch: number,
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
                batch: number,
                settlement: settlement,
                response: Response(code: "00"),
                totals: net.map { HostTotals(net: Money($0, .usd)) },
                at: isTimed ? .instant(Self.hour(hour)) : nil
            )
            _ = try await planted.ledger.intake.recorder.record(
                [.batchClosed(closing)],
                about: number,
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
}
