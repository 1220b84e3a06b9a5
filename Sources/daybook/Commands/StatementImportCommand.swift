import ArgumentParser
import Canonical
import Composition
import Foundation
import Intake
import Operations
import Payments
import Reconciliation
import Statements

struct StatementImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import statement files, each completely or not at all.",
        discussion: """
            A file is read completely before any of it is recorded. A malformed file is reported with line and column, \
            and nothing of it is recorded. A repeated file is the same statement, unless that was withdrawn. Formats: \
            \(StatementFormat.allCases.map(\.rawValue).joined(separator: ", ")); see docs/statements.md. Exit code 2: \
            some files were not imported, or have totals that differ from the sums of their lines.

            EXAMPLES
              daybook statement import settlement_detail_report_batch_238.csv
              daybook statement import bank/*.bai --currency USD
              daybook statement import payments.csv --format daybook-csv \\
                --mapping mapping.json
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
            try await session.withLedger(for: .applying) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                var results: [ImportedFile] = []
                var isClean = true
                for file in files {
                    let result = try await importFile(file, wanted, of: tenant, in: ledger)
                    isClean = isClean && result.isClean
                    results.append(result)
                }
                if common.json { try Terminal.say(json: results) }
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
    ) async throws -> ImportedFile {
        var request = request
        request.name = URL(filePath: file).lastPathComponent
        let sender = ledger.sender(tenant)
        do {
            let source = try StatementFile(file)
            let outcome = try await ledger.reconciliation.importer.import(source, request, sender: sender) {
                done,
                total in
                Terminal.progress(file, done, of: total)
            }
            if !common.json { Self.show(outcome, of: file) }
            return ImportedFile(outcome, of: file)
        } catch let problem as StatementProblem {
            if !common.json { Terminal.say("\(file): not imported: \(problem)") }
            return ImportedFile(file: file, fault: problem.code.rawValue, detail: problem.description)
        } catch let refusal as StatementImporter.Refusal {
            let detail =
                switch refusal {
                case .readOtherwise(let id, let format):
                    "the same file was imported before with other options: statement \(id.text), \(format); "
                        + "`daybook statement withdraw` withdraws that one"
                case .disturbed: "another import of the file is running, or the file changed meanwhile; try again"
                }
            if !common.json { Terminal.say("\(file): not imported: \(detail)") }
            return ImportedFile(file: file, fault: "refused", detail: detail)
        }
    }

    private static func show(_ outcome: StatementImporter.Outcome, of file: String) {
        let reported = outcome.statement
        let again = outcome.isRepeat ? ", imported before" : ""
        Terminal.say("\(file): \(reported.format), \(reported.lines, "line")\(again): statement \(outcome.id.text)")
        if reported.failedControls > 0 {
            Terminal.say(
                "  \(reported.failedControls) of \(reported.controls, "total") differ from the sums of the lines:"
            )
            Terminal.say("  daybook statement show \(outcome.id.text)")
        }
        if reported.notes > 0 {
            Terminal.say("  unreadable or ambiguous in \(reported.notes, "place"):")
            Terminal.say("  daybook statement show \(outcome.id.text)")
        }
    }
}

/// The result of one file, as --json prints it.
private struct ImportedFile: Encodable {
    var file: String
    var statement: UUID128?
    var repeated: Bool?
    var format: String?
    var lines: Int64?
    var controls: Int64?
    var failedControls: Int64?
    var remarks: Int64?
    var fault: String?
    var detail: String?

    init(_ outcome: StatementImporter.Outcome, of file: String) {
        let reported = outcome.statement
        self.file = file
        statement = outcome.id
        repeated = outcome.isRepeat
        format = reported.format
        lines = reported.lines
        controls = reported.controls
        failedControls = reported.failedControls
        remarks = reported.notes
    }

    init(file: String, fault: String, detail: String) {
        self.file = file
        self.fault = fault
        self.detail = detail
    }

    var isClean: Bool { fault == nil && failedControls == 0 }
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
