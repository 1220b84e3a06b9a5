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
            A log that contradicts its witnesses or what a server knows of it is not appended to, and no gateway is \
            called (`log-contradicted`). Restore a newer backup if there is one.

            Compare the log with what was lost first. `daybook doctor` names the size of the checkpoint that it \
            contradicts, `daybook log show` prints its own size, and `daybook verify` checks that the rest is sound: \
            the events between the two sizes are lost. Afterwards post the documents and import the statements \
            again, query the gateways with `daybook resolve query --all`, and find what is still missing with \
            `daybook reconcile run`. docs/operations.md has the steps.

            This begins a new epoch: it records LogEpochBegun with the lost checkpoint, and signs a checkpoint of the \
            new epoch into the database and the witness file. Servers notice it within seconds. Cursors and positions \
            of the old epoch are refused from then on, and replays rest until no call of the old epoch can still be on \
            its way.

            Name the witness that the servers have: an adoption without it does not record what was lost.

            A remote witness is asked first, for what it knows and for an epoch that it has not seen, and cosigns the \
            new epoch afterwards. `daybook witness` accepts it; other witnesses refuse the log until their operator \
            has set them back.

            The login must be allowed to act as daybook_owner.

            EXAMPLES
              daybook log adopt --reason 'restored the backup of 25 November' \\
                --without-witness
              daybook log adopt --reason 'failover lost 3 events' \\
                --witness-file /mnt/worm/checkpoints --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Why this log is the one to continue. Recorded.")
    var reason: String

    @Option(help: "The file with the signing keys of the log. Default: <data-dir>/log.key")
    var logKey: String?

    @Option(help: "The witness file. Also DAYBOOK_WITNESS_FILE.")
    var witnessFile: String?

    @Option(help: "The remote witness. Also DAYBOOK_WITNESS_URL.")
    var witnessURL: String?

    @Option(help: "The key of the remote witness, as text or as a file. Also DAYBOOK_WITNESS_KEY.")
    var witnessKey: String?

    @Flag(help: "The servers of this log have no witness.")
    var withoutWitness = false

    func run() async throws {
        let reason = try Failure.reason(reason)
        try await Session.open(common) { session in
            let files = EvidenceFiles(session.settings, logKey: logKey, witnessFile: witnessFile)
            let keys = files.key.exists ? try files.key.read() : nil
            let remote = try session.settings.remoteWitness(url: witnessURL, key: witnessKey)
            let hasWitness = files.witness != nil || remote != nil
            guard hasWitness || withoutWitness else {
                throw Failure(
                    "The witness of this log is not named. Without it, what was lost would not be recorded.",
                    hint: """
                        Name the one of the servers with --witness-file or --witness-url. If they have none, add \
                        --without-witness.
                        """
                )
            }
            guard !hasWitness || !withoutWitness else {
                throw Failure.usage("--without-witness excludes a witness, also one in the settings.")
            }
            let begun: LogEpochBegun
            do {
                begun = try await PostgresPool.withPool(session.configuration.acting(as: .owner)) { pool in
                    let adoption = LogAdoption(
                        pool: pool,
                        keys: keys,
                        witness: files.witness,
                        remote: remote,
                        ids: UUIDv7Generator(clock: SystemClock()),
                        clock: SystemClock(),
                        logger: session.logger
                    )
                    let begun = try await adoption.adopt(reason: reason.text, actor: "cli:\(NSUserName())")
                    await cosign(adoption)
                    return begun
                }
            } catch let failure as RemoteWitnessFailure {
                throw Failure(
                    "The log is not adopted: \(failure).",
                    hint: "Its answer belongs to the record. Repeat this when it answers."
                )
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
            Terminal.say("adopted  \(begun.adopted.size, "event")")
            if let lost = begun.lost {
                let root = lost.root.map { ", root \($0.base64)" } ?? ""
                Terminal.say("lost     the log of \(lost.size, "event")\(root)")
            }
        }
    }

    /// The log is adopted, whatever the witness answers now.
    private func cosign(_ adoption: LogAdoption) async {
        do {
            try await adoption.cosign()
        } catch let fault as EvidenceFault {
            Terminal.note("The remote witness does not accept the new epoch: \(fault).")
            Terminal.note(
                """
                If it is `daybook witness`, it has seen this epoch: run `daybook log adopt` again. Another witness \
                must be set back by its operator; then restart the servers of this log.
                """
            )
        } catch let failure as RemoteWitnessFailure {
            Terminal.note("The new epoch is not cosigned yet: \(failure).")
        } catch {
            Terminal.note("The new epoch is not cosigned yet: \(Failure(describing: error).message)")
        }
    }
}
