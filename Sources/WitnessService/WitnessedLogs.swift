package import Canonical
package import Logging
package import Merkle

/// The logs that a witness serves.
package struct WitnessedLogs: Sendable {
    private let logs: [[UInt8]: WitnessedLog]

    /// Reads what was cosigned before. Blocks.
    ///
    /// - Parameters:
    ///   - keys: The keys of all logs. The name of a key is the origin of its log.
    ///   - cosigners: The witness's keys, at least one.
    /// - Throws: `WitnessDirectory.Failure`.
    package init(
        keys: [NoteVerifierKey],
        cosigners: [CosigningKey],
        directory: WitnessDirectory,
        clock: any WallClock = SystemClock(),
        logger: Logger
    ) throws {
        // Compared by bytes, as key names are.
        let byOrigin = Dictionary(grouping: keys) { Array($0.name.description.utf8) }
        logs = try byOrigin.mapValues { keys in
            try WitnessedLog(
                origin: keys[0].name.description,
                keys: keys,
                cosigners: cosigners,
                directory: directory,
                clock: clock,
                logger: logger
            )
        }
    }

    package var origins: [String] { logs.values.map(\.origin).sorted() }

    /// Cosigns a submitted checkpoint.
    ///
    /// - Parameter body: The body of the request.
    /// - Returns: The body of the answer: one signature line for each key of the witness.
    /// - Throws: As `WitnessedLog.cosign`.
    package func cosign(_ body: [UInt8]) async throws -> String {
        guard let submission = try? CheckpointSubmission(body),
            let checkpoint = try? Checkpoint(text: submission.note.text)
        else { throw WitnessedLog.Refusal.malformed }
        guard let log = logs[Array(checkpoint.origin.utf8)] else { throw WitnessedLog.Refusal.unknownOrigin }
        return try await log.cosign(submission).map { $0.line + "\n" }.joined()
    }
}
