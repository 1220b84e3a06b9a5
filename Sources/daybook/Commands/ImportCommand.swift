import ArgumentParser
import Audit
import Canonical
import EventLog
import Merkle

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the export of a log into an empty database.",
        discussion: """
            First the whole file is checked as by `daybook verify --export`, against the checkpoint if one is given. A \
            file with faults is not imported. Then events, streams, keys and the tree are written, a few thousand \
            events at a time. The imported log has the same root as the exported one. `daybook serve` or `daybook \
            catch-up` builds the read models. API keys are not part of a log. An import into a log with events is \
            refused. Stop services that use the database first. After an interruption, run the import again with \
            --continue. Exit code 2: the file has faults.

            EXAMPLES
              daybook import log.ndjson --checkpoint checkpoint.note --key log.pub
              daybook import log.ndjson --continue
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The export, from position 1 on.")
    var file: String

    @Option(help: "A signed checkpoint with which the export must agree.")
    var checkpoint: String?

    @Option(help: "The log's public key, as text (name+id+base64) or as a file of such lines.")
    var key: String?

    @Flag(
        name: .customLong("continue"),
        help: "Continue after the events that an earlier import of the same file has written."
    )
    var continues = false

    func run() async throws {
        let keys = try VerifierKeys(key)
        guard keys.isEmpty || checkpoint != nil else {
            throw Failure("--key needs --checkpoint.", exitCode: 64)
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
            throw Failure("The file changed while it was read.", hint: "Start again with an empty database.")
        }
        if common.json {
            Terminal.say(["events": .number(.init(checked.count)), "root": .string(root.base64)])
        } else {
            Terminal.say("\(checked.count, "event"), root \(root.base64)")
        }
    }

    /// Checks the whole file before anything is written.
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
                "The file has \(faults.count, "fault"); nothing was imported.",
                hint: "`daybook verify --export \(file)` lists them.",
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
                "The log has \(head, "event"); an import needs an empty one.",
                hint: "Use a new database, or --continue after an interrupted import of the same file."
            )
        case .anotherLog(let head):
            self.init(
                "The log has \(head, "event"), not those at the beginning of the file.",
                hint: "Use a new database."
            )
        case .outOfOrder(let position): self.init("The file changed while it was read, at position \(position).")
        case .disturbed(let head):
            self.init(
                "Another process has appended to the log after position \(head).",
                hint: "Stop the services that use the database, and start with a new one."
            )
        }
    }
}
