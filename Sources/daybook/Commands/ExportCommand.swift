import ArgumentParser

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the log, or entries of the journal for accounting software.",
        discussion: """
            The default subcommand is log: `daybook export log --help` explains its options.

            EXAMPLES
              daybook export -o log.ndjson
              daybook export journal --format beancount -o january.beancount
            """,
        subcommands: [ExportLogCommand.self, ExportJournalCommand.self],
        defaultSubcommand: ExportLogCommand.self
    )
}
