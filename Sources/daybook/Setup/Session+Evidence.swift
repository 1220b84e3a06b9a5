import Composition
import EventLog
import Logging
import Postgres

extension Session {
    /// The signing keys and the witness file of the log.
    ///
    /// A private database gets a key with the first start of a server, or with a witness before the first command that
    /// appends, unless a key file is named. A log that has a checkpoint never gets another key automatically.
    ///
    /// - Parameter isServer: Whether a log without checkpoints and witnesses is signed from now on.
    /// - Throws: `Failure` when a named file cannot be used, or there is a remote witness and no key; `PostgresError`.
    func evidence(
        logKey: String? = nil,
        witnessFile: String? = nil,
        remote: WitnessOptions? = nil,
        isServer: Bool = true
    ) async throws -> EvidenceOptions {
        var options = EvidenceOptions(remote: remote)
        // A command compares the log with its witness, but decides nothing for the servers.
        options.listsWitnesses = isServer
        options.witness = settings.text("witness.file", flag: witnessFile).map { WitnessFile(path: $0) }
        let isNamed = settings.text("log.key", flag: logKey) != nil
        let file = LogKeyFile(settings, flag: logKey)
        if !file.exists, !isNamed {
            let isSigned = try await isSigned()
            options.needsKeys = isSigned || options.witness != nil
            guard isServer || options.needsKeys || remote != nil else { return options }
            guard settings.databaseURL == nil, !isSigned else {
                options.missingKey = isSigned ? "the key file \(file.path) is missing" : "there is no key file"
                guard remote == nil else {
                    throw Failure(
                        "A remote witness needs a signed log, and \(options.missingKey).",
                        hint: "Name the key file with --log-key; `daybook keys log` creates one for a new log."
                    )
                }
                logger.log(
                    level: options.needsKeys ? .error : .notice,
                    options.needsKeys
                        ? "nothing is appended without the log's key" : "checkpoints are not signed by this process",
                    metadata: ["reason": "\(options.missingKey)"]
                )
                return options
            }
            try file.create(.new(origin: nil))
            logger.notice("a key for the log was created", metadata: ["file": "\(file.path)"])
        }
        options.keys = try file.read()
        if file.isOpenToOthers {
            logger.warning("other users may read the log's key file", metadata: ["file": "\(file.path)"])
        }
        return options
    }

    /// True when the log has a checkpoint.
    private func isSigned() async throws -> Bool {
        let connection = try await PostgresConnection.connect(configuration)
        do {
            let isSigned = try await connection.query("SELECT EXISTS (SELECT FROM ledger.checkpoints)").single().bool(0)
            await connection.close()
            return isSigned
        } catch {
            await connection.close()
            throw error
        }
    }
}

extension EvidenceOptions {
    /// For commands that change keys or read models, and append nothing.
    static let appendingNothing = EvidenceOptions()
}
