import ArgumentParser
import Canonical
import Foundation
import Matching
import Payments
import Simulator

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Simulate merchants, readers, SDKs and hosts, or the vendors' gateways.",
        discussion: """
            The default subcommand is play: `daybook simulate play --help` explains its options.

            EXAMPLES
              daybook simulate --seed 7 --transactions 500 --faults all=0.02 \\
                --url http://127.0.0.1:8080
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
        abstract: "Simulate trading days through the HTTP API, and score the ledger against the truth.",
        discussion: """
            Simulates trading days over the SDKs of the vendors and posts their documents to POST /v1/intake/{vendor}. \
            The same options give the same documents, byte for byte, and the same truth. The truth file has the true \
            outcome of every payment; --score compares the ledger's answers with it.

            A fault profile is none, everyday or storm, or names rates from 0 to 1: all=0.02,late=0.1. Faults: \
            \(Fault.allCases.map(\.rawValue).joined(separator: ", ")).

            --troubles plays what the vendors' documents make possible beside faults, none or trouble=rate: \
            \(Trouble.allCases.map(\.rawValue).joined(separator: ", ")).

            With --statements the simulated processors and banks write statements: Adyen's settlement report, American \
            Express's GRRCN, iPOSgo's batches, BAI2 and camt.053. --discrepancies plants differences, none or \
            class=rate: \(DiscrepancyProfile.planted.map(\.rawValue).joined(separator: ", ")). The truth file names \
            every line and payment that a reconciliation must find.

            With --reconcile the statements are then imported into the ledger through its API and reconciled. \
            Exceptions by class and matches are compared with the truth, each with precision and recall. All of the \
            tenant are compared, so it must have no other payments and statements. With --score this is done for an \
            earlier simulation; score the payments without --reconcile first, before anything is imported. The \
            ledger's rules have the agreed fees; --agree sets those of the simulated processors first.

            With --balances the trial balance is compared as well: every account, part and currency, before statements \
            are imported at the end of each business day, and with --reconcile after that. All balances of the tenant \
            are compared. The money of payments in doubt is stated apart.

            Exit codes: 0 success, 1 failure, 2 documents were refused, or the ledger does not match the truth.

            EXAMPLES
              export DAYBOOK_KEY=$(daybook keys create --tenant acme \\
                --scopes documents,read)
              daybook simulate --seed 7 --merchants 10 --terminals 20 --transactions 500 \\
                --days 2 \\
                --faults all=0.02 --url http://127.0.0.1:8080
              daybook simulate --score truth.ndjson --balances --url http://127.0.0.1:8080
              daybook simulate --seed 7 --transactions 50 --documents day.ndjson
              daybook simulate --seed 7 --statements month --discrepancies all=0.02 \\
                --url http://127.0.0.1:8080 \\
                --reconcile --agree
              daybook simulate --score truth.ndjson --statements month --reconcile \\
                --url http://127.0.0.1:8080
            """
    )

    @Option(help: "The seed of the random numbers.")
    var seed: UInt64 = 1

    @Option(help: "The number of merchants. The vendors are assigned to them in turn.")
    var merchants = 10

    @Option(help: "The total number of terminals. Default: two for each merchant.")
    var terminals: Int?

    @Option(help: "The total number of payments.")
    var transactions = 200

    @Option(help: "The number of trading days.")
    var days = 1

    @Option(help: "The fault profile.")
    var faults = "none"

    @Option(help: "The first day, such as 2025-03-03. The output names the simulated days.")
    var from: String?

    @Flag(
        help: "Give the merchants seven zones in turn: terminals print local time. With --url, sets them in the ledger."
    )
    var zones = false

    @Option(help: "What the vendors' documents make possible beside faults, with their rates.")
    var troubles = "none"

    @Option(help: "Only these vendors, separated by commas.")
    var vendors: String?

    @Option(help: "The address of the ledger, such as http://127.0.0.1:8080.")
    var url: String?

    @Option(help: "An API key with the scopes documents and read, and reconcile for --reconcile. Also DAYBOOK_KEY.")
    var key: String?

    @Option(help: "The truth file to write.")
    var truth = "truth.ndjson"

    @Option(help: "Also write the documents to this file, in the order they are sent, one per line.")
    var documents: String?

    @Option(
        help: "Write the statements of processors and banks into this directory; with --score, read them from there."
    )
    var statements: String?

    @Option(help: "The discrepancies between the ledger and the statements, with their rates.")
    var discrepancies = "none"

    @Flag(help: "Import the statements, reconcile, and compare the result with the truth.")
    var reconcile = false

    @Flag(help: "First set the ledger's rules to the terms of the simulated processors, with the agreed fees.")
    var agree = false

    @Option(help: "The key of another operator, who approves the rules of --agree. Also DAYBOOK_APPROVER_KEY.")
    var approverKey: String?

    @Option(help: "Compare the ledger's answers with this truth file, and send no documents.")
    var score: String?

    @Flag(help: "With --score: also compare the balances of the journal's accounts with the truth.")
    var balances = false

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
        do throws(InvalidProfile) {
            _ = try TroubleProfile(parsing: troubles)
        } catch {
            throw ValidationError("--troubles: \(error.explanation).")
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
        if balances && score == nil { throw ValidationError("--balances needs --score.") }
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
                hint: "Give one with --key or DAYBOOK_KEY; `daybook keys create --scopes documents,read` creates it."
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
                discrepancies: DiscrepancyProfile(parsing: discrepancies),
                zones: zones ? SimulationPlan.sevenZones : [],
                troubles: TroubleProfile(parsing: troubles)
            )
        } catch let error as InvalidProfile {
            throw Failure("--faults: \(error.explanation).")
        } catch let error as InvalidPlan {
            throw Failure("This cannot be simulated. \(error.explanation).")
        }
    }

    private static func day(_ text: String) throws -> Timestamp {
        guard text.utf8.count == 10, let day = Timestamp(rfc3339: "\(text)T00:00:00Z") else {
            throw Failure.usage("--from must be a day such as 2025-03-03.")
        }
        return day
    }

    private static func vendors(_ text: String) throws -> [Vendor] {
        try text.split(separator: ",").map { name in
            guard let vendor = Vendor(rawValue: String(name)) else {
                let known = VirtualSDKs.vendors.map(\.rawValue).joined(separator: ", ")
                throw Failure.usage("There is no vendor \(name).", hint: "Vendors: \(known).")
            }
            return vendor
        }
    }

    /// - Parameter report: The report of the simulation; nil for an earlier simulation.
    /// - Returns: True when the ledger found exactly the true discrepancies.
    private func reconcile(
        _ files: [Reconciling.File],
        _ truth: TruthFile,
        _ client: APIClient,
        after report: Trading.Report? = nil
    ) async throws -> Bool {
        guard !truth.matches.isEmpty else {
            throw Failure("The truth file has no statement lines.", hint: "Write it with --statements.")
        }
        let reconciling = Reconciling(client: client)
        if agree {
            let key = approverKey ?? ProcessInfo.processInfo.environment["DAYBOOK_APPROVER_KEY"] ?? ""
            guard !key.isEmpty else {
                throw Failure(
                    "Rules are approved by another operator.",
                    hint: "Give the key of another holder with --approver-key or DAYBOOK_APPROVER_KEY."
                )
            }
            try await reconciling.agree(approver: APIClient(base: client.base, key: key)) { Terminal.note($0) }
        }
        let (score, ignored) = try await reconciling.run(files, truth) { Terminal.note($0) }
        let balances = try await compareBalances(truth, .reconciled, client)
        if json {
            var object = report?.json.object ?? [:]
            object["reconciliation"] = score.json()
            object["notCompared"] = .array(ignored.map(\.rawValue).sorted().map { .string($0) })
            object["journal"] = balances?.json()
            Terminal.say(.object(object))
        } else {
            if report != nil { Terminal.say() }
            score.show(truth.discrepancies)
            balances?.show()
        }
        return score.isClean && balances?.isClean ?? true
    }

    /// - Returns: Nil without --balances.
    private func compareBalances(
        _ truth: TruthFile,
        _ state: BalanceTruth.State,
        _ client: APIClient
    ) async throws -> BalanceScore? {
        guard balances else { return nil }
        return try await LedgerReading(client: client).balances(truth, state) { Terminal.note($0) }
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
        let balances = try await compareBalances(truth, .traded, client)
        if json {
            var object = score.json().object ?? [:]
            object["journal"] = balances?.json()
            Terminal.say(.object(object))
        } else {
            score.show()
            balances?.show()
        }
        guard score.isClean, balances?.isClean ?? true else { throw ExitCode(2) }
    }
}
