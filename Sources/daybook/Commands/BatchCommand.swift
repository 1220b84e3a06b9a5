import ArgumentParser
import Canonical
import DaybookAPI
import Ledger
import Payments
import Projections

struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Show settlement batches and their totals.",
        discussion: """
            EXAMPLES
              daybook batch
              daybook batch 121 --json
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "Only batches with this number.")
    var number: String?

    @Option(help: "How many, newest first, 1 to 1000.")
    var limit = 50

    @Option(help: "The tenant; may be left out when there is one.")
    var tenant: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    }

    func run() async throws {
        try await Session.open(common) { session in
            // The read model may be behind when no server runs: this command follows the log itself.
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenant)
                try await ledger.catchUp()
                let batches = try await ledger.batches.batches(of: tenant, number: number, limit: limit)
                if common.json { return Terminal.say(.array(try batches.map { try $0.json() })) }
                if batches.isEmpty { return Terminal.say("no batches") }
                Self.show(batches)
            }
        }
    }

    static func show(_ batches: [BatchView]) {
        Terminal.table(
            ["batch", "vendor", "account", "status", "sales", "tips", "refunds", "voided", "net"],
            batches.flatMap { batch in batch.lines },
            rightAligned: [4, 5, 6, 7, 8]
        )
    }
}

extension BatchView {
    /// One row for each currency; one without amounts for a batch without members.
    fileprivate var lines: [[String]] {
        let head = [
            reference.number ?? "(open)", reference.vendor.rawValue, reference.account ?? "-", status.rawValue,
        ]
        let empty = head + ["-", "-", "-", "-", "-"]
        let rows = nets.map { net -> [String] in
            func sum(_ amount: (BatchTotal) -> Int64) -> String {
                let minor = totals.filter { $0.currency == net.currency }.reduce(Int64(0)) {
                    $0.addingSaturated(amount($1))
                }
                return Money(minor, net.currency).description
            }
            return head + [
                sum { $0.net > 0 ? $0.amount : 0 }, sum(\.tips), sum { $0.net < 0 ? $0.amount : 0 }, sum(\.voided),
                net.description,
            ]
        }
        return rows.isEmpty ? [empty] : rows
    }
}
