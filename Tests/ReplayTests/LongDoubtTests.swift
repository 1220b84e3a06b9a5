import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Projections
import Replay
import Testing

/// A query reads a long payment as a whole once.
@Suite struct LongDoubtTests {
    private static let length = 5_000

    private func fill(_ id: UUID128, _ log: TestLog) async throws {
        let shown = DeviceEvent(.cardPresented, DeviceReport())
        let ids = UUIDv7Generator(clock: log.clock)
        for _ in 0..<Self.length / 100 {
            let events = try (0..<100).map { _ in
                try ProposedEvent(TransactionEvent.device(shown), id: ids.next(), at: log.clock.now(), by: World.sender)
            }
            let item = AppendItem(
                tenant: World.sender.tenant,
                stream: StreamName.transaction(id),
                expected: .any,
                events: events
            )
            _ = try await log.sequencer.append(item)
        }
    }

    private func expectOnce(_ read: Int) {
        #expect(read >= Self.length && read < Self.length + 100, "\(read) events were read")
    }

    @Test func aQueryReadsThePaymentOnce() async throws {
        try await withBooks { log, books in
            let id = try await World.with(log, books: books, faults: "lost=100") { try await $0.sell(1_250) }
            try await fill(id, log)
            try await World.with(log, books: books) { world in
                let rows = try await CountedRows(at: log.url)
                log.clock.advance(seconds: 5)
                let read = try await rows.read {
                    guard case .queried(let after) = try await world.resolver.resolve(id, sender: World.sender) else {
                        Issue.record("not queried")
                        return
                    }
                    #expect(after.state.status == .captured && after.doubt == nil)
                    #expect(after.version == after.state.version)
                }
                expectOnce(read)
                #expect(try await world.state(id).status == .captured)
            }
        }
    }

    @Test func aReversalReadsThePaymentOnce() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books, reversals: true) { world in
                let id = try await world.sell(1_250)
                try await world.fail(id)
                try await fill(id, log)
                let rows = try await CountedRows(at: log.url)
                let read = try await rows.read {
                    guard case .queried(let after) = try await world.resolver.resolve(id, sender: World.sender) else {
                        Issue.record("nothing was sent")
                        return
                    }
                    #expect(after.state.status == .voided && !after.isOpen)
                }
                expectOnce(read)
            }
        }
    }

    /// The process decides the time of the next check from what the check has read.
    @Test func aCheckWithoutAGatewayReadsThePaymentOnce() async throws {
        try await withBooks { log, books in
            try await World.with(log, books: books) { world in
                let id = try await world.begin(.bridgepay, References(invoice: "7"), cents: 1_250, document: [:])
                try await fill(id, log)
                let readModels = ReadModels([TransactionsProjection()], pool: log.pool, reader: log.reader)
                try await readModels.install()
                let follower = readModels.follower(appended: log.signal, logger: TestLog.logger)
                let following = Task { await follower.run() }
                let head = try await log.reader.head()
                #expect(try await readModels.wait(for: "transactions", toReach: head, timeout: .seconds(60)))
                let process = ResolverProcess(
                    pool: log.pool,
                    resolver: world.resolver,
                    readModels: readModels,
                    appended: log.signal,
                    ids: UUIDv7Generator(clock: log.clock),
                    wallClock: log.clock,
                    logger: TestLog.logger
                )
                log.clock.advance(seconds: 5)
                let rows = try await CountedRows(at: log.url)
                var schedule = ResolverProcess.Schedule()
                let read = try await rows.read { try await process.step(&schedule) }
                expectOnce(read)
                #expect(schedule.count == 0)
                following.cancel()
                await following.value
            }
        }
    }
}
