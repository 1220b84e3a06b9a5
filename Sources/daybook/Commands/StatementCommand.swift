import ArgumentParser
import Canonical
import Foundation
import Intake
import Ledger
import Matching
import Operations
import Payments
import Projections
import Reconciliation
import Statements

struct StatementCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statement",
        abstract: "Import and show the statements of gateways, processors and banks.",
        subcommands: [
            StatementImportCommand.self, StatementListCommand.self, StatementShowCommand.self,
            StatementWithdrawCommand.self,
        ]
    )
}

struct StatementImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import statement files, each completely or not at all.",
        discussion: """
            A file is read completely before any of it is recorded. A malformed file is reported with line and column, and
            nothing of it is recorded. A repeated file is the same statement, unless that was withdrawn. Formats: \
            \(StatementFormat.allCases.map(\.rawValue).joined(separator: ", ")); see docs/statements.md.
            Exit code 2: some files were not imported, or have totals that differ from the sums of their lines.

            EXAMPLES
              daybook statement import settlement_detail_report_batch_238.csv
              daybook statement import bank/*.bai --currency USD
              daybook statement import payments.csv --format daybook-csv --mapping mapping.json
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The files.")
    var files: [String]

    @Option(help: "The format. Default: recognised from the file.")
    var format: StatementFormat?

    @Option(help: "The currency of files that name none, such as USD.")
    var currency: String?

    @Option(help: "The order of dates of three numbers: ymd, mdy or dmy.")
    var dateOrder: DateOrder?

    @Option(help: "The file that maps columns, for daybook-csv.")
    var mapping: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        var request = StatementImporter.Request(format: format)
        request.options.dateOrder = dateOrder
        if let currency {
            guard let known = Currency(alpha: currency) else {
                throw Failure.usage("There is no currency \(currency).")
            }
            request.options.currency = known
        }
        if let mapping { try request.use(mapping: mapping) }
        let wanted = request
        let isClean = try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                var results: [JSONValue] = []
                var isClean = true
                for file in files {
                    let result = try await importFile(file, wanted, of: tenant, in: ledger)
                    isClean = isClean && result.isClean
                    results.append(.object(result.json))
                }
                if common.json { Terminal.say(.array(results)) }
                return isClean
            }
        }
        if !isClean { throw ExitCode(2) }
    }

    private func importFile(
        _ file: String,
        _ request: StatementImporter.Request,
        of tenant: String,
        in ledger: Ledger
    ) async throws -> (json: JSONObject, isClean: Bool) {
        var request = request
        request.name = URL(filePath: file).lastPathComponent
        let sender = Sender(tenant: tenant, actor: "cli:\(NSUserName())", correlation: ledger.ids.next().text)
        var answer: JSONObject = ["file": .string(file)]
        do {
            let source = try StatementFile(file)
            let outcome = try await ledger.statementImporter.import(source, request, sender: sender) { done, total in
                Terminal.progress(file, done, of: total)
            }
            let reported = outcome.statement
            answer["statement"] = .string(outcome.id.text)
            answer["repeated"] = .bool(outcome.isRepeat)
            answer["format"] = .string(reported.format)
            answer["lines"] = .number(.init(reported.lines))
            answer["controls"] = .number(.init(reported.controls))
            answer["failedControls"] = .number(.init(reported.failedControls))
            answer["remarks"] = .number(.init(reported.notes))
            if !common.json {
                let again = outcome.isRepeat ? ", imported before" : ""
                Terminal.say(
                    "\(file): \(reported.format), \(reported.lines) lines\(again): statement \(outcome.id.text)"
                )
                if reported.failedControls > 0 {
                    Terminal.say(
                        "  \(reported.failedControls) of \(reported.controls) totals differ from the sums of the lines:"
                    )
                    Terminal.say("  daybook statement show \(outcome.id.text)")
                }
                if reported.notes > 0 {
                    Terminal.say("  unreadable or ambiguous in \(reported.notes) places:")
                    Terminal.say("  daybook statement show \(outcome.id.text)")
                }
            }
            return (answer, reported.failedControls == 0)
        } catch let problem as StatementProblem {
            answer["fault"] = .string(problem.code.rawValue)
            answer["detail"] = .string(problem.description)
            if !common.json { Terminal.say("\(file): not imported: \(problem)") }
        } catch let refusal as StatementImporter.Refusal {
            let detail =
                switch refusal {
                case .readOtherwise(let id, let format):
                    "the same file was imported before with other options: statement \(id.text), \(format); "
                        + "`daybook statement withdraw` withdraws that one"
                case .disturbed: "another import of the file is running, or the file changed meanwhile; try again"
                }
            answer["fault"] = "refused"
            answer["detail"] = .string(detail)
            if !common.json { Terminal.say("\(file): not imported: \(detail)") }
        }
        return (answer, false)
    }
}

struct StatementWithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Withdraw a statement that was read with wrong options, or imported by mistake.",
        discussion: """
            The lines do not count from then on, and the movements that they explained are matched again at once. Past states
            still show the lines. The same file can then be imported again with other options.

            EXAMPLES
              daybook statement withdraw 0f3c9a52-... --reason 'read as if it were in euros'
              daybook statement import settlement.csv --currency USD
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the statement.")
    var id: String

    @Option(help: "The reason, which is recorded.")
    var reason: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        let reason = try Failure.checked(reason: reason)
        try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let sender = Sender(tenant: tenant, actor: "cli:\(NSUserName())", correlation: ledger.ids.next().text)
                let done = try await withdraw(reason, by: sender, in: ledger)
                guard let id = UUID128(id), let found = try await ledger.statement(id, of: tenant) else {
                    throw Failure.noStatement
                }
                if common.json { return Terminal.say(found) }
                Terminal.say("statement \(id.text) is withdrawn; its \(found["lines"]?.text ?? "-") lines do not count")
                let changes = done.runs.map(\.completion)
                Terminal.say(
                    "\(changes.reduce(0) { $0 + $1.unmatched }) matches ended, \(changes.reduce(0) { $0 + $1.matched }) made; "
                        + "\(changes.reduce(0) { $0 + $1.raised }) exceptions raised, "
                        + "\(changes.reduce(0) { $0 + $1.cleared }) cleared"
                )
            }
        }
    }

    private func withdraw(_ reason: String, by sender: Sender, in ledger: Ledger) async throws -> Reconciliation.Outcome
    {
        do {
            guard let id = UUID128(id) else { throw StatementCommands.Refusal.noSuchStatement }
            _ = try await ledger.statementCommands.withdraw(id, reason: reason, sender: sender)
            return try await ledger.reconciliation.run(sender: sender)
        } catch let refusal as StatementCommands.Refusal {
            switch refusal {
            case .noSuchStatement: throw Failure.noStatement
            case .alreadyWithdrawn: throw Failure(Operations.Refusal(refusal))
            }
        } catch is Reconciler.Refusal {
            throw Failure(
                "The statement is withdrawn, but not matched again yet.",
                hint: "Run `daybook reconcile run`."
            )
        } catch let problem as IntakeProblem {
            throw Failure(problem.detail)
        }
    }
}

extension Failure {
    fileprivate static let noStatement = Failure(
        "There is no such statement.",
        hint: "`daybook statement list` lists them."
    )
}

struct StatementListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the imported statements.",
        discussion: """
            The newest come first. --json prints the answer of GET /v1/statements. `daybook list statement-lines statement=ID`
            and `daybook list controls statement=ID` list the lines and controls of one statement.

            EXAMPLES
              daybook statement list
              daybook statement list --inconsistent --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Only files of this format.")
    var format: StatementFormat?

    @Flag(help: "Only statements with totals that differ from the sums of their lines.")
    var inconsistent = false

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    }

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                var filter = StatementFilter()
                filter.format = format?.rawValue
                if inconsistent { filter.isInconsistent = true }
                let start = try cursor.map { try Cursor(given: $0) }
                let found = try await ledger.page(.statements(filter), of: tenant, after: start, limit: limit)
                let items = try found.items.map { try JSONValue(parsing: $0.utf8) }
                if common.json {
                    var page: JSONObject = ["items": .array(items)]
                    page.set("next", found.next?.text)
                    return Terminal.say(page.saying(more: found.next != nil))
                }
                if items.isEmpty { return Terminal.say("no statement has been imported") }
                Terminal.table(
                    ["id", "format", "name", "status", "lines", "failed", "from", "to"],
                    items.map { item in
                        [
                            item["id"]?.string ?? "-", item["format"]?.string ?? "-", item["name"]?.string ?? "-",
                            item["status"]?.string ?? "-", item["lines"]?.text ?? "-",
                            item["failedControls"]?.text ?? "-", item["firstDay"]?.string ?? "-",
                            item["lastDay"]?.string ?? "-",
                        ]
                    },
                    rightAligned: [4, 5]
                )
                if let next = found.next { Terminal.note(next.hint) }
            }
        }
    }
}

struct StatementShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one statement with its totals and failed controls.",
        discussion: """
            --json prints the answer of GET /v1/statements/{id}.

            EXAMPLES
              daybook statement show 0f3c9a52-...
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the statement.")
    var id: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                guard let id = UUID128(id), let found = try await ledger.statement(id, of: tenant) else {
                    throw Failure.noStatement
                }
                if common.json { return Terminal.say(found) }
                let failed = try await ledger.statements.controls(of: id, tenant: tenant, holds: false, limit: 50)
                Self.show(found, failed)
            }
        }
    }

    private static func show(_ found: JSONValue, _ failed: [ControlView]) {
        let names = [
            "id", "format", "name", "status", "lines", "repeatedLines", "firstDay", "lastDay", "importedAt", "replaces",
        ]
        for name in names {
            guard let value = found[name] else { continue }
            Terminal.say("\(name.padding(toLength: 14, withPad: " ", startingAt: 0))  \(value.string ?? value.text)")
        }
        if let withdrawal = found["withdrawal"] {
            let reported = ["at", "by", "reason"].map { withdrawal[$0]?.string ?? "-" }
            Terminal.say("withdrawn       \(reported[0]) by \(reported[1]): \(reported[2])")
        }
        Terminal.say()
        Terminal.table(
            ["type", "lines", "gross", "fees", "amount"],
            (found["totals"]?.array ?? []).map { total in
                [total["type"]?.string ?? "-", total["lines"]?.text ?? "-"]
                    + ["gross", "fees", "amount"].map { total[$0].flatMap(Money.init(json:))?.description ?? "-" }
            },
            rightAligned: [1, 2, 3, 4]
        )
        for remark in found["remarks"]?.array ?? [] {
            let what = [remark["code"]?.string, remark["detail"]?.string].compactMap(\.self).joined(separator: ": ")
            Terminal.say("line \(remark["line"]?.text ?? "-"): \(what)")
        }
        guard !failed.isEmpty else { return Terminal.say("every total in the file equals the sum of its lines") }
        Terminal.say()
        Terminal.say("totals that differ from the sums of the lines:")
        Terminal.table(
            ["line", "total", "of", "stated", "computed"],
            failed.map { control in
                [
                    String(control.line), control.name, control.scope, figure(control.stated, of: control),
                    control.computed.map { figure($0, of: control) } ?? "-",
                ]
            },
            rightAligned: [0, 3, 4]
        )
    }

    /// An amount with its currency, or a plain count.
    private static func figure(_ figure: Int64, of control: ControlView) -> String {
        let isAmount = control.kind == "total" || control.kind == "balance"
        guard isAmount, let currency = control.currency.flatMap({ Currency(alpha: $0) }) else { return String(figure) }
        return Money(figure, currency).description
    }
}

/// A file on disk, read outside the cooperative pool.
private final class StatementFile: StatementSource {
    private let path: String
    private let queue = DispatchQueue(label: "daybook.statement")

    init(_ path: String) throws {
        self.path = path
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
            FileManager.default.isReadableFile(atPath: path)
        else { throw Failure("The file \(path) cannot be read.") }
        if isDirectory.boolValue { throw Failure("\(path) is a directory.", hint: "Name the files in it.") }
    }

    func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [path] in
                continuation.resume(
                    with: Result {
                        let handle = try FileHandle(forReadingFrom: URL(filePath: path))
                        defer { try? handle.close() }
                        try handle.seek(toOffset: UInt64(offset))
                        return [UInt8](try handle.read(upToCount: count) ?? Data())
                    }
                )
            }
        }
    }
}

extension StatementImporter.Request {
    /// Reads the mapping file.
    fileprivate mutating func use(mapping path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure("The file \(path) cannot be read.")
        }
        do {
            try use(mapping: [UInt8](data))
        } catch {
            throw Failure("\(path): \(error)", hint: "docs/statements.md describes mappings.")
        }
    }
}

extension StatementFormat: ExpressibleByArgument {}
extension DateOrder: ExpressibleByArgument {}

extension Money {
    fileprivate init?(json: JSONValue) {
        guard let value = json["value"]?.int64, let currency = json["currency"]?.string.flatMap({ Currency(alpha: $0) })
        else { return nil }
        self.init(value, currency)
    }
}
