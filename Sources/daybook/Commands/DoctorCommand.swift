import ArgumentParser
import EventLog
import Logging
import Postgres

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the installation, the database, the log, its witnesses and the gateways. Changes nothing.",
        discussion: """
            Exit code 2: a check needs attention. A private server that is stopped is started for the check. A remote \
            witness is asked as a server does when it starts. A gateway is sent a GET without credentials; any answer \
            will do.

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
            await examination.examine(settings.privateCluster(logger: Session.logger(.error)), evidence, standbys)
        }
        await examination.examineGateways(of: settings)
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
