import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Reconciliation
import Statements
import Synchronization
import Testing

/// Importing statement files into a log.
struct ImportTests {
    private static let sender = Sender(tenant: "acme", actor: "cli:test", correlation: "c-1")

    private static func file(_ rows: Int) -> [UInt8] {
        var text = "type,currency,gross,processor_id,day\n"
        for row in 0..<rows { text += "sale,USD,1.\(row % 90 + 10),p-\(row),2026-03-01\n" }
        return Array(text.utf8)
    }

    private static func importer(_ log: TestLog) -> StatementImporter {
        StatementImporter(
            sequencer: log.sequencer,
            reader: EventReader(pool: log.pool),
            ids: UUIDv7Generator(clock: log.clock),
            clock: log.clock
        )
    }

    private static func data(_ log: TestLog) async throws -> [String] {
        try await EventReader(pool: log.pool).events(after: 0, limit: 1000).map { $0.type + $0.data }
    }

    /// A file whose second reading fails in the middle.
    private final class Torn: StatementSource {
        struct Failure: Error {}

        private let bytes: [UInt8]
        private let left: Mutex<Int>

        init(_ bytes: [UInt8], reads: Int) {
            self.bytes = bytes
            left = Mutex(reads)
        }

        func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
            let isOver = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isOver { throw Failure() }
            return try await StatementBytes(bytes).read(count, at: offset)
        }
    }

    @Test func anInterruptedImportContinues() async throws {
        let bytes = Self.file(40_000)
        let whole = try await TestLog.with { log in
            let outcome = try await Self.importer(log).import(StatementBytes(bytes), .init(), sender: Self.sender)
            #expect(outcome.statement.lines == 40_000 && !outcome.isRepeat)
            return try await Self.data(log)
        }
        try await TestLog.with { log in
            // Detecting the format and the first pass take six reads; the second pass fails after some reads.
            let torn = Torn(bytes, reads: 10)
            await #expect(throws: Torn.Failure.self) {
                _ = try await Self.importer(log).import(torn, .init(), sender: Self.sender)
            }
            let some = try await Self.data(log)
            #expect(some.count > 1 && some.count < whole.count, "\(some.count) of \(whole.count)")
            let outcome = try await Self.importer(log).import(StatementBytes(bytes), .init(), sender: Self.sender)
            #expect(!outcome.isRepeat)
            #expect(try await Self.data(log) == whole)
            #expect(try await Self.importer(log).import(StatementBytes(bytes), .init(), sender: Self.sender).isRepeat)
            #expect(try await Self.data(log) == whole)
        }
    }

    @Test func nothingOfAMalformedFileIsRecorded() async throws {
        try await TestLog.with { log async throws -> Void in
            let bytes = Self.file(20_000) + Array("sale,USD,1.005,p,2026-03-01\n".utf8)
            let problem = await #expect(throws: StatementProblem.self) {
                _ = try await Self.importer(log).import(StatementBytes(bytes), .init(), sender: Self.sender)
            }
            #expect(problem?.code == .badAmount && problem?.line == 20_002)
            #expect(try await Self.data(log).isEmpty)
        }
    }

    /// Card numbers do not get into the log, wherever they are in a file.
    @Test func cardNumbersAreMasked() async throws {
        try await TestLog.with { log in
            let text =
                "type,currency,gross,processor_id,text,day\nsale,USD,1.00,p-1,card 4111111111111111 x,2026-03-01\n"
            let request = StatementImporter.Request(name: "4111111111111111.csv")
            _ = try await Self.importer(log).import(StatementBytes(Array(text.utf8)), request, sender: Self.sender)
            #expect(try await Self.data(log).allSatisfy { !$0.contains("4111111111111111") })
        }
    }
}
