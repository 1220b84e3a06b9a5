import ArgumentParser
import Audit
import Canonical
import EventLog
import Ledger
import Merkle

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check that the log is what it was: every event, hash, checkpoint, index row and read model.",
        discussion: """
            On the database: makes every record line anew and compares it with its leaf, the tiles and the head; the
            versions of every stream; the tables of streams, idempotency keys and reference keys with what the events
            claim; every checkpoint; and every read model with a fresh fold. Appends go on meanwhile: what is checked
            is the log as it was at the start. With --export: a file of record lines by itself, without a database, as
            docs/log-format.md says; ops/verify-export does the same in Python.

            Every fault is printed with its kind and position. Exit code: 0 nothing is wrong, 1 it could not be
            checked, 2 faults were found.

            EXAMPLES
              daybook verify --key log.pub --witness-file witness.notes
              daybook verify --log-only --json
              daybook verify --export log.ndjson --checkpoint checkpoint.note --key log.pub
              daybook verify --export part.ndjson --from 1000001
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Check this file of record lines instead of a database.")
    var export: String?

    @Option(
        help: "With --export: the position of the first line. From 1 on everything is checked; later, the form only."
    )
    var from: Int64 = 1

    @Option(help: "A signed checkpoint that the log must agree with.")
    var checkpoint: String?

    @Option(
        help: """
            The log's public key, as text (name+id+base64) or as a file of such lines. Default for a database: the key \
            file its server signs with, DAYBOOK_LOG_KEY or <data-dir>/log.key
            """
    )
    var key: String?

    @Option(help: "The file that checkpoints were also written to. Also DAYBOOK_WITNESS_FILE")
    var witnessFile: String?

    @Flag(help: "Leave the read models out.")
    var logOnly = false

    func validate() throws {
        guard from > 0 else { throw ValidationError("--from must be 1 or more.") }
        guard export != nil || from == 1 else { throw ValidationError("--from is for --export.") }
        guard checkpoint == nil || from == 1 else {
            throw ValidationError("A part of a log cannot be checked against a checkpoint.")
        }
        guard export == nil || witnessFile == nil else { throw ValidationError("--witness-file is for a database.") }
        guard export == nil || key == nil || checkpoint != nil else {
            throw ValidationError("--key says who signed the --checkpoint, which is missing.")
        }
    }

    func run() async throws {
        let settings = try await Settings(common)
        let keys = try keys(settings)
        var faults = FaultLog()
        let given = try checkpoint.flatMap { try GivenCheckpoint($0, keys: keys) }
        if let fault = given?.fault { faults.add(fault) }
        var found =
            if let export {
                try await verify(export: export, given?.attestation)
            } else {
                try await verifyDatabase(settings, keys, given?.attestation)
            }
        faults.add(found.faults)
        found.faults = faults
        found.hasCheckpoint = given != nil
        common.json ? Terminal.say(found.json) : found.say(signaturesChecked: !keys.isEmpty)
        if !faults.isEmpty { throw ExitCode(2) }
    }

    /// The keys given. For a database, else those its server signs with, where they can be read.
    private func keys(_ settings: Settings) throws -> [NoteVerifierKey] {
        let own = LogKeyFile(settings, flag: nil)
        if key == nil, export == nil, own.exists { return try own.read().verifiers }
        return try VerifierKeys(key)
    }

    private func verify(export path: String, _ attestation: Attestation?) async throws -> Verification {
        do {
            let report = try await ExportAudit(first: from, attestation: attestation).run(path) { bytes, total in
                if total > 8 << 20 { Terminal.progress("verify", bytes, of: total) }
            }
            return Verification(of: "export", events: report.count, root: report.root, faults: report.faults)
        } catch is LineFile.LineTooLong {
            throw Failure("A line of \(path) is longer than any record.", hint: "Is it an export of the log?")
        } catch let error where !(error is CancellationError) {
            throw Failure("The file \(path) cannot be read: \(error).")
        }
    }

    private func verifyDatabase(
        _ settings: Settings,
        _ keys: [NoteVerifierKey],
        _ given: Attestation?
    ) async throws -> Verification {
        var faults = FaultLog()
        // Read before the log is, so that it states nothing the log does not have yet.
        var attestations = given.map { [$0] } ?? []
        if let witness = settings.text("witness.file", flag: witnessFile) {
            do {
                let found = try await WitnessedCheckpoints.read(witness, keys: keys)
                attestations += found.attestations
                faults.add(found.faults)
            } catch let failure as WitnessFile.Failure {
                throw Failure("The witness file cannot be read: \(failure)")
            }
        }
        let witnessed = attestations
        var found = try await Session.open(common, migrates: false) { session in
            let audit = DatabaseAudit(
                configuration: try await session.readingConfiguration(),
                archiveDirectory: session.settings.archiveDirectory,
                keys: keys,
                attestations: witnessed
            )
            let report = try await audit.run { position, total in
                if total > 20_000 { Terminal.progress("verify", position, of: total) }
            }
            var found = Verification(of: "database", events: report.size, root: report.root, faults: report.faults)
            found.streams = report.streams
            found.checkpoints = report.checkpoints
            found.witnessed = witnessed.count
            guard !logOnly else { return found }
            let ledger = Ledger(
                configuration: session.configuration,
                connections: 4,
                archiveDirectory: session.settings.archiveDirectory,
                logger: session.logger
            )
            let models = try await ledger.run(follows: false, installs: false) {
                try await ReadModelAudit(pool: ledger.pool, reader: ledger.reader).run { name, done, total in
                    if total > 20_000 { Terminal.progress("fold \(name)", done, of: total) }
                }
            }
            found.faults.add(models)
            return found
        }
        faults.add(found.faults)
        found.faults = faults
        return found
    }
}

/// What a verification found.
private struct Verification: Sendable {
    var source: String
    var events: Int64
    var root: MerkleHash?
    var streams: Int?
    var checkpoints: Int?
    var witnessed = 0
    /// Whether a checkpoint was given to check an export against.
    var hasCheckpoint = false
    var faults: FaultLog

    init(of source: String, events: Int64, root: MerkleHash?, faults: FaultLog) {
        self.source = source
        self.events = events
        self.root = root
        self.faults = faults
    }

    private var sorted: [LogFault] { faults.faults.sorted { $0.position < $1.position } }

    func say(signaturesChecked: Bool) {
        for fault in sorted { Terminal.say("position \(fault.position): \(fault.kind.rawValue): \(fault.detail)") }
        if faults.count > faults.faults.count { Terminal.say("... and \(faults.count - faults.faults.count) more") }
        Terminal.say("\(events) events" + (root.map { ", root \($0.base64)" } ?? ""))
        if let streams, let checkpoints {
            let signatures = signaturesChecked ? "" : ", signatures not checked (give --key)"
            Terminal.say("\(streams) streams, \(checkpoints) stored and \(witnessed) other checkpoints\(signatures)")
        }
        if source == "export", !hasCheckpoint {
            Terminal.say(
                "only the lines themselves were checked: give --checkpoint and --key to check whose log they are"
            )
        } else if source == "export", !signaturesChecked {
            Terminal.say("the checkpoint's signature was not checked (give --key)")
        }
        Terminal.say(faults.isEmpty ? "nothing is wrong" : "\(faults.count) faults")
    }

    var json: JSONValue {
        var object: JSONObject = [
            "sound": .bool(faults.isEmpty), "source": .string(source), "events": .number(.init(events)),
        ]
        if let root { object["root"] = .string(root.base64) }
        if let streams { object["streams"] = .number(.init(Int64(streams))) }
        if let checkpoints { object["checkpoints"] = .number(.init(Int64(checkpoints))) }
        object["faultCount"] = .number(.init(Int64(faults.count)))
        object["faults"] = .array(
            sorted.map { fault in
                [
                    "kind": .string(fault.kind.rawValue), "position": .number(.init(fault.position)),
                    "detail": .string(fault.detail),
                ]
            }
        )
        return .object(object)
    }
}
