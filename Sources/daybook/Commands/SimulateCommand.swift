import ArgumentParser
import Canonical
import Foundation
import Matching
import Payments
import Simulator

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Play merchants, readers, SDKs and hosts, or stand in for the vendors' gateways.",
        discussion: """
            Without a subcommand, trading days are played: `daybook simulate play --help` explains the options.

            EXAMPLES
              daybook simulate --seed 7 --transactions 500 --faults all=0.02 --url http://127.0.0.1:8080
              daybook simulate --score truth.ndjson --url http://127.0.0.1:8080
              daybook simulate gateway --bridgepay 8801 --books books.ndjson
            """,
        subcommands: [SimulatePlayCommand.self, SimulateGatewayCommand.self],
        defaultSubcommand: SimulatePlayCommand.self
    )
}

struct SimulatePlayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play merchants, readers, SDKs and hosts through the HTTP API; score a ledger against the truth.",
        discussion: """
            Plays trading days over the SDKs of the vendors and posts what they tell to POST /v1/intake/{vendor}.
            The same options give the same documents, byte for byte, and the same truth. What really happened to every
            payment is written to the truth file; with --score the ledger's answers are compared with it.

            A fault profile is none, everyday or storm, or names rates from 0 to 1: all=0.02,late=0.1. Faults:
            \(Fault.allCases.map(\.rawValue).joined(separator: ", ")).

            With --statements the processors and banks of the world report what happened: Adyen's settlement report,
            American Express's GRRCN, iPOSgo's batches, BAI2 and camt.053. With --discrepancies they are wrong in places,
            none or class=rate: \(DiscrepancyProfile.planted.map(\.rawValue).joined(separator: ", ")).
            The truth file names every line and payment a reconciliation has to find.

            With --reconcile the statements are then imported into the ledger through its API and reconciled, and what is
            matched and what is not is compared with the truth: by class, and of matches, how much of what is told is right
            and how much of what is right is told. With --score it is done for a world that was played before; the payments
            themselves are scored without it, before anything is imported. Rules say which fees are agreed on; --agree sets
            those of the simulated processors first.

            Exit codes: 0 done, 1 failed, 2 documents were refused, or the ledger does not know the truth.

            EXAMPLES
              export DAYBOOK_KEY=$(daybook keys create --tenant acme --scopes intake,read)
              daybook simulate --seed 7 --merchants 10 --terminals 20 --transactions 500 --days 2 \\
                --faults all=0.02 --url http://127.0.0.1:8080
              daybook simulate --score truth.ndjson --url http://127.0.0.1:8080
              daybook simulate --seed 7 --transactions 50 --documents day.ndjson
              daybook simulate --seed 7 --statements month --discrepancies all=0.02 --url http://127.0.0.1:8080 \\
                --reconcile --agree
              daybook simulate --score truth.ndjson --statements month --reconcile --url http://127.0.0.1:8080
            """
    )

    @Option(help: "Where chance begins.")
    var seed: UInt64 = 1

    @Option(help: "Merchants; they take turns with the vendors.")
    var merchants = 10

    @Option(help: "Terminals in all. Default: two for each merchant.")
    var terminals: Int?

    @Option(help: "Payments in all.")
    var transactions = 200

    @Option(help: "Trading days.")
    var days = 1

    @Option(help: "What goes wrong, and how often.")
    var faults = "none"

    @Option(help: "The first day, as 2025-03-03. What is played says which days they were.")
    var from: String?

    @Option(help: "Only these vendors, separated by commas.")
    var vendors: String?

    @Option(help: "The ledger, as http://127.0.0.1:8080.")
    var url: String?

    @Option(help: "An API key with the scopes intake and read, and reconcile for --reconcile. Also DAYBOOK_KEY.")
    var key: String?

    @Option(help: "Where the truth is written.")
    var truth = "truth.ndjson"

    @Option(help: "Also write the documents, in the order they are sent, one a line.")
    var documents: String?

    @Option(
        help: "Write the statements of processors and banks into this directory; with --score, read them from there."
    )
    var statements: String?

    @Option(help: "What is wrong between the ledger and the statements, and how often.")
    var discrepancies = "none"

    @Flag(help: "Import the statements, reconcile, and compare what comes of it with the truth.")
    var reconcile = false

    @Flag(help: "First have the ledger reconcile by the terms of the simulated processors, with the fees agreed.")
    var agree = false

    @Option(help: "Compare the ledger's answers with this truth file, and send nothing.")
    var score: String?

    @Flag(help: "Print one JSON document instead of text.")
    var json = false

    func validate() throws {
        do throws(InvalidProfile) {
            _ = try FaultProfile(parsing: faults)
        } catch {
            throw ValidationError("--faults: \(error.explanation).")
        }
        do throws(InvalidProfile) {
            _ = try DiscrepancyProfile(parsing: discrepancies)
        } catch {
            throw ValidationError("--discrepancies: \(error.explanation).")
        }
        if discrepancies != "none" && statements == nil {
            throw ValidationError("--discrepancies needs --statements.")
        }
        if reconcile && (statements == nil || url == nil) {
            throw ValidationError("--reconcile needs --statements and --url.")
        }
        if agree && !reconcile { throw ValidationError("--agree needs --reconcile.") }
        if score != nil && statements != nil && !reconcile {
            throw ValidationError("--score reads --statements only with --reconcile.")
        }
        if score != nil && url == nil { throw ValidationError("--score needs --url.") }
        if score == nil && url == nil && documents == nil && statements == nil {
            throw ValidationError(
                "Name the ledger with --url, a file with --documents, or a directory with --statements."
            )
        }
    }

    func run() async throws {
        if let score { return try await compare(score) }
        let plan = try self.plan()
        let client = try url.map(client)
        try await client?.greet()
        let report = try await Trading(plan: plan, client: client, isJSON: json).run(
            documentsTo: documents,
            truthTo: truth,
            statements: statements
        )
        guard reconcile, let client else {
            if json { Terminal.say(report.json) } else { report.show(truth) }
            guard report.isAccepted else { throw ExitCode(2) }
            return
        }
        if !json { report.show(truth) }
        let files = report.statements.map { Reconciling.File(name: $0.name, bytes: $0.bytes) }
        let isClean = try await reconcile(files, report.truth, client, after: report)
        guard isClean, report.isAccepted else { throw ExitCode(2) }
    }

    private func client(_ url: String) throws -> APIClient {
        guard let key = key ?? ProcessInfo.processInfo.environment["DAYBOOK_KEY"], !key.isEmpty else {
            throw Failure(
                "There is no API key.",
                hint: "Give one with --key or DAYBOOK_KEY; `daybook keys create --scopes intake,read` makes it."
            )
        }
        return APIClient(base: url, key: key)
    }

    private func plan() throws -> SimulationPlan {
        do {
            return try SimulationPlan(
                seed: seed,
                merchants: merchants,
                terminals: terminals ?? merchants * 2,
                transactions: transactions,
                days: days,
                faults: FaultProfile(parsing: faults),
                firstDay: from.map(Self.day) ?? SimulationPlan.defaultFirstDay,
                vendors: vendors.map(Self.vendors) ?? VirtualSDKs.vendors,
                discrepancies: DiscrepancyProfile(parsing: discrepancies)
            )
        } catch let error as InvalidProfile {
            throw Failure("--faults: \(error.explanation).")
        } catch let error as InvalidPlan {
            throw Failure("This cannot be simulated. \(error.explanation).")
        }
    }

    private static func day(_ text: String) throws -> Timestamp {
        guard text.utf8.count == 10, let day = Timestamp(rfc3339: "\(text)T00:00:00Z") else {
            throw Failure.usage("--from is a day, as 2025-03-03.")
        }
        return day
    }

    private static func vendors(_ text: String) throws -> [Vendor] {
        try text.split(separator: ",").map { name in
            guard let vendor = Vendor(rawValue: String(name)) else {
                let known = VirtualSDKs.vendors.map(\.rawValue).joined(separator: ", ")
                throw Failure.usage("There is no vendor \(name).", hint: "There are: \(known).")
            }
            return vendor
        }
    }

    /// - Parameter report: What was played before; nil where that was another time.
    /// - Returns: Whether the ledger knows what is wrong, and what is not.
    private func reconcile(
        _ files: [Reconciling.File],
        _ truth: TruthFile,
        _ client: APIClient,
        after report: Trading.Report? = nil
    ) async throws -> Bool {
        guard !truth.matches.isEmpty else {
            throw Failure("The truth names no line of a statement.", hint: "It is written with --statements.")
        }
        let reconciling = Reconciling(client: client)
        if agree { try await reconciling.agree { Terminal.note($0) } }
        let (score, ignored) = try await reconciling.run(files, truth) { Terminal.note($0) }
        if json {
            var object = report?.json.object ?? [:]
            object["reconciliation"] = score.json()
            object["notCompared"] = .array(ignored.map(\.rawValue).sorted().map { .string($0) })
            Terminal.say(.object(object))
        } else {
            if report != nil { Terminal.say() }
            score.show(truth.discrepancies)
        }
        return score.isClean
    }

    private func compare(_ path: String) async throws {
        guard let url else { return }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw Failure("The file \(path) cannot be read.", hint: "`daybook simulate` writes it; see --truth.")
        }
        let truth: TruthFile
        do {
            truth = try TruthFile(lines: data.split(separator: 0x0A))
        } catch {
            throw Failure("Line \(error.line) of \(path) cannot be read.")
        }
        let client = try client(url)
        try await client.greet()
        if reconcile, let statements {
            let files = try Reconciling.files(in: statements)
            guard try await reconcile(files, truth, client) else { throw ExitCode(2) }
            return
        }
        let score = try await LedgerReading(client: client).score(truth) { Terminal.note($0) }
        if json { Terminal.say(score.json()) } else { score.show() }
        if !score.isClean { throw ExitCode(2) }
    }
}
