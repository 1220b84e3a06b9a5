import ArgumentParser
import Audit
import Canonical
import Composition
import Operations
import Payments
import Projections
import SystemPackage

struct ReaderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader",
        abstract: "Show one reader or terminal: its state, errors and updates.",
        discussion: """
            `daybook list readers` lists them. --json prints the answer of GET /v1/readers/{vendor}/{serial}. \
            --bundle writes what the vendor's support needs as NDJSON: the reader with its errors, updates and \
            remedies, and the events about it, at most \(ReaderBundle.mostEvents). They are those of the last 24 hours \
            by the ledger's clock, unless --from or --to is given.

            EXAMPLES
              daybook reader handpoint 1234567890
              daybook reader youtransactor 400-1 --json | jq .errors
              daybook reader handpoint 1234567890 --bundle -o support.ndjson \\
                --from 2026-03-01T00:00:00Z --to 2026-03-02T00:00:00Z
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The vendor of the reader.")
    var vendor: String

    @Argument(help: "The serial number of the reader.")
    var serial: String

    @Flag(help: "Write the bundle for the vendor's support.")
    var bundle = false

    @Option(help: "Of a bundle, only events recorded at this time (RFC 3339) or later.")
    var from: String?

    @Option(help: "Of a bundle, only events recorded before this time.")
    var to: String?

    @Option(name: [.customShort("o"), .customLong("output")], help: "The file of a bundle. Default: standard output.")
    var output: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard bundle || (from == nil && to == nil && output == nil) else {
            throw ValidationError("--from, --to and -o need --bundle.")
        }
        guard !(bundle && common.json) else { throw ValidationError("--bundle and --json exclude each other.") }
    }

    func run() async throws {
        let from = try from.map { try TotalsCommand.time($0, "--from") }
        let to = try to.map { try TotalsCommand.time($0, "--to") }
        let reference = ReaderReference(vendor: try Vendor(named: vendor), serial: serial)
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.readerRates.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                if bundle {
                    let found = try await Failure.explaining {
                        try await ledger.readerBundle(of: reference, tenant: tenant, from: from, to: to)
                    }
                    guard let found else { throw Self.unknown }
                    return try await write(found)
                }
                guard let found = try await ledger.payments.readers.reader(reference, of: tenant) else {
                    throw Self.unknown
                }
                if common.json { try Terminal.say(json: ReaderJSON(found)) } else { Self.show(found) }
            }
        }
    }

    private static let unknown = Failure("There is no such reader.", hint: "`daybook list readers` lists them.")

    private func write(_ bundle: ReaderBundle) async throws {
        let lines = try bundle.lines()
        guard let output else { return try await OutputFile.standardOutput.write(lines) }
        do {
            try await OutputFile.with(output) { try await $0.write(lines) }
        } catch let error as Errno {
            throw Failure("\(output) cannot be written: \(error).")
        }
    }

    private static func show(_ reader: ReaderView) {
        func line(_ label: String, _ value: String?) {
            guard let value else { return }
            Terminal.say(label + String(repeating: " ", count: max(1, 12 - label.count)) + value)
        }
        line("reader", "\(reader.reader.vendor.rawValue) \(reader.reader.serial)")
        line("model", reader.model)
        line("connected", reader.isConnected.map { $0 ? "yes" : "no" })
        line("battery", reader.battery.map { "\($0) %" })
        line("charging", reader.isCharging.map { $0 ? "yes" : "no" })
        for name in reader.names { line("also", "\(name.value) (\(name.name))") }
        line("payments", "\(reader.payments)")
        line("busy with", reader.payment?.transaction)
        if reader.holdsResult == true { line("holds", "a result. \(ReaderJSON(reader).resultRemedy ?? "")") }
        line("first seen", reader.firstSeen.rfc3339)
        line("last seen", reader.lastSeen.rfc3339)
        for version in reader.versions { line(version.name, version.value) }
        guard !reader.faults.isEmpty else { return }
        Terminal.say()
        Terminal.table(
            ["error", "message", "times", "last", "what to do"],
            ReaderJSON(reader).errors.map {
                [$0.kind, $0.message ?? "-", "\($0.count)", $0.lastAt.rfc3339, $0.remedy ?? "-"]
            },
            rightAligned: [2]
        )
    }
}
