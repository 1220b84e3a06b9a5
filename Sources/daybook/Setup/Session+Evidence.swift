import Composition
import EventLog
import Logging
import Postgres

extension Session {
    /// The signing keys and the witness file of the log.
    ///
    /// A private database gets a key with its first start, unless a key file is named. A log that has a checkpoint
    /// never gets another key automatically.
    ///
    /// - Throws: `Failure` when a named file cannot be used, or there is a remote witness and no key; `PostgresError`.
    func evidence(
        logKey: String? = nil,
        witnessFile: String? = nil,
        remote: WitnessOptions? = nil
    ) async throws -> EvidenceOptions {
        var options = EvidenceOptions(remote: remote)
        options.witness = settings.text("witness.file", flag: witnessFile).map { WitnessFile(path: $0) }
        let isNamed = settings.text("log.key", flag: logKey) != nil
        let file = LogKeyFile(settings, flag: logKey)
        if !file.exists, !isNamed {
            let isSigned = try await isSigned()
            guard settings.databaseURL == nil, !isSigned else {
                options.missingKey = isSigned ? "the key file \(file.path) is missing" : "there is no key file"
                guard remote == nil else {
                    throw Failure(
                        "A remote witness needs a signed log, and \(options.missingKey).",
                        hint: "Name the key file with --log-key; `daybook keys log` creates one for a new log."
                    )
                }
                logger.log(
                    level: isSigned ? .error : .notice,
                    "checkpoints are not signed by this process",
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
