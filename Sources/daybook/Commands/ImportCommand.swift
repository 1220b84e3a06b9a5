import ArgumentParser
import Audit
import Canonical
import EventLog
import Merkle

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a log again from an export of it, in an empty database.",
        discussion: """
            First the whole file is checked, as `daybook verify --export` does, against the checkpoint if one is given;
            nothing is written when anything is wrong. Then events, streams, keys and the tree are written, a few
            thousand events at a time. The log then has the root of the one exported. Read models are made by `daybook
            serve` or `daybook rebuild`; API keys are not part of a log. A log that has events is refused. Stop
            services that use the database first. When an import was cut off, run it again with --continue. Exit code
            2: the file has faults.

            EXAMPLES
              daybook import log.ndjson --checkpoint checkpoint.note --key log.pub
              daybook import log.ndjson --continue
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The export, from position 1 on.")
    var file: String

    @Option(help: "A signed checkpoint that the export must agree with.")
    var checkpoint: String?

    @Option(help: "The log's public key, as text (name+id+base64) or as a file of such lines.")
    var key: String?

    @Flag(name: .customLong("continue"), help: "Go on after what an earlier import of the same file has written.")
    var continues = false

    func run() async throws {
        let keys = try VerifierKeys(key)
        guard keys.isEmpty || checkpoint != nil else {
            throw Failure("--key says who signed the --checkpoint, which is missing.", exitCode: 64)
        }
        let given = try checkpoint.map { try GivenCheckpoint($0, keys: keys) }
        let checked = try await check(given)
        let root = try await Session.open(common) { session in
            do {
                return try await LogImport.with(session.configuration, continues: continues) { log in
                    try await write(to: &log, total: checked.count)
                }
            } catch let refusal as LogImport.Refusal {
                throw Failure(refusal)
            }
        }
        guard root == checked.root else {
            throw Failure("The file has changed while it was read.", hint: "Begin again with an empty database.")
        }
        if common.json {
            Terminal.say(["events": .number(.init(checked.count)), "root": .string(root.base64)])
        } else {
            Terminal.say("\(checked.count) events, root \(root.base64)")
        }
    }

    /// Reads the file once, so that nothing is written of one that is wrong.
    private func check(_ given: GivenCheckpoint?) async throws -> ExportAudit.Report {
        var faults = FaultLog()
        if let fault = given?.fault { faults.add(fault) }
        let report: ExportAudit.Report
        do {
            report = try await ExportAudit(attestation: given?.attestation).run(file) { bytes, total in
                if total > 8 << 20 { Terminal.progress("check", bytes, of: total) }
            }
        } catch let error where !(error is CancellationError) {
            throw Failure("The file \(file) cannot be read: \(error).")
        }
        faults.add(report.faults)
        guard faults.isEmpty else {
            for fault in faults.faults.prefix(20) {
                Terminal.note("position \(fault.position): \(fault.kind.rawValue): \(fault.detail)")
            }
            throw Failure(
                "The file has \(faults.count) faults; nothing was imported.",
                hint: "`daybook verify --export \(file)` tells all of them.",
                exitCode: 2
            )
        }
        return report
    }

    private func write(to log: inout LogImport, total: Int64) async throws -> MerkleHash {
        try await LineFile.with(file) { lines in
            try await lines.pieces { piece, _ in
                try piece.forEachLine { bytes, _ in try log.add(try RecordLine(bytes)) }
                if log.isFull { try await log.write() }
                if total > 20_000 { Terminal.progress("import", log.count, of: total) }
            }
            return log.root
        }
    }
}

extension Failure {
    fileprivate init(_ refusal: LogImport.Refusal) {
        switch refusal {
        case .notEmpty(let head):
            self.init(
                "The log has \(head) events; an import needs an empty one.",
                hint: "Use a new database, or --continue after an import of the same file that was cut off."
            )
        case .anotherLog(let head):
            self.init("The \(head) events that are there are not the first of the file.", hint: "Use a new database.")
        case .outOfOrder(let position): self.init("The file has changed while it was read, at position \(position).")
        case .disturbed(let head):
            self.init(
                "Somebody else has appended to the log after position \(head).",
                hint: "Stop what uses the database, and begin with a new one."
            )
        }
    }
}
