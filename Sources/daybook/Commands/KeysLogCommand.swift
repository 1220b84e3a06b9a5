import ArgumentParser
import Canonical
import EventLog
import Merkle

extension KeysCommand {
    struct Log: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the key the log is signed with, and print its public half.",
            discussion: """
                The key file is for the server alone; who has it can sign checkpoints. What is printed is for everybody
                who wants to check them. The file has one key a line: every PRIVATE+KEY signs, the first is the log's
                own, and verifier keys are trusted for what was signed in the past.

                To change the key: --rotate puts a new key first and lets the old one go on signing beside it. When
                everybody knows the new one, replace the old PRIVATE+KEY line by its verifier key; never remove it.

                EXAMPLES
                  daybook keys log
                  daybook keys log --log-key /etc/daybook/log.key --origin ledger.example.com/log
                  daybook keys log --show
                """
        )

        @OptionGroup var common: CommonOptions

        @Option(help: "The key file. Also DAYBOOK_LOG_KEY. Default: <data-dir>/log.key")
        var logKey: String?

        @Option(help: "The log's name, which stands in every checkpoint. Default: daybook/ and a random number.")
        var origin: String?

        @Flag(help: "Put a new key before those the file has.")
        var rotate = false

        @Flag(help: "Print the public halves of the keys there are.")
        var show = false

        func run() async throws {
            let settings = try await Settings(common)
            let file = LogKeyFile(settings, flag: logKey)
            guard !(rotate && show), origin == nil || !(rotate || show) else {
                throw Failure("--origin, --rotate and --show do not go together.")
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
                        hint: "--show prints its public half, --rotate puts a new key before it."
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
                // Only the keys, so that a script can take them.
                for key in keys.verifiers { Terminal.say(key.text) }
                if !show { Terminal.note("the key is in \(file.path); servers use it from their next start") }
            }
        }
    }
}
