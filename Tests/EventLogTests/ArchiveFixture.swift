import Canonical
import DaybookTestKit
import Merkle
import Postgres

@testable import EventLog

/// A log of small partitions with an archive directory.
struct ArchiveFixture: Sendable {
    let log: TestLog
    let directory: String
    let archiver: Archiver

    static func with(partitions: Int = 8, _ body: @Sendable (ArchiveFixture) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let archives = directory + "/archive"
            try await TestLog.with(
                template: .smallPartitions(partitions),
                limits: .init(partitionSpan: 256),
                archiveDirectory: archives
            ) { log in
                let configuration = PostgresConfiguration(connectionString: log.url).acting(as: .archiver)
                try await PostgresPool.withPool(configuration, options: .patient) { pool in
                    let archiver = Archiver(pool: pool, directory: archives, logger: TestLog.logger)
                    try await body(ArchiveFixture(log: log, directory: archives, archiver: archiver))
                }
            }
        }
    }

    /// A reader with empty caches.
    var freshReader: EventReader { EventReader(pool: log.pool, archiveDirectory: directory) }

    /// Appends events of several tenants and streams, some long, some with awkward text, and covers them with a
    /// checkpoint.
    func fill(_ count: Int, seed: UInt64 = 1) async throws {
        var random = SeededGenerator(seed: seed)
        var left = count
        while left > 0 {
            let size = min(left, Int.random(in: 1...6, using: &random))
            left -= size
            let stream = "transaction/\(Int.random(in: 0..<40, using: &random))"
            let tenant = Int.random(in: 0..<10, using: &random) == 0 ? "other" : "acme"
            var item = AppendItem.sample(stream, tenant: tenant, count: 0)
            item.events = (0..<size).map { _ in
                var event = ProposedEvent.sample(
                    ["Sold", "Voided", "No\"te\u{1F4B3}"].randomElement(using: &random) ?? ""
                )
                event.actor = "key:\(Int.random(in: 0..<3, using: &random))"
                event.data = "{\"n\":\(random.next()),\"text\":\"\u{e9}\\n,\\\"data\\\":\"}"
                event.causation = Bool.random(using: &random) ? event.id : nil
                return event
            }
            if Bool.random(using: &random) { item.idempotency = [Self.key("k\(seed)-\(left)")] }
            if Bool.random(using: &random) { item.references = ["r\(seed)-\(left)\",\"data\":{"] }
            log.clock.advance(microseconds: Int64.random(in: 0...3, using: &random))
            guard case .appended = try await log.sequencer.append(item) else { throw TestKitError("not appended") }
        }
        try await cover()
    }

    /// A key of digests, like the keys of senders.
    private static func key(_ text: String) -> IdempotencyKey {
        IdempotencyKey(key: MerkleHash(leaf: Array(text.utf8)).bytes, request: MerkleHash(leaf: []).bytes)
    }

    /// Stores a checkpoint row for the whole log, as far as the archiver checks it.
    func cover() async throws {
        try await log.pool.execute(
            """
            INSERT INTO ledger.checkpoints (size, root, note, signed_at)
            SELECT position, sha256(''), '', now() FROM ledger.head WHERE position > 0 ON CONFLICT DO NOTHING
            """
        )
    }

    /// The answers to many queries, in words.
    func answers(_ reader: EventReader) async throws -> [String] {
        var random = SeededGenerator(seed: 99)
        let head = try await reader.head()
        let start = ManualClock().now()
        func position() -> Int64 { Int64.random(in: 0...head, using: &random) }
        func limit() -> Int { [1, 7, 100, 300, Int.max].randomElement(using: &random) ?? 1 }
        var answers: [String] = []
        func note(_ question: String, _ events: [RecordedEvent]) {
            answers.append(
                question + ": " + events.map { "\($0.position) \($0.recordLine.hashValue)" }.joined(separator: ",")
            )
        }
        note("all", try await reader.events(after: 0, limit: .max))
        for _ in 0..<12 {
            let (after, count) = (position(), limit())
            note("after \(after) \(count)", try await reader.events(after: after, limit: count))
            let range = AppendedRange(firstPosition: after, count: min(count, 20))
            note("range \(range)", try await reader.range(range))
            for tenant in ["acme", "other"] {
                note("at \(after) \(tenant)", try await reader.event(at: after, of: tenant).map { [$0] } ?? [])
            }
            let stream = "transaction/\(Int.random(in: 0..<40, using: &random))"
            let version = Int64.random(in: 1...60, using: &random)
            note("\(stream)", try await reader.stream(stream, of: "acme"))
            note(
                "\(stream) \(version) \(count)",
                try await reader.stream(stream, of: "acme", from: version, limit: count)
            )
        }
        for number in 0..<40 {
            var filter = EventFilter()
            if number % 3 == 0 { filter.type = ["Sold", "No\"te\u{1F4B3}", "None"].randomElement(using: &random) }
            if number % 4 == 1 { filter.stream = "transaction/\(Int.random(in: 0..<40, using: &random))" }
            if number % 5 == 2 { filter.actor = "key:\(Int.random(in: 0..<3, using: &random))" }
            if number % 7 == 3 { filter.upTo = position() }
            if number % 6 == 4 {
                filter.recordedFrom = start.adding(microseconds: Int64.random(in: 0...800, using: &random))
            }
            if number % 6 == 5 {
                filter.recordedBefore = start.adding(microseconds: Int64.random(in: 0...800, using: &random))
            }
            let (tenant, after, count) = (number % 5 == 4 ? "other" : "acme", position() / 2, limit())
            let feed = try await reader.feed(of: tenant, matching: filter, after: after, limit: count)
            note("feed \(number)", feed)
            note("newest \(number)", try await reader.newest(of: tenant, matching: filter, limit: count))
        }
        return answers
    }
}
