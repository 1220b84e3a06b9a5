import ArgumentParser
import Audit
import Canonical
import Composition
import EventLog
import Merkle

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the log: every event, hash, checkpoint, index row and read model.",
        discussion: """
            In a database, computes every record line again and compares it with its leaf, the tiles and the head. \
            Checks the versions of every stream, the tables of streams, idempotency keys and reference keys against \
            the claims of the events, every checkpoint, and every read model against a new fold. With the key of a \
            remote witness, its cosignatures in the witness file are checked. Appends continue meanwhile: the check \
            covers the log as of the start. With --export, checks a file of record lines without a database, as \
            docs/log-format.md describes; ops/verify-export does the same in Python.

            Every fault is printed with its kind and position. Exit codes: 0 nothing is wrong, 1 the check failed, 2 \
            faults were found.

            EXAMPLES
              daybook verify --key log.pub --witness-file witness.notes \\
                --witness-key witness.pub
              daybook verify --log-only --json
              daybook verify --export log.ndjson --checkpoint checkpoint.note --key log.pub
              daybook verify --export part.ndjson --from 1000001
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Check this file of record lines instead of a database.")
    var export: String?

    @Option(
        help:
            "With --export: the position of the first line. Everything is checked from 1, only the form from later ones."
    )
    var from: Int64 = 1

    @Option(help: "A signed checkpoint with which the log must agree.")
    var checkpoint: String?

    @Option(
        help: """
            The log's public key, as text (name+id+base64) or as a file of such lines. Default for a database: the \
            signing key file of its server, DAYBOOK_LOG_KEY or <data-dir>/log.key
            """
    )
    var key: String?

    @Option(help: "The witness file, to which checkpoints were also written. Also DAYBOOK_WITNESS_FILE")
    var witnessFile: String?

    @Option(
        help: """
            The key of the remote witness, as text or as a file: its cosignatures in the witness file are checked. Also \
            DAYBOOK_WITNESS_KEY
            """
    )
    var witnessKey: String?

    @Flag(help: "Do not check the read models.")
    var logOnly = false

    func validate() throws {
        guard from > 0 else { throw ValidationError("--from must be 1 or more.") }
        guard export != nil || from == 1 else { throw ValidationError("--from needs --export.") }
        guard checkpoint == nil || from == 1 else {
            throw ValidationError("A part of a log cannot be checked against a checkpoint.")
        }
        guard export == nil || witnessFile == nil else { throw ValidationError("--witness-file excludes --export.") }
        guard export == nil || witnessKey == nil else { throw ValidationError("--witness-key excludes --export.") }
        guard export == nil || key == nil || checkpoint != nil else {
            throw ValidationError("With --export, --key needs --checkpoint.")
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

    /// The given keys. For a database, the default is the signing keys of its server, if the file exists.
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
            throw Failure(
                "A line of \(path) is longer than any record.",
                hint: "Check that the file is an export of the log."
            )
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
        // Read before the log, so that the file has no checkpoint beyond the log that is checked.
        var attestations = given.map { [$0] } ?? []
        var cosigned: Verification.Cosigned?
        if let witness = settings.text("witness.file", flag: witnessFile) {
            let key = settings.text("witness.key", flag: witnessKey)
            let cosigners = try key.map { try [CosignerKey](witnessKeys: $0) }
            do {
                let found = try await WitnessedCheckpoints.read(witness, keys: keys, cosigners: cosigners ?? [])
                attestations += found.attestations
                faults.add(found.faults)
                if cosigners != nil { cosigned = .init(checkpoints: found.cosigned, newest: found.newestCosigned) }
            } catch let failure as WitnessFile.Failure {
                throw Failure("The witness file cannot be read: \(failure)")
            }
        } else if witnessKey != nil {
            throw Failure("--witness-key needs --witness-file: the cosignatures are there.")
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
            let models = try await ledger.run(for: .reading([])) {
                try await ReadModelAudit(
                    readModels: ledger.readModels,
                    pool: ledger.pool,
                    reader: ledger.reader
                ).run { name, done, total in
                    if total > 20_000 { Terminal.progress("fold \(name)", done, of: total) }
                }
            }
            found.faults.add(models)
            return found
        }
        faults.add(found.faults)
        found.faults = faults
        found.cosigned = cosigned
        return found
    }
}

/// The result of a verification.
private struct Verification: Sendable {
    struct Cosigned: Sendable {
        var checkpoints: Int
        /// The size of the newest one.
        var newest: Int64?

        var text: String {
            let found = "the remote witness has cosigned \(checkpoints, "checkpoint") of the witness file"
            return found + (newest.map { ", the newest of \($0, "event")" } ?? "")
        }

        var json: JSONValue {
            var object: JSONObject = ["checkpoints": .number(.init(Int64(checkpoints)))]
            if let newest { object["newest"] = .number(.init(newest)) }
            return .object(object)
        }
    }

    var source: String
    var events: Int64
    var root: MerkleHash?
    var streams: Int?
    var checkpoints: Int?
    var witnessed = 0
    /// The cosignatures of the remote witness in the witness file; nil if they were not checked.
    var cosigned: Cosigned?
    /// True when a checkpoint was given for the export.
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
        Terminal.say("\(events, "event")" + (root.map { ", root \($0.base64)" } ?? ""))
        if let streams, let checkpoints {
            let signatures = signaturesChecked ? "" : ", signatures not checked (give --key)"
            Terminal.say("\(streams, "stream"), \(checkpoints) stored and \(witnessed) other checkpoints\(signatures)")
            if let cosigned { Terminal.say(cosigned.text) }
        }
        if source == "export", !hasCheckpoint {
            Terminal.say(
                "only the lines were checked: give --checkpoint and --key to check the identity of the log"
            )
        } else if source == "export", !signaturesChecked {
            Terminal.say("the checkpoint's signature was not checked (give --key)")
        }
        Terminal.say(faults.isEmpty ? "nothing is wrong" : "\(faults.count, "fault")")
    }

    var json: JSONValue {
        var object: JSONObject = [
            "sound": .bool(faults.isEmpty), "source": .string(source), "events": .number(.init(events)),
        ]
        if let root { object["root"] = .string(root.base64) }
        if let streams { object["streams"] = .number(.init(Int64(streams))) }
        if let checkpoints { object["checkpoints"] = .number(.init(Int64(checkpoints))) }
        if let cosigned { object["cosigned"] = cosigned.json }
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
