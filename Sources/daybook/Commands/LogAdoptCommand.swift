import ArgumentParser
import Canonical
import EventLog
import Foundation
import Merkle
import Postgres
import Redaction

struct LogAdoptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Continue a log that lost events, after a restore or a failover.",
        discussion: """
            A log that contradicts its witness file or what a server knows of it is not appended to, and no gateway is
            called (`log-contradicted`; `daybook doctor` says why). Compare it with what was lost first: restore a newer
            backup if there is one.

            This begins a new epoch: it records LogEpochBegun with the lost checkpoint, and signs a checkpoint of the new
            epoch into the database and the witness file. Servers notice it within seconds. Cursors and positions of the
            old epoch are refused from then on, and replays rest until no call of the old epoch can still be on its way.

            The login must be allowed to act as daybook_owner.

            EXAMPLES
              daybook log adopt --reason 'restored the backup of 25 November after a disk failure'
              daybook log adopt --reason 'failover lost 3 events' --witness-file /mnt/worm/checkpoints --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Why this log is the one to continue. Recorded.")
    var reason: String

    @Option(help: "The file with the signing keys of the log. Default: <data-dir>/log.key")
    var logKey: String?

    @Option(help: "The witness file. Also DAYBOOK_WITNESS_FILE.")
    var witnessFile: String?

    func run() async throws {
        let reason = try Failure.reason(reason)
        try await Session.open(common) { session in
            let files = EvidenceFiles(session.settings, logKey: logKey, witnessFile: witnessFile)
            let keys = files.key.exists ? try files.key.read() : nil
            let begun: LogEpochBegun
            do {
                begun = try await PostgresPool.withPool(session.configuration.acting(as: .owner)) { pool in
                    try await LogAdoption(
                        pool: pool,
                        keys: keys,
                        witness: files.witness,
                        ids: UUIDv7Generator(clock: SystemClock()),
                        clock: SystemClock()
                    ).adopt(reason: reason.text, actor: "cli:\(NSUserName())")
                }
            } catch LogAdoption.Refusal.damaged(let fault) {
                throw Failure(
                    "The log is damaged and cannot be adopted: \(fault).",
                    hint: "`daybook verify` names the place. Restore a sound backup."
                )
            } catch LogAdoption.Refusal.withoutKeys {
                throw Failure("The log is signed: name its key file with --log-key.")
            }
            if common.json { return Terminal.say(begun.json) }
            Terminal.say("epoch    \(begun.epoch)")
            Terminal.say("adopted  \(begun.adopted.size) events")
            if let lost = begun.lost {
                Terminal.say("lost     the log of \(lost.size) events, root \(lost.root.base64)")
            }
        }
    }
}
