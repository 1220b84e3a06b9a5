import ArgumentParser
import Canonical
import Foundation
import Logging
import PostgresCluster

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db",
        abstract: "Start, stop, check or open the private PostgreSQL.",
        subcommands: [Start.self, Stop.self, Status.self, Psql.self]
    )

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Start the private server and leave it running.",
            discussion: """
                Prints the connection string.

                EXAMPLES
                  daybook db start
                  export DATABASE_URL=$(daybook db start)
                """
        )

        @OptionGroup var common: LocalOptions

        func run() async throws {
            let lease = try await DatabaseCommand.cluster(common).start()
            lease.leaveRunning()
            let url = lease.connectionString()
            Terminal.say(common.json ? JSONValue.object(["connection": .string(url)]).text : url)
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Stop the private server.")

        @OptionGroup var common: LocalOptions

        @Flag(help: "Stop the server even when other commands use it.")
        var force = false

        func run() async throws {
            try await DatabaseCommand.cluster(common).stop(evenIfInUse: force)
            Terminal.say(common.json ? "{\"stopped\":true}" : "stopped")
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the status of the private server.")

        @OptionGroup var common: LocalOptions

        func run() async throws {
            var examination = Examination()
            examination.add(try await DatabaseCommand.cluster(common).status())
            if common.json {
                Terminal.say(examination.json)
            } else {
                for finding in examination.findings { Terminal.say("\(finding.check): \(finding.found)") }
            }
        }
    }

    struct Psql: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Open psql on the private server.",
            discussion: """
                EXAMPLES
                  daybook db psql
                  daybook db psql -- -c 'SELECT * FROM ledger.head'
                """
        )

        @OptionGroup var common: LocalOptions

        @Argument(parsing: .captureForPassthrough, help: "Arguments for psql.")
        var arguments: [String] = []

        func run() async throws {
            let lease = try await DatabaseCommand.cluster(common).start()
            let code: Int32
            do {
                code = try await Child.run(
                    lease.psqlPath,
                    lease.psqlArguments() + arguments.drop(while: { $0 == "--" })
                )
            } catch {
                await lease.release()
                throw error
            }
            await lease.release()
            if code != 0 { throw ExitCode(code) }
        }
    }

    static func cluster(_ options: LocalOptions) throws -> PrivateCluster {
        let settings = try Settings(options)
        guard settings.databaseURL == nil else {
            throw Failure("`daybook db` manages the private server, but a database URL is given.")
        }
        return settings.privateCluster(logger: Session.logger(.warning))
    }
}
