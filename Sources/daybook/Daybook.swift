import ArgumentParser
import Foundation

/// The command line of the ledger. Exit codes: 0 success, 1 failure, 2 the command found a problem (`doctor`,
/// `rebuild`, `verify`, `export`, `simulate`), 64 invalid command line. With `--json` or `--jsonl` a failure is the
/// last line on standard error, as JSON.
@main
struct Daybook: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daybook",
        abstract: "An event-sourced ledger for card-present and wallet payments.",
        discussion: """
            Without a database URL, daybook runs a private PostgreSQL under the data directory. Options come from \
            flags, then from DAYBOOK_* in the environment, then from the configuration file.

            EXAMPLES
              daybook demo                                     see it work
              daybook keys create --tenant acme --scopes documents,read
              daybook serve --listen 127.0.0.1:8080            the HTTP API
              daybook intake records.ndjson --vendor bridgepay --tenant acme
              daybook show 0198c5f2-... --tenant acme
            """,
        version: Version.text,
        subcommands: [
            ServeCommand.self, DemoCommand.self, SimulateCommand.self, MigrateCommand.self, IntakeCommand.self,
            TailCommand.self,
            ShowCommand.self, ListCommand.self, ReceiptCommand.self, BatchCommand.self, TotalsCommand.self,
            ChangesCommand.self, AnomaliesCommand.self, ResolveCommand.self, ProposalsCommand.self,
            DisputeCommand.self,
            DuplicatesCommand.self, DayCommand.self,
            FindCommand.self, EventCommand.self, ReaderCommand.self, CheckoutCommand.self, LogCommand.self,
            ProjectionsCommand.self,
            MerchantsCommand.self, ChartCommand.self, StatementCommand.self, ReconcileCommand.self, ReplayCommand.self,
            RebuildCommand.self, CatchUpCommand.self, VerifyCommand.self,
            ExportCommand.self, ImportCommand.self, ArchiveCommand.self, KeysCommand.self, DoctorCommand.self,
            DatabaseCommand.self, WitnessCommand.self,
        ]
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error where error is ExitCode || error is CleanExit {
            end(with: error)
        } catch let error where error is ValidationError || Self.isParsing(error) {
            let code = exitCode(for: error)
            guard Terminal.complainsInJSON, !code.isSuccess else { end(with: error) }
            let hint = "`daybook --help` lists the commands."
            Terminal.complain(Failure(message(for: error), hint: hint, exitCode: code.rawValue))
            exit(withError: code)
        } catch {
            let failure = Failure(describing: error)
            Terminal.complain(failure)
            exit(withError: ExitCode(failure.exitCode))
        }
    }

    /// Ends as the argument parser does, with its usage wrapped.
    private static func end(with error: any Error) -> Never {
        let code = exitCode(for: error)
        let message = UsageText.wrapped(fullMessage(for: error))
        if !message.isEmpty { code.isSuccess ? Terminal.say(message) : Terminal.note(message) }
        Foundation.exit(code.rawValue)
    }

    /// True for an error of the argument parser, which formats its own message.
    private static func isParsing(_ error: any Error) -> Bool {
        String(reflecting: type(of: error)).hasPrefix("ArgumentParser.")
    }
}
