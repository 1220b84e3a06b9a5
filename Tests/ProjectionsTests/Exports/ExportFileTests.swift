import Canonical
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Journal
@testable import Projections

/// Files of a real journal.
@Suite struct ExportFileTests {
    private static func file(
        _ journal: JournalQuery,
        _ format: ExportFormat,
        _ range: ExportRange
    ) async throws -> (text: String, contents: ExportFile.Contents) {
        var bytes: [UInt8] = []
        let contents = try await ExportFile(journal, of: "acme", as: format, range).run { bytes += $0 }
        return (String(decoding: bytes, as: UTF8.self), contents)
    }

    /// The files of a series have each leg once, declare each account once, and a rebuild gives the same bytes.
    @Test(arguments: ExportFormat.allCases)
    func filesOfASeriesHaveEverythingOnce(_ format: ExportFormat) async throws {
        try await Following.with { following in
            var history = RandomHistory(SeededGenerator(seed: 31))
            try await history.record(160, in: following.log)
            try await following.catchUp(["journal", "merchants"])
            let journal = JournalQuery(pool: following.log.pool)
            let head = try await following.log.reader.head()
            let ends = [0, head / 3, head / 3 + 1, head / 2, head]
            var files: [(text: String, contents: ExportFile.Contents)] = []
            for (after, through) in zip(ends, ends.dropFirst()) {
                files.append(
                    try await Self.file(journal, format, ExportRange(since: 0, after: after, through: through))
                )
            }
            let legs = try await journal.legs(of: "acme", matching: JournalFilter(), limit: 10_000)
            let read = try files.map { try ExportReader(format: format).legs($0.text) }
            #expect(legs.count > 100 && files.map(\.contents.legs).reduce(0, +) == Int64(legs.count))
            #expect(Self.counts(read.flatMap { $0 }) == Self.counts(legs.map { ReadLeg($0, in: format) }))
            for (file, read) in zip(files, read) {
                #expect(file.contents.bytes == Int64(file.text.utf8.count) && file.contents.legs == Int64(read.count))
            }
            if format == .beancount || format == .hledger {
                let opening = format == .beancount ? "1970-01-01 open " : "account "
                let opened = files.map { file in file.text.split(separator: "\n").filter { $0.hasPrefix(opening) } }
                #expect(Set(opened.flatMap { $0 }).count == opened.flatMap { $0 }.count)
                for (index, read) in read.enumerated() {
                    let known = Set(opened[...index].flatMap { $0 }.map { String($0.dropFirst(opening.count)) })
                    #expect(known.isSuperset(of: read.map(\.account)))
                }
            }
            _ = try await following.rebuild("journal", force: true)
            for (index, (after, through)) in zip(ends, ends.dropFirst()).enumerated() {
                let again = try await Self.file(journal, format, ExportRange(since: 0, after: after, through: through))
                #expect(again.text == files[index].text && again.contents == files[index].contents)
            }
        }
    }

    private static func counts(_ legs: [ReadLeg]) -> [ReadLeg: Int] {
        Dictionary(legs.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// An entry that does not add up is no file, and changed entries are not passed on as the recorded ones.
    @Test func wrongEntriesAreRefused() async throws {
        try await Following.with { following in
            var history = RandomHistory(SeededGenerator(seed: 32))
            try await history.record(40, in: following.log)
            try await following.catchUp(["journal", "merchants"])
            let journal = JournalQuery(pool: following.log.pool)
            let range = ExportRange(since: 0, after: 0, through: try await following.log.reader.head())
            let first = try await Self.file(journal, .beancount, range)
            let export = JournalExport(id: Samples.id(1), format: .beancount, range: range, contents: first.contents)
            func again() async throws -> String {
                var bytes: [UInt8] = []
                try await ExportFile.again(export, of: "acme", from: journal) { bytes += $0 }
                return String(decoding: bytes, as: UTF8.self)
            }
            #expect(try await again() == first.text)
            _ = try await following.log.pool.query("UPDATE read_journal.entries SET amount = 2 * amount", [])
            await #expect(throws: ExportFault.changed) { try await again() }
            let leg = try #require(
                try await journal.legs(of: "acme", matching: JournalFilter(), limit: 1).first
            )
            _ = try await following.log.pool.query(
                "UPDATE read_journal.entries SET amount = amount + 1 WHERE tenant = 'acme' AND position = $1 AND leg = 1",
                [.int64(leg.position)]
            )
            let fault = ExportFault.unbalanced(position: leg.position, day: leg.day, currency: leg.amount.currency)
            await #expect(throws: fault) { try await again() }
        }
    }

    /// The order of legs and groups does not depend on the size of pages.
    @Test func pagesJoin() async throws {
        try await Following.with { following in
            var history = RandomHistory(SeededGenerator(seed: 33))
            try await history.record(60, in: following.log)
            try await following.catchUp(["journal", "merchants"])
            let journal = JournalQuery(pool: following.log.pool)
            let range = ExportRange(since: 0, after: 0, through: try await following.log.reader.head())
            let whole = try await journal.legs(of: "acme", in: range, after: nil, limit: 10_000)
            for size in [1, 3, 7] {
                var legs: [PostedLeg] = []
                var page: [PostedLeg] = []
                repeat {
                    page = try await journal.legs(of: "acme", in: range, after: legs.last, limit: size)
                    legs += page
                } while page.count == size
                #expect(legs == whole)
            }
        }
    }
}
