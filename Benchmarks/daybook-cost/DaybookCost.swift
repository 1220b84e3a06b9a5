import ArgumentParser

/// Does the work whose instructions `ops/cost` counts.
@main
struct DaybookCost: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daybook-cost",
        abstract: "The programs that ops/cost runs to count what Daybook costs.",
        discussion: """
            The service is the one of `daybook serve`, at a clock that stands still. It follows nothing while it is counted,
            because the read models poll by the time.
            """,
        subcommands: [DatabaseCommand.self, ServeCommand.self, RebuildCommand.self]
    )
}
