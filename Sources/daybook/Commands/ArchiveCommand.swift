import ArgumentParser
import Canonical
import EventLog
import Postgres

struct ArchiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Move the oldest full partitions of the log into files, which reads and proofs continue to use.",
        discussion: """
            A partition is archived when it is full and covered by a signed checkpoint. Its record lines are written \
            to a file, which is read back and compared with the tree before the table is detached. The command may be \
            interrupted at any point; the next one continues. Back up the archive directory: with --drop, only the \
            files have the events.

            EXAMPLES
              daybook archive                          all full partitions but the newest
              daybook archive --keep 4 --drop
              daybook archive --before 2097153 --archive-dir /srv/daybook/archive
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Archive the partitions that end before this position.")
    var before: Int64?

    @Option(help: "Keep the newest N full partitions in the database. Default: 1")
    var keep: Int?

    @Flag(help: "Drop the tables, also those detached earlier. Otherwise detached tables stay in the database.")
    var drop = false

    func validate() throws {
        guard before == nil || keep == nil else { throw ValidationError("Give --before or --keep, not both.") }
        guard before ?? 1 > 0, keep ?? 0 >= 0 else { throw ValidationError("Positions and counts are not negative.") }
    }

    func run() async throws {
        let report = try await Session.open(common) { session in
            let options = PostgresPool.Options(maximumConnections: 3)
            let configuration = session.configuration.acting(as: .archiver)
            return try await PostgresPool.withPool(configuration, options: options) { pool in
                let archiver = Archiver(
                    pool: pool,
                    directory: session.settings.archiveDirectory,
                    logger: session.logger
                )
                return try await archiver.run(
                    before.map(Archiver.Extent.before) ?? .keeping(keep ?? 1),
                    drops: drop,
                    progress: { Terminal.progress("archive", $0, of: $1) },
                    afterEach: { step, first in
                        if step == .exported { Terminal.note("partition from \(first): written, reading it back") }
                    }
                )
            }
        }
        if common.json {
            Terminal.say(report.json)
        } else {
            Terminal.table(
                ["first", "last", "file", "sha-256", "table"],
                report.outcomes.map { outcome in
                    let digest = String(outcome.digestText.prefix(16))
                    let table = outcome.isDropped ? "dropped" : "detached"
                    return ["\(outcome.first)", "\(outcome.last)", outcome.file, digest, table]
                },
                rightAligned: [0, 1]
            )
            if let position = report.uncoveredFrom {
                Terminal.note("No checkpoint covers the log from position \(position) on: run `daybook serve`.")
            }
        }
    }
}

extension Archiver.Outcome {
    fileprivate var digestText: String {
        var text: [UInt8] = []
        for byte in digest {
            text += [HexadecimalDigits.lowercase(byte >> 4), HexadecimalDigits.lowercase(byte & 15)]
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Archiver.Report {
    fileprivate var json: JSONValue {
        [
            "archived": .array(
                outcomes.map { outcome in
                    [
                        "first": .number(JSONNumber(outcome.first)), "last": .number(JSONNumber(outcome.last)),
                        "file": .string(outcome.file), "sha256": .string(outcome.digestText),
                        "dropped": .bool(outcome.isDropped),
                    ]
                }
            ),
            "uncoveredFrom": uncoveredFrom.map { .number(JSONNumber($0)) } ?? .null,
        ]
    }
}
