import ArgumentParser
import Audit
import Canonical
import Composition
import Journal
import Operations
import Projections
import SystemPackage

struct ExportJournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Record an export of the journal, and write its file for accounting software.",
        discussion: """
            The file has the entries that no earlier export in the format has, unless --after is given: an export that \
            does not begin where the newest one ends begins a series. --id writes the file of a recorded export again, \
            byte for byte. `daybook list journal-exports` lists the exports. docs/journal.md describes the formats.

            EXAMPLES
              daybook export journal --format beancount -o january.beancount
              daybook export journal --format xero --through 1200 -o xero.csv --json
              daybook export journal --id 5d6f2a10-... -o january.beancount
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "beancount, hledger, quickbooks or xero.")
    var format: ExportFormat?

    @Option(help: "The position after which the file begins. Default: the last one of the newest export.")
    var after: Int64?

    @Option(help: "The last position. Default: the newest.")
    var through: Int64?

    @Option(help: "The id of a recorded export.")
    var id: String?

    @Option(name: [.customShort("o"), .customLong("output")], help: "The file. Default: standard output.")
    var output: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (format == nil) != (id == nil) else { throw ValidationError("Give either --format or --id.") }
        guard id == nil || after == nil && through == nil else {
            throw ValidationError("--after and --through exclude --id.")
        }
        guard after ?? 0 >= 0, through ?? after ?? 0 >= after ?? 0 else {
            throw ValidationError("--after must be 0 or more, and --through not less.")
        }
        guard output != nil || !common.json else {
            throw ValidationError("--json needs -o, because the file goes to standard output.")
        }
    }

    func run() async throws {
        try await Session.open(common) { session in
            let work: Ledger.Work = id == nil ? .applying : .reading(Lists.journalExports.readModels)
            try await session.withLedger(for: work) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let found = try await export(of: tenant, in: ledger)
                try await write(found.export, of: tenant, in: ledger)
                if common.json { return try Terminal.say(json: JournalExportJSON(found)) }
                Terminal.note(
                    "\(found.export.entries, "entry", "entries") after position \(found.export.after) through "
                        + "\(found.export.through), \(found.export.bytes, "byte"), sha256 \(found.export.sha256)"
                )
            }
        }
    }

    /// Records an export, or finds the one that `--id` names.
    private func export(of tenant: String, in ledger: Ledger) async throws -> ExportView {
        var recorded = id.flatMap { UUID128($0) }
        if let format {
            try await ledger.catchUp()
            let outcome = try await Failure.explaining {
                try await ledger.exportJournal(
                    ExportRequest(format: format, after: after, through: through),
                    idempotencyKey: nil,
                    sender: ledger.sender(tenant),
                    waitLimit: .seconds(60)
                )
            }
            _ = try await ledger.readModels.wait(for: "journal", toReach: outcome.position, timeout: .seconds(60))
            recorded = outcome.export.id
        }
        guard let recorded, let found = try await ledger.journal.export(recorded, of: tenant) else {
            throw Failure("There is no such export.", hint: "`daybook list journal-exports` lists them.")
        }
        return found
    }

    private func write(_ export: JournalExport, of tenant: String, in ledger: Ledger) async throws {
        do {
            try await Failure.explaining {
                guard let output else {
                    let standardOutput = OutputFile.standardOutput
                    return try await ExportFile.again(export, of: tenant, from: ledger.journal) {
                        try await standardOutput.write($0)
                    }
                }
                try await OutputFile.with(output) { file in
                    try await ExportFile.again(export, of: tenant, from: ledger.journal) { try await file.write($0) }
                }
            }
        } catch let error as Errno {
            throw Failure(
                "\(output ?? "The output") cannot be written: \(error).",
                hint: "The export is recorded: `--id \(export.id.text)` writes its file."
            )
        }
    }
}

extension ExportFormat: ExpressibleByArgument {}
