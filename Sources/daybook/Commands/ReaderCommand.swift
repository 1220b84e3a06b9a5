import ArgumentParser
import Canonical
import Composition
import Operations
import Payments
import Projections

struct ReaderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader",
        abstract: "Show one reader or terminal: its state, errors and updates.",
        discussion: """
            `daybook list readers` lists them. --json prints the answer of GET /v1/readers/{vendor}/{serial}.

            EXAMPLES
              daybook reader handpoint 1234567890
              daybook reader youtransactor 400-1 --json | jq .errors
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The vendor of the reader.")
    var vendor: String

    @Argument(help: "The serial number of the reader.")
    var serial: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        let reference = ReaderReference(vendor: try Vendor(named: vendor), serial: serial)
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.readers.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                guard let found = try await ledger.payments.readers.reader(reference, of: tenant) else {
                    throw Failure("There is no such reader.", hint: "`daybook list readers` lists them.")
                }
                if common.json { try Terminal.say(json: ReaderJSON(found)) } else { Self.show(found) }
            }
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
        line("holds", reader.holdsResult == true ? "a result that the app has not fetched" : nil)
        for name in reader.names { line("also", "\(name.value) (\(name.name))") }
        line("payments", "\(reader.payments)")
        line("busy with", reader.payment?.transaction)
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
