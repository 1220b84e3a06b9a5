import ArgumentParser
import Audit
import Canonical
import EventLog
import Merkle
import SystemPackage

struct ExportLogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Write the log as record lines (NDJSON), byte for byte as they are hashed.",
        discussion: """
            Writes the lines of all tenants in order, from one snapshot. docs/log-format.md describes the format. A \
            file gets its name when it is complete on disk. Exit code 2: the exported lines do not agree with the \
            tree; `daybook verify` shows the positions.

            EXAMPLES
              daybook export -o log.ndjson
              daybook export --from 1000001 --to 2000000 -o part.ndjson --json
              daybook export | zstd > log.ndjson.zst
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "The first position.")
    var from: Int64 = 1

    @Option(help: "The last position. Default: the newest.")
    var to: Int64?

    @Option(name: [.customShort("o"), .customLong("output")], help: "The file. Default: standard output.")
    var output: String?

    func validate() throws {
        guard from > 0, to ?? from >= from else {
            throw ValidationError("--from must be 1 or more, and --to not less.")
        }
        guard output != nil || !common.json else {
            throw ValidationError("--json needs -o, because the lines go to standard output.")
        }
    }

    func run() async throws {
        let summary = try await Session.open(common, migrates: false) { session in
            let export = LogExport(
                configuration: try await session.readingConfiguration(),
                archiveDirectory: session.settings.archiveDirectory
            )
            do {
                guard let output else {
                    let standardOutput = OutputFile.standardOutput
                    return try await export.run(from: from, to: to) { try await standardOutput.write($0) }
                }
                return try await OutputFile.with(output) { file in
                    try await export.run(from: from, to: to) {
                        try await file.write($0)
                    } progress: {
                        if $1 - from > 20_000 { Terminal.progress("export", $0 - from + 1, of: $1 - from + 1) }
                    }
                }
            } catch let error as GapInLog {
                throw Failure("Event \(error.expected) is missing.", hint: "`daybook verify` shows the faults.")
            } catch let error as Errno {
                throw Failure(
                    "\(output ?? "The output") cannot be written: \(error).",
                    hint: "Name a file in a directory that exists and is writable."
                )
            }
        }
        if common.json {
            Terminal.say(summary.json)
        } else {
            let root = summary.root.map { ", root \($0.base64)" } ?? ""
            Terminal.note("\(summary.count, "event"), \(summary.bytes, "byte"), sha256 \(summary.digest)\(root)")
        }
        if !summary.agreesWithTree { throw ExitCode(2) }
    }
}

extension LogExport.Summary {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "first": .number(.init(first)), "last": .number(.init(last)), "count": .number(.init(count)),
            "bytes": .number(.init(bytes)), "sha256": .string(digest),
        ]
        if let root { object["root"] = .string(root.base64) }
        object["head"] = .number(.init(head))
        object["agreesWithTree"] = .bool(agreesWithTree)
        return .object(object)
    }
}
