import Canonical
import Composition
import EventLog
import Merkle
import Postgres

extension Examination {
    /// Compares the log with its signed checkpoints, and adds the signing key.
    mutating func examineEvidence(_ configuration: PostgresConfiguration, _ files: EvidenceFiles) async {
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
                    """
                    missing, and the log is signed, so that this process only reads: restore \(file.path), or name the \
                    key file with --log-key
                    """
                )
            }
            let situation = try examined.get()
            let head = situation.head.size
            if let newest = situation.newest {
                add("checkpoints", .fine, "the newest covers \(newest.size) of \(head, "event")")
            } else {
                add(
                    "checkpoints",
                    .idle,
                    "none" + (keys == nil ? "; `daybook keys log` creates the key they need" : " yet")
                )
            }
            let given = WitnessKind.given(files.witness, files.remote)
            if let missing = WitnessNotNamed(listed: situation.witnesses, given: given) {
                add("witness", missing.obstacle)
            } else if given.isEmpty {
                add("witness", .idle, "none: a restored database that lacks events looks whole")
            } else {
                add("witness", .fine, given.map(\.text).joined(separator: " and "))
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
            add("remote witness", .fine, "\(remote.remote.address) has cosigned \(cosigned?.size ?? 0, "event")")
        } catch let fault as EvidenceFault {
            add("remote witness", ProofObstacle(fault))
        } catch let failure as RemoteWitnessFailure {
            add("remote witness", failure.obstacle)
        } catch {
            add("remote witness", .bad, Failure(describing: error).message)
        }
    }
}
