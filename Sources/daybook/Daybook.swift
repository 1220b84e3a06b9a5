import ArgumentParser

/// The command line of the ledger.
@main
struct Daybook: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "daybook", abstract: "A transaction ledger.")
}
