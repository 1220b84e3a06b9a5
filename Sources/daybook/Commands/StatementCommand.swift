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
        abstract: "Import what gateways, processors and banks report, and show what stands in it.",
        subcommands: [
            StatementImportCommand.self, StatementListCommand.self, StatementShowCommand.self,
            StatementWithdrawCommand.self,
        ]
    )
}

struct StatementImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import statement files, each whole or not at all.",
        discussion: """
            A file is read to its end before anything of it is recorded; a malformed one is named with line and column, and
            leaves nothing behind. The same file again is the same statement, unless that was withdrawn. Formats: \
            \(StatementFormat.allCases.map(\.rawValue).joined(separator: ", ")); see docs/statements.md.
            Exit code 2: some files were not imported, or hold totals that their own lines do not come to.

            EXAMPLES
              daybook statement import settlement_detail_report_batch_238.csv
              daybook statement import bank/*.bai --currency USD
              daybook statement import payments.csv --format daybook-csv --mapping mapping.json
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The files.")
    var files: [String]

    @Option(help: "The format; recognised if left out.")
    var format: StatementFormat?

    @Option(help: "The currency of files that name none, as USD.")
    var currency: String?

    @Option(help: "How dates of three numbers are written: ymd, mdy or dmy.")
    var dateOrder: DateOrder?

    @Option(help: "For daybook-csv: a file that says which column is what.")
    var mapping: String?

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
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
                        "  \(reported.failedControls) of \(reported.controls) totals are not what the lines come to:"
                    )
                    Terminal.say("  daybook statement show \(outcome.id.text)")
                }
                if reported.notes > 0 {
                    Terminal.say("  not understood, or meant in one of several ways, \(reported.notes) times:")
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
                    "the same file was imported before, read in another way: statement \(id.text), \(format); "
                        + "`daybook statement withdraw` takes that one back"
                case .disturbed: "the file is being imported by somebody else, or was changed meanwhile; try again"
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
        abstract: "Take back a statement that was read in the wrong way, or should not have been imported.",
        discussion: """
            Its lines do not count any more, and what they explained is matched again at once. Nothing is lost: everything as of
            a time before still shows them. The same file can then be imported again, in another way.

            EXAMPLES
              daybook statement withdraw 0f3c9a52-... --reason 'read as if it were in euros'
              daybook statement import settlement.csv --currency USD
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the statement.")
    var id: String

    @Option(help: "Why; it is recorded.")
    var reason: String

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
    var tenantName: String?

    func run() async throws {
        guard (1...StatementCommands.longestReason).contains(reason.utf8.count),
            reason.contains(where: { !$0.isWhitespace })
        else {
            throw Failure("--reason is a text of 1 to \(StatementCommands.longestReason) bytes.", exitCode: 64)
        }
        try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let sender = Sender(tenant: tenant, actor: "cli:\(NSUserName())", correlation: ledger.ids.next().text)
                let done = try await withdraw(by: sender, in: ledger)
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

    private func withdraw(by sender: Sender, in ledger: Ledger) async throws -> Reconciliation.Outcome {
        do {
            guard let id = UUID128(id) else { throw StatementCommands.Refusal.noSuchStatement }
            _ = try await ledger.statementCommands.withdraw(id, reason: reason, sender: sender)
            return try await ledger.reconciliation.run(sender: sender)
        } catch let refusal as StatementCommands.Refusal {
            switch refusal {
            case .noSuchStatement: throw Failure.noStatement
            case .alreadyWithdrawn: throw Failure("The statement was withdrawn before.")
            }
        } catch is Reconciler.Refusal {
            throw Failure("It is withdrawn, and not matched again yet.", hint: "`daybook reconcile run` does so.")
        } catch let problem as IntakeProblem {
            throw Failure(problem.detail)
        }
    }
}

extension Failure {
    fileprivate static let noStatement = Failure(
        "There is no such statement.",
        hint: "List them: daybook statement list"
    )
}

struct StatementListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the statements that were imported.",
        discussion: """
            Newest first. --json prints what GET /v1/statements answers. Lines and totals of one are lists of their own:
            daybook list statement-lines statement=ID, daybook list controls statement=ID.

            EXAMPLES
              daybook statement list
              daybook statement list --inconsistent --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Only files of this format.")
    var format: StatementFormat?

    @Flag(help: "Only those with totals that their lines do not come to.")
    var inconsistent = false

    @Option(help: "How many, 1 to 1000.")
    var limit = 100

    @Option(help: "Where an earlier answer ended: its `next`.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
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
        abstract: "Show one statement: what it comes to, and the totals that do not hold.",
        discussion: """
            --json prints what GET /v1/statements/{id} answers.

            EXAMPLES
              daybook statement show 0f3c9a52-...
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the statement.")
    var id: String

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
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
        guard !failed.isEmpty else { return Terminal.say("every total in the file is what its lines come to") }
        Terminal.say()
        Terminal.say("totals that are not what the lines come to:")
        Terminal.table(
            ["line", "total", "of", "stated", "lines come to"],
            failed.map { control in
                [
                    String(control.line), control.name, control.scope, figure(control.stated, of: control),
                    control.computed.map { figure($0, of: control) } ?? "-",
                ]
            },
            rightAligned: [0, 3, 4]
        )
    }

    /// An amount with its currency; a count as it is.
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
            throw Failure("\(path): \(error)", hint: "docs/statements.md says what a mapping holds.")
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
