import Canonical
import DaybookTestKit
import Foundation
import Merkle
import Postgres
import Testing

@testable import EventLog

/// Reads give the same answer whether the events are in a table or in an archive.
struct ArchiveTests {
    private struct Killed: Error {}

    @Test func everyReadAnswersTheSameBeforeAndAfter() async throws {
        try await ArchiveFixture.with { archive in
            try await archive.fill(1500)
            let before = try await archive.answers(archive.log.reader)
            let first = try await archive.archiver.run(.before(600))
            #expect(first.outcomes.map(\.first) == [1, 257])
            #expect(try await archive.answers(archive.log.reader) == before)
            let rest = try await archive.archiver.run(.keeping(0), drops: true)
            #expect(rest.outcomes.map(\.last) == [256, 512, 768, 1024, 1280])
            #expect(try await archive.answers(archive.log.reader) == before)
            #expect(try await archive.answers(archive.freshReader) == before)
            #expect(try await archive.archiver.run(.keeping(0), drops: true).outcomes.isEmpty)
            // The dropped tables cannot have given the answers.
            #expect(try await archive.log.pool.query("SELECT FROM ledger.events").count == 1500 - 1280)
            #expect(try await archive.log.reader.archive.ranges().map(\.last) == [256, 512, 768, 1024, 1280])
        }
    }

    /// The files hold exactly the record lines; their leaves are those of the tiles.
    @Test func theFilesAreTheRecordLines() async throws {
        try await ArchiveFixture.with { archive in
            try await archive.fill(600)
            let lines = try await archive.log.events().map { $0.recordLine + "\n" }
            let report = try await archive.archiver.run(.keeping(0))
            for (outcome, first) in zip(report.outcomes, [0, 256]) {
                let text = try String(contentsOfFile: "\(archive.directory)/\(outcome.file)", encoding: .utf8)
                #expect(text == lines[first..<first + 256].joined())
            }
            let found = Collected()
            for range in try await archive.log.reader.archive.ranges() {
                let digest = try await range.uncheckedLines(in: archive.directory) { first, lines in
                    await found.add(first, lines)
                }
                #expect(digest == range.digest)
            }
            #expect(await found.lines == Array(lines[..<512]))
        }
    }

    @Test(arguments: Archiver.Step.allCases) func anArchiverContinuesAfterAKilledOne(step: Archiver.Step)
        async throws
    {
        try await ArchiveFixture.with { archive in
            try await archive.fill(800)
            let before = try await archive.answers(archive.log.reader)
            for killedAt in [Int64(1), 257] {
                await #expect(throws: Killed.self) {
                    try await archive.archiver.run(.keeping(0), drops: true, progress: { _, _ in }) { done, first in
                        if done == step, first == killedAt { throw Killed() }
                    }
                }
                #expect(try await archive.answers(archive.freshReader) == before)
            }
            _ = try await archive.archiver.run(.keeping(0), drops: true)
            #expect(try await archive.answers(archive.freshReader) == before)
            #expect(try await archive.answers(archive.log.reader) == before)
            let ranges = try await archive.log.reader.archive.ranges()
            #expect(ranges.map(\.last) == [256, 512, 768])
        }
    }

    /// Appends, a follower, pages of the feed and reads of whole streams continue while one partition after the other
    /// is archived.
    @Test func readsAndAppendsGoOnMeanwhile() async throws {
        try await ArchiveFixture.with(partitions: 2) { archive in
            let log = archive.log
            let total = 2000
            async let writing: Void = archive.fill(total)
            async let following = Self.follow(archive.freshReader, log.signal, until: Int64(total))
            async let paging = Self.page(archive.freshReader, log.signal, until: Int64(total))
            while try await log.reader.head() < total {
                try await archive.cover()
                _ = try await archive.archiver.run(.keeping(0), drops: true)
            }
            try await writing
            let (followed, paged) = try await (following, paging)
            _ = try await archive.archiver.run(.keeping(0), drops: true)
            let events = try await archive.freshReader.events(after: 0, limit: .max)
            #expect(TestLog.faults(of: events).isEmpty)
            #expect(events.count == total)
            #expect(followed == events)
            #expect(paged == events.filter { $0.tenant == "acme" })
        }
    }

    /// The writer's last known end of the log is in a part that is archived by now.
    @Test func aWriterThatWasIdleAppends() async throws {
        try await ArchiveFixture.with { archive in
            let other = archive.log.anotherSequencer()
            try await TestLog.running(other) {
                _ = try await other.append(.sample("a"))
                try await archive.fill(700)
                _ = try await archive.archiver.run(.keeping(0), drops: true)
                let result = try await other.append(.sample("a"))
                #expect(result == .appended(AppendedRange(firstPosition: 702, count: 1)))
            }
            let stream = try await archive.log.reader.stream("a", of: "acme")
            #expect(stream.map(\.position) == [1, 702])
            #expect(TestLog.faults(of: try await archive.log.events()).isEmpty)
        }
    }

    @Test func readsOfAChangedOrMissingArchiveFail() async throws {
        try await ArchiveFixture.with { archive in
            try await archive.fill(600)
            let before = try await archive.answers(archive.log.reader)
            let file = try await archive.archiver.run(.keeping(0)).outcomes.map { "\(archive.directory)/\($0.file)" }
            let original = try Data(contentsOf: URL(filePath: file[0]))
            var changed = original
            let place = try #require(original.firstRange(of: Data("\"n\":".utf8))).upperBound
            changed[place] = changed[place] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
            try changed.write(to: URL(filePath: file[0]))
            for reader in [archive.log.reader, archive.freshReader] {
                let error = await #expect(throws: ArchiveError.self) { try await reader.events(after: 0, limit: 5) }
                #expect(error?.code == .changed)
                #expect(error?.position == 1)
                let next = AppendedRange(firstPosition: 2, count: 1)
                #expect(try await reader.range(next).map(\.position) == [2])
            }
            let refused = await #expect(throws: ArchiveError.self) {
                try await archive.archiver.run(.keeping(0), drops: true)
            }
            #expect(refused?.code == .changed)
            try FileManager.default.removeItem(atPath: file[0])
            let missing = await #expect(throws: ArchiveError.self) {
                try await archive.freshReader.events(after: 0, limit: 5)
            }
            #expect(missing?.code == .missing)
            #expect(missing?.file == "events-000000000001-000000000256.ndjson")
            let unknown = await #expect(throws: ArchiveError.self) {
                try await EventReader(pool: archive.log.pool).newest(of: "acme", matching: EventFilter(), limit: 500)
            }
            #expect(unknown?.code == .notConfigured)
            try original.write(to: URL(filePath: file[0]))
            #expect(try await archive.answers(archive.log.reader) == before)
        }
    }

    /// A changed index would hide events; it is rebuilt from the file.
    @Test func aChangedOrMissingIndexIsMadeAgain() async throws {
        try await ArchiveFixture.with { archive in
            try await archive.fill(600)
            let before = try await archive.answers(archive.log.reader)
            let file = try await archive.archiver.run(.keeping(0)).outcomes.map {
                "\(archive.directory)/\($0.file).index"
            }
            let original = try Data(contentsOf: URL(filePath: file[0]))
            #expect(try await archive.answers(archive.log.reader) == before)
            var changed = original
            changed[changed.count - 1] ^= 1
            try changed.write(to: URL(filePath: file[0]))
            try FileManager.default.removeItem(atPath: file[1])
            #expect(try await archive.answers(archive.log.reader) == before)
            #expect(try Data(contentsOf: URL(filePath: file[0])) == original)
        }
    }

    @Test func onlyFullAndCoveredPartitionsAreArchivedByOneArchiver() async throws {
        try await ArchiveFixture.with { archive in
            #expect(try await archive.archiver.run(.keeping(0)).outcomes.isEmpty)
            try await archive.fill(300)
            for _ in 0..<300 { _ = try await archive.log.sequencer.append(.sample("uncovered")) }
            let report = try await archive.archiver.run(.keeping(0))
            #expect(report.outcomes.map(\.last) == [256])
            #expect(report.uncoveredFrom == 257)
            try await archive.cover()
            let error = await #expect(throws: ArchiveError.self) {
                try await archive.archiver.run(.keeping(0), progress: { _, _ in }) { step, _ in
                    if step == .exported { _ = try await archive.archiver.run(.keeping(0)) }
                }
            }
            #expect(error?.code == .busy)
        }
    }

    @Test func aRowThatDiffersFromTheTreeIsNotArchived() async throws {
        try await ArchiveFixture.with { archive in
            try await archive.fill(300)
            try await archive.log.tamper("UPDATE ledger.events SET actor = 'somebody else' WHERE position = 77")
            let error = await #expect(throws: ArchiveError.self) { try await archive.archiver.run(.keeping(0)) }
            #expect(error == ArchiveError(.unproven, position: 77))
        }
    }

    @Test func recordLinesAreReadBack() throws {
        var random = SeededGenerator(seed: 5)
        let texts = ["", "plain", "a\"b\\c", "\u{1F4B3}\u{e9}", "tab\tnewline\n", "\u{7F}\u{1}", "\",\"data\":"]
        for number in 0..<500 {
            func text() -> String { texts.randomElement(using: &random) ?? "" }
            var event = RecordedEvent(
                position: Int64(number) + 1,
                id: UUID128(high: random.next(), low: random.next()),
                tenant: text(),
                stream: text(),
                version: Int64.random(in: 1...Int64.max, using: &random),
                type: text(),
                schema: Int.random(in: 1...32_767, using: &random),
                occurredAt: number % 2 == 0 ? .earliest : .latest,
                recordedAt: Timestamp(microsecondsSince1970: Int64.random(in: 0...1 << 50, using: &random)),
                actor: text(),
                correlation: text(),
                causation: number % 3 == 0 ? nil : UUID128(high: random.next(), low: 1),
                claims: number % 4 == 0
                    ? nil : "{\"events\":1,\"idempotency\":{},\"references\":[\"}\\\",\\\"data\\\":\"]}",
                data: ["{}", "null", "[1,{\"a\":\"}\"}]", "\"\u{1F4B3}\""].randomElement(using: &random) ?? ""
            )
            let line = Array(event.recordLine.utf8)
            #expect(RecordedEvent(recordLine: line) == event)
            #expect(RecordedEvent(recordLine: Array(line.dropLast())) == nil)
            event.version += event.version == .max ? -1 : 1
            #expect(RecordedEvent(recordLine: line) != event)
        }
    }

    private actor Collected {
        private(set) var lines: [String] = []

        func add(_ first: Int64, _ more: [[UInt8]]) {
            #expect(first == Int64(lines.count) + 1)
            lines += more.map { String(decoding: $0, as: UTF8.self) + "\n" }
        }
    }

    private static func follow(
        _ reader: EventReader,
        _ signal: PositionSignal,
        until last: Int64
    ) async throws -> [RecordedEvent] {
        let follower = Follower(reader: reader, signal: signal, batch: 50, pollEvery: .milliseconds(5))
        var seen: [RecordedEvent] = []
        while (seen.last?.position ?? 0) < last { seen += try await follower.next(after: seen.last?.position ?? 0) }
        return seen
    }

    /// Pages through a tenant's feed, and reads the whole stream of each page's last event.
    private static func page(
        _ reader: EventReader,
        _ signal: PositionSignal,
        until last: Int64
    ) async throws -> [RecordedEvent] {
        var seen: [RecordedEvent] = []
        while true {
            let known = signal.position
            let isComplete = try await reader.head() >= last
            let page = try await reader.feed(
                of: "acme",
                matching: EventFilter(),
                after: seen.last?.position ?? 0,
                limit: 40
            )
            seen += page
            if let end = page.last {
                let stream = try await reader.stream(end.stream, of: "acme")
                #expect(stream.map(\.version) == Array(1...Int64(stream.count)))
                #expect(stream.filter { $0.position <= end.position } == seen.filter { $0.stream == end.stream })
            } else if isComplete {
                return seen
            } else {
                await signal.wait(beyond: known)
            }
        }
    }
}
