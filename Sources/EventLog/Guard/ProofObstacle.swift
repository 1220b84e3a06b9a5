import Canonical

/// The log could not be compared with everything that is known of it.
package protocol ProofFailure: Error {
    var obstacle: ProofObstacle { get }
}

/// Why the log is not proven: a stable code, what was found, and what an operator does next.
package struct ProofObstacle: Sendable, Hashable, CustomStringConvertible {
    /// Stable names, used by the API and the command line.
    package enum Code: String, Codable, Sendable, Hashable, CaseIterable {
        case notCompared = "not-compared"
        case witnessFileMissing = "witness-file-missing"
        case witnessFileUnusable = "witness-file-unusable"
        case witnessUnreachable = "witness-unreachable"
        /// The witness does not know the log, or trusts another key of it.
        case witnessLacksKey = "witness-lacks-key"
        /// The witness cosigned with another key than the configured one.
        case witnessKeyDiffers = "witness-key-differs"
        case witnessUnusable = "witness-unusable"
        case logKeyMissing = "log-key-missing"
        /// Other processes have compared the log with a witness that this one is not given.
        case witnessNotNamed = "witness-not-named"
        // The log is contradicted.
        case logShorter = "log-shorter"
        case logChanged = "log-changed"
        case logDamaged = "log-damaged"
        case earlierEpoch = "earlier-epoch"
        case epochUnsigned = "epoch-unsigned"
        case foreignCheckpoint = "foreign-checkpoint"

        /// What an operator does next.
        package var remedy: String {
            switch self {
            case .notCompared: "A server compares it within seconds. If this stays, its database does not answer."
            case .witnessFileMissing:
                "Restore the witness file. If it is lost, `daybook log adopt --witness-file F` begins a new one."
            case .witnessFileUnusable: "Let the server read and write the witness file, or restore it."
            case .witnessUnreachable:
                "Start the witness, or correct DAYBOOK_WITNESS_URL. It is asked again every second."
            case .witnessLacksKey:
                "The operator of the witness adds the log's key, which `daybook keys log --show` prints."
            case .witnessKeyDiffers:
                "Set DAYBOOK_WITNESS_KEY to the key of the witness, which `daybook witness --show-key` prints."
            case .witnessUnusable: "Check DAYBOOK_WITNESS_URL: a witness of C2SP tlog-witness must answer there."
            case .logKeyMissing: "Name the log's key file with --log-key or DAYBOOK_LOG_KEY."
            case .witnessNotNamed:
                "Name the server's witness: DAYBOOK_WITNESS_FILE, or DAYBOOK_WITNESS_URL and DAYBOOK_WITNESS_KEY."
            case .logShorter, .logChanged, .earlierEpoch:
                "Restore the right database. To continue this log, run `daybook log adopt` with the server's witness."
            case .logDamaged: "`daybook verify` names the place. Restore a sound backup."
            case .epochUnsigned:
                "An adoption was not completed: run `daybook log adopt` with the log's key and the server's witness."
            case .foreignCheckpoint: "Give the server the key file of this log, or restore the right database."
            }
        }
    }

    package var code: Code
    /// In words, without a full stop. It may name a file or an address.
    package var found: String

    package init(_ code: Code, _ found: String) {
        self.code = code
        self.found = found
    }

    package init(_ fault: EvidenceFault) {
        let code: Code =
            switch fault {
            case .shorter: .logShorter
            case .changed: .logChanged
            case .earlierEpoch: .earlierEpoch
            case .unsignedEpoch: .epochUnsigned
            case .headContradictsTiles, .missingTile, .unreadable: .logDamaged
            case .foreignCheckpoint: .foreignCheckpoint
            }
        self.init(code, "\(fault)")
    }

    package var description: String { "\(found). \(code.remedy)" }

    /// The file has no checkpoint, although the log has some.
    static func missing(_ witness: WitnessFile, signed size: Int64) -> ProofObstacle {
        ProofObstacle(.witnessFileMissing, "\(witness.path) has no checkpoint, but the log has one of \(size, "event")")
    }
}
