import Canonical
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

struct LogRunsTests {
    /// The states at the end of a run, by payment.
    private static func states(_ run: LogRun) throws -> [UUID128: TransactionState] {
        Dictionary(uniqueKeysWithValues: try run.payments().map { ($0.id, $0.after) })
    }

    private static func folded(_ number: Int, _ log: TestLog, upTo position: Int64) async throws -> TransactionState {
        let events = try await log.reader.stream(StreamName.transaction(Samples.id(number)), of: "acme")
        var state = TransactionState()
        for event in events where event.position <= position {
            let data = try JSONValue(parsing: event.data.utf8)
            state.fold(try TransactionEvent(type: event.type, schema: event.schema, data: data), at: event.occurredAt)
        }
        return state
    }

    /// However few states are remembered, and whichever follower is ahead, a run ends with the fold of the log.
    @Test(arguments: [1, 2, 1000]) func everyStateEqualsAFoldOfTheLog(remembered: Int) async throws {
        try await TestLog.with { log in
            var random = SeededGenerator.forTest()
            for step in 0..<60 {
                let number = Int.random(in: 0..<9, using: &random)
                let facts = step < 9 ? Samples.sale(1000) : [.refunded(Samples.taken("r\(step)", 1))]
                try await log.record(facts, about: Samples.id(step < 9 ? step : number))
            }
            let head = try await log.reader.head()
            let runs = LogRuns(reader: log.reader, payments: remembered)
            // Two followers at different paces, so that one is always behind the remembered states.
            var positions: [Int64] = [0, 0]
            while let behind = positions.indices.filter({ positions[$0] < head }).randomElement(using: &random) {
                let end = positions[behind] + Int64.random(in: 1...20, using: &random)
                let run = try #require(try await runs.run(after: positions[behind], upTo: end))
                #expect(run.start == positions[behind])
                for (id, state) in try Self.states(run) {
                    let number = try #require((0..<9).first { Samples.id($0) == id })
                    #expect(try await state == Self.folded(number, log, upTo: run.end))
                }
                positions[behind] = run.end
            }
        }
    }

    @Test func aLaterReaderGetsTheSameRunAndContinues() async throws {
        try await TestLog.with { log in
            for number in 0..<6 { try await log.record(Samples.sale(100), about: Samples.id(number)) }
            let runs = LogRuns(reader: log.reader, limit: 10)
            let first = try #require(try await runs.run(after: 0))
            #expect(first.end == 10)
            // New events do not change a run that was already cut.
            try await log.record(Samples.sale(100), about: Samples.id(6))
            #expect(try await runs.run(after: 0)?.end == 10)
            #expect(try await runs.run(after: 4)?.end == 10)
            #expect(try await runs.run(after: 10)?.start == 10)
            let head = try await log.reader.head()
            #expect(try await runs.run(after: head) == nil)
            #expect(try await runs.run(after: 5, upTo: 5) == nil)
        }
    }

    /// A read model at the start of a run has the links of all earlier events.
    @Test func aRunRepeatsNoLinkOfEarlierEvents() async throws {
        try await TestLog.with { log in
            let sale = Samples.sale(100, document: Samples.document(merchant: "shop"))
            for number in 0..<3 { try await log.record(sale, about: Samples.id(number)) }
            let runs = LogRuns(reader: log.reader)
            var links: [Int] = []
            for (start, end) in [(0, 4), (4, 8), (0, 3), (8, 12)] as [(Int64, Int64)] {
                let run = try #require(try await runs.run(after: start, upTo: end))
                links.append(try run.merchantLinks().count)
            }
            // The shop's name and its terminal, also for a read model that begins again.
            #expect(links == [2, 0, 2, 0])
        }
    }

    @Test func anUnreadableEventFailsOnlyTheReadersThatNeedIt() async throws {
        try await TestLog.with { log in
            try await log.record(Samples.sale(100), about: Samples.id(1))
            let poison = try await log.recordPoison(in: StreamName.transaction(Samples.id(1)))
            let run = try #require(try await LogRuns(reader: log.reader).run(after: 0))
            #expect(run.end == poison)
            #expect(try run.batches().isEmpty)
            let error = #expect(throws: UnappliedEvent.self) { try run.payments() }
            #expect(error?.position == poison)
        }
    }

    /// A failover can lose the newest events; their remembered states must not be folded into later events.
    @Test func memoryIsDiscardedWhenTheLogDiffers() async throws {
        try await TestLog.with { log in
            try await log.record(Samples.sale(1000), about: Samples.id(1))
            let head = try await log.reader.head()
            let runs = LogRuns(reader: log.reader)
            let before = try Self.states(try #require(try await runs.run(after: 0)))
            // The same positions and versions with other events, as another primary would have them.
            try await log.superuser.withTransaction { transaction in
                try await transaction.script(
                    """
                    ALTER TABLE ledger.events DISABLE TRIGGER ALL;
                    DELETE FROM ledger.events WHERE position = \(head);
                    UPDATE ledger.head SET position = \(head - 1);
                    UPDATE ledger.streams SET version = version - 1;
                    """
                )
            }
            #expect(try await runs.run(after: head - 1) == nil)
            #expect(try await runs.run(after: 0)?.end == head - 1)
            let states = try Self.states(try #require(try await runs.run(after: 0)))
            #expect(states != before)
            #expect(try await states[Samples.id(1)] == Self.folded(1, log, upTo: head - 1))
        }
    }

    /// What this process wrote last was lost, and another process has written since: the events that this process
    /// remembers are no piece of the log any more.
    @Test func memoryIsDiscardedWhenOthersContinueAnotherLog() async throws {
        try await TestLog.with { log in
            let runs = LogRuns(reader: EventReader(pool: log.pool, tail: log.tail))
            try await log.record(Samples.sale(1000), about: Samples.id(1))
            let head = try await log.reader.head()
            #expect(try await runs.run(after: 0)?.end == head)
            try await log.superuser.withTransaction { transaction in
                try await transaction.script(
                    """
                    ALTER TABLE ledger.events DISABLE TRIGGER ALL;
                    UPDATE ledger.events SET leaf = sha256(leaf), data = replace(data::text, '1000', '2000')::json
                    WHERE position <= \(head);
                    CREATE TEMPORARY TABLE other AS SELECT * FROM ledger.events WHERE position = \(head);
                    UPDATE other SET position = position + 1, version = version + 1, id = gen_random_uuid();
                    INSERT INTO ledger.events SELECT * FROM other;
                    UPDATE ledger.head SET position = position + 1;
                    """
                )
            }
            let states = try Self.states(try #require(try await runs.run(after: head)))
            #expect(try await states[Samples.id(1)] == Self.folded(1, log, upTo: head + 1))
        }
    }
}
