import Audit
import Composition
import DaybookTestKit
import EventLog
import Foundation
import Merkle
import Postgres
import Testing

/// Verification and export of a log whose oldest part is in files.
struct ArchiveAuditTests {
    /// 700 signed events, of which 512 are archived.
    private static func withArchive(
        _ body: @escaping @Sendable (_ url: String, _ directory: String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await TestLog.with(template: .smallPartitions(3)) { log in
                for _ in 0..<70 { _ = try await log.sequencer.append(.sample("a", count: 10)) }
                let signer = Checkpointer(
                    pool: log.pool,
                    keys: AuditedLog.keys,
                    witness: nil,
                    clock: log.clock,
                    logger: TestLog.logger
                )
                _ = try await signer.step()
                let before = try await export(log.url, nil)
                let configuration = log.configuration.acting(as: .archiver)
                let report = try await PostgresPool.withPool(configuration, options: .patient) { pool in
                    try await Archiver(pool: pool, directory: directory, logger: TestLog.logger)
                        .run(.keeping(0), drops: true)
                }
                #expect(report.outcomes.count == 2)
                #expect(try await export(log.url, directory) == before)
                try await body(log.url, directory)
            }
        }
    }

    private static func export(
        _ url: String,
        _ directory: String?,
        from first: Int64 = 1,
        to last: Int64? = nil
    ) async throws -> [UInt8] {
        let configuration = PostgresConfiguration(connectionString: url)
        var bytes: [UInt8] = []
        let summary = try await LogExport(configuration: configuration, archiveDirectory: directory)
            .run(from: first, to: last) { bytes += $0 }
        #expect(summary.agreesWithTree)
        #expect(summary.last == last ?? 700)
        return bytes
    }

    private static func faults(_ url: String, _ directory: String) async throws -> [LogFault] {
        try await DatabaseAudit(
            configuration: PostgresConfiguration(connectionString: url),
            archiveDirectory: directory,
            keys: AuditedLog.keys.verifiers
        ).run().faults.faults
    }

    @Test func anArchivedLogIsSoundAndItsPartsAreExported() async throws {
        try await Self.withArchive { url, directory in
            #expect(try await Self.faults(url, directory) == [])
            let lines = try await Self.export(url, directory).split(separator: UInt8(ascii: "\n"))
            for (first, last) in [(1, 10), (250, 260), (500, 520), (257, 512), (600, 700)] {
                let part = try await Self.export(url, directory, from: Int64(first), to: Int64(last))
                #expect(part.split(separator: UInt8(ascii: "\n")) == Array(lines[first - 1..<last]))
            }
        }
    }

    @Test func aChangedLineOfAnArchiveIsNamed() async throws {
        try await Self.withArchive { url, directory in
            let file = try Self.file(in: directory)
            var text = try String(contentsOf: file, encoding: .utf8)
            let lines = text.split(separator: "\n")
            text = lines.enumerated().map { number, line in
                (number == 76 ? String(line).replacing("\"actor\":\"test\"", with: "\"actor\":\"tesu\"") : String(line))
                    + "\n"
            }.joined()
            try text.write(to: file, atomically: true, encoding: .utf8)
            let faults = try await Self.faults(url, directory)
            #expect(faults.contains { $0.kind == .record && $0.position == 77 })
            #expect(Set(faults.map(\.position)) == [1, 77])
        }
    }

    @Test func aMissingArchiveIsNamed() async throws {
        try await Self.withArchive { url, directory in
            try FileManager.default.removeItem(at: try Self.file(in: directory))
            let faults = try await Self.faults(url, directory)
            #expect(faults.contains { $0.kind == .missing && $0.position == 1 })
            await #expect(throws: ArchiveError.self) { try await Self.export(url, directory) }
        }
    }

    private static func file(in directory: String) throws -> URL {
        URL(filePath: "\(directory)/events-000000000001-000000000256.ndjson")
    }
}
