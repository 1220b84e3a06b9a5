import ArgumentParser
import Canonical
import EventLog
import Merkle

extension KeysCommand {
    struct Log: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create the signing key of the log, and print its public half.",
            discussion: """
                Keep the key file secret: every reader of it can sign checkpoints. The printed public half checks the \
                signatures and may be published. The file has one key per line. Every PRIVATE+KEY signs, and the first \
                is the log's own. Verifier keys are trusted for past signatures.

                To change the key, --rotate adds a new key before the old one, and both sign. When every auditor has \
                the new public key, replace the old PRIVATE+KEY line by its verifier key. Never remove that line.

                EXAMPLES
                  daybook keys log
                  daybook keys log --log-key /etc/daybook/log.key \\
                    --origin ledger.example.com/log
                  daybook keys log --show
                """
        )

        @OptionGroup var common: LocalOptions

        @Option(help: "The key file. Also DAYBOOK_LOG_KEY. Default: <data-dir>/log.key")
        var logKey: String?

        @Option(help: "The log's name, which every checkpoint has. Default: daybook/ and a random number.")
        var origin: String?

        @Flag(help: "Add a new key before the existing keys.")
        var rotate = false

        @Flag(help: "Print the public halves of the existing keys.")
        var show = false

        func run() async throws {
            let settings = try Settings(common)
            let file = LogKeyFile(settings, flag: logKey)
            guard !(rotate && show), origin == nil || !(rotate || show) else {
                throw Failure("--origin, --rotate and --show exclude each other.")
            }
            let keys: LogKeys
            if show {
                keys = try file.read()
            } else if rotate {
                keys = try file.read().rotated()
                try file.replace(with: keys)
            } else {
                guard !file.exists else {
                    throw Failure(
                        "There is a key already: \(file.path).",
                        hint: "--show prints its public half, --rotate adds a new key before it."
                    )
                }
                keys = try .new(origin: origin)
                try file.create(keys)
            }
            if common.json {
                Terminal.say([
                    "file": .string(file.path), "origin": .string(keys.origin),
                    "keys": .array(keys.verifiers.map { .string($0.text) }),
                ])
            } else {
                // Standard output has only the keys, for scripts.
                for key in keys.verifiers { Terminal.say(key.text) }
                if !show { Terminal.note("the key is in \(file.path); servers use it from their next start") }
            }
        }
    }
}
