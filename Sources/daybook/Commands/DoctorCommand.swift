import Access
import ArgumentParser
import Canonical
import Composition
import EventLog
import Logging
import Merkle
import Postgres
import PostgresCluster
import Projections

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the installation, the database, the schema, read models and checkpoints. Changes nothing.",
        discussion: """
            Exit code 2: a check needs attention. A remote witness is asked as a server does when it starts.

            EXAMPLES
              daybook doctor
              daybook doctor --database-url postgres://... --json
              daybook doctor --log-key /etc/daybook/log.key --witness-file /mnt/worm/checkpoints
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "The file with the signing keys of the log. Default: <data-dir>/log.key")
    var logKey: String?

    @Option(help: "The witness file: every checkpoint is also appended to it, outside the database.")
    var witnessFile: String?

    @Option(help: "The remote witness. Also DAYBOOK_WITNESS_URL.")
    var witnessURL: String?

    @Option(help: "The key of the remote witness, as text or as a file. Also DAYBOOK_WITNESS_KEY.")
    var witnessKey: String?

    func run() async throws {
        let settings = try await Settings(common)
        var evidence = EvidenceFiles(settings, logKey: logKey, witnessFile: witnessFile)
        evidence.remote = try settings.remoteWitness(url: witnessURL, key: witnessKey)
        let standbys = try settings.standbys()
        var examination = Examination()
        if let url = settings.databaseURL {
            examination.add("database", .fine, "given by URL")
            await examination.examine(PostgresConfiguration(connectionString: url), evidence, standbys)
        } else {
            let cluster = settings.privateCluster(logger: Session.logger(.error))
            let status = await cluster.status()
            examination.add(status)
            if case .running = status.state, status.problem == nil {
                let lease = try await cluster.start()
                await examination.examine(
                    PostgresConfiguration(connectionString: lease.connectionString()),
                    evidence,
                    standbys
                )
                await lease.release()
            }
        }
        if common.json {
            Terminal.say(examination.json)
        } else {
            Terminal.table(
                ["check", "state", "found"],
                examination.findings.map { [$0.check, $0.state.rawValue, $0.found] }
            )
        }
        if examination.findings.contains(where: { $0.state == .bad }) { throw ExitCode(2) }
    }
}

/// The key file and the witness file of a log.
struct EvidenceFiles: Sendable {
    let key: LogKeyFile
    let witness: WitnessFile?
    var remote: WitnessOptions?
    /// True when the key of a signed log must be here: the file is named, or the database is the private one.
    let expectsKey: Bool

    init(_ settings: Settings, logKey: String?, witnessFile: String?) {
        key = LogKeyFile(settings, flag: logKey)
        witness = settings.text("witness.file", flag: witnessFile).map { WitnessFile(path: $0) }
        expectsKey = settings.databaseURL == nil || settings.text("log.key", flag: logKey) != nil
    }
}

/// The findings of `doctor`.
struct Examination {
    enum State: String {
        case fine = "ok"
        /// Not running, or not created yet. Not a fault.
        case idle = "-"
        case bad = "ATTENTION"
    }

    struct Finding {
        var check: String
        var state: State
        var found: String
    }

    private(set) var findings: [Finding] = []

    mutating func add(_ check: String, _ state: State, _ found: String) {
        findings.append(Finding(check: check, state: state, found: found))
    }

    /// In the words of the API. Servers that start append nothing, and call no gateway, until it is removed.
    mutating func add(_ check: String, _ obstacle: ProofObstacle) {
        add(check, .bad, "\(obstacle.code.rawValue): \(obstacle)")
    }

    mutating func add(_ status: PostgresClusterStatus) {
        if let installation = status.installation {
            add("server programs", .fine, "PostgreSQL \(installation.version) in \(installation.binaryDirectory)")
        } else {
            add("server programs", .bad, "not found: install the Debian package postgresql")
        }
        switch status.state {
        case .notInitialised: add("private server", .idle, "not created yet; the first command creates it")
        case .stopped: add("private server", .idle, "stopped; it starts with the first command that needs it")
        case .running(let processID):
            let users = status.users.map(String.init).joined(separator: ", ")
            add("private server", .fine, "running, process \(processID)" + (users.isEmpty ? "" : ", used by \(users)"))
        }
        if let home = status.home {
            add("files", .fine, home + (status.isRelocated ? " (outside the data directory)" : ""))
        }
        if let user = status.userName { add("runs as", .fine, user) }
        if let problem = status.problem { add("problem", .bad, "\(problem)") }
    }

    /// Examines a database.
    mutating func examine(
        _ configuration: PostgresConfiguration,
        _ evidence: EvidenceFiles,
        _ standbys: DurabilitySettings.Standbys
    ) async {
        do {
            let status = try await LedgerSchema.status(configuration)
            add("reachable", .fine, "yes")
            if let problem = status.problem {
                add("schema", .bad, "\(problem)")
                return
            }
            guard status.pending.isEmpty else {
                add("schema", .bad, "\(status.pending.count) migrations pending: run `daybook migrate`")
                return
            }
            add("schema", .fine, "\(status.applied.count) migrations applied, none pending")
            try await examineContents(configuration, standbys)
            await examineEvidence(configuration, evidence)
        } catch let error as PostgresError {
            add("reachable", .bad, "\(error)")
        } catch {
            add("reachable", .bad, String(reflecting: type(of: error)))
        }
    }

    /// A ledger whose sessions refuse to write.
    private static func ledger(_ configuration: PostgresConfiguration) -> Ledger {
        var configuration = configuration
        configuration.isReadOnly = true
        return Ledger(configuration: configuration, connections: 2, logger: Session.logger(.error))
    }

    private mutating func examineContents(
        _ configuration: PostgresConfiguration,
        _ standbys: DurabilitySettings.Standbys
    ) async throws {
        let ledger = Self.ledger(configuration)
        let found = try await ledger.run(for: .reading([])) {
            let settings = try await ledger.pool.query(
                "SELECT current_setting('server_version'), has_database_privilege(current_database(), 'CREATE')"
            )
            let database = try await DatabaseWatch.read(ledger.pool, clock: ledger.clock)
            return (
                head: try await ledger.reader.head(), models: try await ledger.readModels.positions(),
                tenants: try await ledger.keys.tenants().count,
                database: database, version: try settings.first?.text(0) ?? "",
                mayCreate: try settings.first?.bool(1) ?? false
            )
        }
        add("server", .fine, found.version)
        let (durability, hold) = (found.database.settings, DatabaseWatch.hold(found.database, standbys))
        let fault = durability.fault(standbys: standbys)
        add(
            "durability",
            fault == nil ? .fine : .bad,
            """
            fsync=\(durability.fsync), full_page_writes=\(durability.fullPageWrites), \
            synchronous_commit=\(durability.synchronousCommit), \
            synchronous_standby_names='\(durability.standbyNames)'\(fault.map { ": \($0)" } ?? "")
            """
        )
        let seconds = abs(found.database.ahead) / 1_000_000
        add(
            "clock",
            hold?.code == "clock-differs" ? .bad : .fine,
            hold?.code == "clock-differs" ? hold?.detail ?? "" : "\(seconds) s from the clock of the database"
        )
        add(
            "rights",
            found.mayCreate ? .fine : .bad,
            found.mayCreate ? "the service has the rights it needs" : "GRANT CREATE ON DATABASE ... TO daybook_service"
        )
        add("tenants", found.tenants == 0 ? .idle : .fine, "\(found.tenants)")
        add("log", .fine, "\(found.head) events")
        for model in found.models {
            let state: State = model.fault == nil ? .fine : .bad
            let fault = model.fault.map { ", halted before \(model.faultPosition ?? 0): \($0)" } ?? ""
            let lag = model.lag == 0 ? "up to date" : "\(model.lag) events behind"
            add("read model \(model.name)", state, lag + fault + (model.isRebuilding ? ", being rebuilt" : ""))
        }
    }

    /// Compares the log with its signed checkpoints, and adds the signing key.
    private mutating func examineEvidence(_ configuration: PostgresConfiguration, _ files: EvidenceFiles) async {
        let (file, witness) = (files.key, files.witness)
        var keys: LogKeys?
        do {
            keys = file.exists ? try file.read() : nil
            if let key = keys?.verifiers.first {
                add(
                    "log key",
                    file.isOpenToOthers ? .bad : .fine,
                    key.text + (file.isOpenToOthers ? ", open to others" : "")
                )
            }
        } catch {
            add("log key", .bad, Failure(describing: error).message)
        }
        let ledger = Self.ledger(configuration)
        let (verifiers, isMissing) = (keys?.verifiers, !file.exists)
        do {
            let (isSigned, examined): (Bool, Result<CheckpointStore.Situation, any Error>) = try await ledger.run(
                for: .reading([])
            ) {
                let isSigned = try await ledger.evidence.checkpoint() != nil
                do {
                    return (isSigned, .success(try await ledger.evidence.examine(keys: verifiers, witness: witness)))
                } catch {
                    return (isSigned, .failure(error))
                }
            }
            if isMissing, isSigned {
                add(
                    "log key",
                    files.expectsKey ? .bad : .idle,
                    "missing, and the log is signed: restore \(file.path), or name its key file with --log-key"
                )
            }
            let situation = try examined.get()
            let head = situation.head.size
            if let newest = situation.newest {
                add("checkpoints", .fine, "the newest covers \(newest.size) of \(head) events")
            } else {
                add(
                    "checkpoints",
                    .idle,
                    "none" + (keys == nil ? "; `daybook keys log` creates the key they need" : " yet")
                )
            }
            if let remote = files.remote { await examine(remote, keys, situation, configuration) }
        } catch let fault as EvidenceFault {
            add("checkpoints", ProofObstacle(fault))
        } catch let failure as WitnessFile.Failure {
            add("checkpoints", failure.obstacle)
        } catch {
            add("checkpoints", .bad, Failure(describing: error).message)
        }
    }

    /// Has the remote witness cosign the newest checkpoint, as a server does when it starts.
    private mutating func examine(
        _ remote: WitnessOptions,
        _ keys: LogKeys?,
        _ situation: CheckpointStore.Situation,
        _ configuration: PostgresConfiguration
    ) async {
        let ledger = Self.ledger(configuration)
        do {
            let evidence = RemoteEvidence(remote, keys: keys, pool: ledger.pool, logger: ledger.log.logger)
            let cosigned = try await ledger.run(for: .reading([])) {
                try await evidence.agree(with: situation)
                return await evidence.cosigned
            }
            add("remote witness", .fine, "\(remote.remote.address) has cosigned \(cosigned?.size ?? 0) events")
        } catch let fault as EvidenceFault {
            add("remote witness", ProofObstacle(fault))
        } catch let failure as RemoteWitnessFailure {
            add("remote witness", failure.obstacle)
        } catch {
            add("remote witness", .bad, Failure(describing: error).message)
        }
    }

    var json: JSONValue {
        [
            "healthy": .bool(!findings.contains { $0.state == .bad }),
            "checks": .array(
                findings.map {
                    ["check": .string($0.check), "state": .string($0.state.rawValue), "found": .string($0.found)]
                }
            ),
        ]
    }
}
