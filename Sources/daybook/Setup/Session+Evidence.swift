import EventLog
import Ledger
import Logging
import Postgres

extension Session {
    /// What the log is signed with and witnessed by.
    ///
    /// A private database gets a key with its first start, if nobody has named a file. A log that has been signed never
    /// gets another key by itself.
    ///
    /// - Throws: `Failure` when a file that was named cannot be used; `PostgresError`.
    func evidence(logKey: String? = nil, witnessFile: String? = nil) async throws -> EvidenceOptions {
        var options = EvidenceOptions()
        options.witness = settings.text("witness.file", flag: witnessFile).map { WitnessFile(path: $0) }
        let isNamed = settings.text("log.key", flag: logKey) != nil
        let file = LogKeyFile(settings, flag: logKey)
        if !file.exists, !isNamed {
            let isSigned = try await isSigned()
            guard settings.databaseURL == nil, !isSigned else {
                options.missingKey = isSigned ? "the key file \(file.path) is missing" : "there is no key file"
                logger.log(
                    level: isSigned ? .error : .notice,
                    "checkpoints are not signed by this process",
                    metadata: ["reason": "\(options.missingKey)"]
                )
                return options
            }
            try file.create(.new(origin: nil))
            logger.notice("a key for the log was made", metadata: ["file": "\(file.path)"])
        }
        options.keys = try file.read()
        if file.isOpenToOthers {
            logger.warning("others may read the log's key file", metadata: ["file": "\(file.path)"])
        }
        return options
    }

    /// Whether there is a checkpoint of the log.
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
