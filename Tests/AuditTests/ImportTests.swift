import Audit
import DaybookTestKit
import EventLog
import Foundation
import Merkle
import Postgres
import Testing

/// An export, and a log imported from it.
struct ImportTests {
    /// Everything in schema ledger that an import writes, printed.
    private static func contents(of url: String) async throws -> [String] {
        var contents: [String] = []
        for table in ["events", "streams", "idempotency", "reference_keys", "tiles", "head"] {
            contents.append(
                try await TestDatabase.psql(
                    "SELECT '\(table)', md5(string_agg(t::text, '|' ORDER BY t::text)), count(*) FROM ledger.\(table) t",
                    at: url
                )
            )
        }
        return contents
    }

    private static func export(_ url: String, from first: Int64 = 1, to last: Int64? = nil) async throws -> (
        text: String, summary: LogExport.Summary
    ) {
        let log = LogExport(configuration: PostgresConfiguration(connectionString: url))
        var bytes: [UInt8] = []
        let summary = try await log.run(from: first, to: last) { bytes += $0 }
        return (String(decoding: bytes, as: UTF8.self), summary)
    }

    private static func load(_ text: String, into url: String, continues: Bool = false) async throws -> MerkleHash {
        let configuration = PostgresConfiguration(connectionString: url)
        return try await LogImport.with(configuration, continues: continues) { log in
            try Array(text.utf8).forEachLine { line, _ in try log.add(try RecordLine(line)) }
            return log.root
        }
    }

    @Test func anExportIsTheRecordLinesAndPassesBothVerifiers() async throws {
        try await AuditedLog.with { url in
            let (text, summary) = try await Self.export(url)
            let events = try await PostgresPool.withPool(
                PostgresConfiguration(connectionString: url),
                options: .patient
            ) { pool in
                try await EventReader(pool: pool).events(after: 0, limit: 10_000)
            }
            #expect(text == events.map { $0.recordLine + "\n" }.joined())
            #expect(summary.count == Int64(events.count) && summary.bytes == Int64(text.utf8.count))
            #expect(summary.agreesWithTree)
            let note = try await TestDatabase.psql(
                "SELECT replace(note, E'\\n', '~') FROM ledger.checkpoints ORDER BY size DESC LIMIT 1",
                at: url
            )
            let checkpoint = note.replacing("~", with: "\n")
            let root = try #require(summary.root)
            #expect(try Checkpoint(text: SignedNote(checkpoint.utf8).text).root == root)
            let attestation = Attestation(size: summary.count, root: root, source: .given)
            #expect(Check.faults(of: text, attestation).isEmpty)
            let key = AuditedLog.keys.verifiers[0].text
            let verdict = try await Check.python(text, checkpoint: checkpoint, key: key)
            #expect(verdict.exitCode == 0, "\(verdict.output)")

            let part = try await Self.export(url, from: 100, to: 120)
            #expect(part.text == events[99..<120].map { $0.recordLine + "\n" }.joined() && part.summary.root == nil)
            #expect(try await Self.export(url, from: 5000).summary.count == 0)
        }
    }

    @Test func aTamperedLogIsNotExportedAsSound() async throws {
        try await AuditedLog.with("UPDATE ledger.events SET actor = 'nobody' WHERE position = 100") { url in
            let sound = try await Self.export(url).summary.agreesWithTree
            #expect(!sound)
        }
        try await AuditedLog.with("DELETE FROM ledger.events WHERE position = 100") { url in
            let gap = await #expect(throws: GapInLog.self) { try await Self.export(url) }
            #expect(gap?.expected == 100)
        }
        try await AuditedLog.with("DELETE FROM ledger.events WHERE position > 250") { url in
            let gap = await #expect(throws: GapInLog.self) { try await Self.export(url) }
            #expect(gap?.expected == 251)
        }
    }

    @Test func anImportMakesTheSameLog() async throws {
        try await AuditedLog.with { url in
            let (text, summary) = try await Self.export(url)
            let before = try await Self.contents(of: url)
            try await withTestDatabase(template: .ledger) { copy in
                let root = try await Self.load(text, into: copy)
                #expect(root == summary.root)
                #expect(try await Self.contents(of: copy) == before)
                #expect(try await AuditedLog.faults(at: copy) == [])
                // It agrees with every checkpoint of the first log, and has none of them.
                let witnessed = try await AuditedLog.faults(at: copy, withWitness: true)
                #expect(!witnessed.isEmpty && witnessed.allSatisfy { $0.kind == .checkpoint })
                // It continues like any other log.
                try await TestLog.with(url: copy) { log in
                    let result = try await log.sequencer.append(.sample("s"))
                    #expect(result == .appended(AppendedRange(firstPosition: summary.last + 1, count: 1)))
                }
                #expect(try await AuditedLog.faults(at: copy) == [])
                await #expect(throws: LogImport.Refusal.notEmpty(head: summary.last + 1)) {
                    try await Self.load(text, into: copy)
                }
            }
        }
    }

    @Test func anImportThatWasCutOffIsContinued() async throws {
        try await AuditedLog.with { url in
            let (text, summary) = try await Self.export(url)
            let begun = try await Self.export(url, to: 270).text
            try await withTestDatabase(template: .ledger) { copy in
                _ = try await Self.load(begun, into: copy)
                await #expect(throws: LogImport.Refusal.notEmpty(head: 270)) { try await Self.load(text, into: copy) }
                let other = SampleLog(count: 300).text
                await #expect(throws: LogImport.Refusal.anotherLog(head: 270)) {
                    try await Self.load(other, into: copy, continues: true)
                }
                #expect(try await Self.load(text, into: copy, continues: true) == summary.root)
                #expect(try await Self.contents(of: copy) == Self.contents(of: url))
            }
        }
    }

    @Test func textsWithEscapesComeThrough() async throws {
        let log = SampleLog(count: 600)
        try await withTestDatabase(template: .ledger) { copy in
            let root = try await Self.load(log.text, into: copy)
            #expect(root == Check.root(of: log.lines))
            let again = try await Self.export(copy).text
            #expect(again == log.text)
            let faults = try await AuditedLog.faults(at: copy)
            #expect(faults.isEmpty, "\(faults)")
        }
    }
}
