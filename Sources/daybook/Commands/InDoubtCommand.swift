import ArgumentParser
import Canonical
import Ledger
import Operations
import Payments
import Projections

struct InDoubtCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "in-doubt",
        abstract: "List payments with an unknown outcome, the oldest first, with the amounts at stake.",
        discussion: """
            --json prints the answer of GET /v1/in-doubt.

            EXAMPLES
              daybook in-doubt
              daybook in-doubt --merchant 8846 --json | jq '.totals'
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Only payments reported by this vendor's SDK.")
    var vendor: String?

    @Option(help: "Only this merchant.")
    var merchant: String?

    @Option(help: "Only this terminal.")
    var terminal: String?

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
        var filter = DoubtQuery.Filter()
        filter.vendor = try vendor.map(Vendor.init(named:))
        filter.merchant = merchant
        filter.terminal = terminal
        try await Session.open(common) { [filter] session in
            // The read model may be behind when no server runs: this command follows the log itself.
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                let start = try cursor.map { try Cursor(given: $0) }
                do {
                    show(try await ledger.inDoubtPage(of: tenant, matching: filter, after: start, limit: limit))
                } catch TotalsError.overflow {
                    throw Failure(
                        "The amount at stake does not fit 64 bits.",
                        hint: "Select one merchant with --merchant."
                    )
                }
            }
        }
    }

    private func show(_ page: InDoubtPage) {
        if common.json {
            Terminal.say(page.json.saying(more: page.next != nil))
        } else if page.items.isEmpty {
            Terminal.say("nothing is in doubt")
        } else {
            Terminal.table(
                ["transaction", "since (UTC)", "age", "status", "merchant", "terminal", "at stake"],
                page.items.map { payment in
                    [
                        payment.transaction.text, payment.occurredAt.rfc3339,
                        Self.age(page.now.microseconds(since: payment.occurredAt) / 1_000_000), payment.status.rawValue,
                        payment.merchant ?? "-", payment.terminal ?? "-", payment.value?.description ?? "-",
                    ]
                },
                rightAligned: [2, 6]
            )
            for one in page.totals { Terminal.note("\(one.count) in doubt: \(Money(one.value, one.currency))") }
        }
        if let next = page.next { Terminal.note(next.hint) }
    }

    /// An age as `3 d`, `5 h` or `12 min`. It may be negative, because a device's clock may be ahead.
    static func age(_ seconds: Int64) -> String {
        switch max(0, seconds) {
        case let seconds where seconds >= 172_800: "\(seconds / 86_400) d"
        case let seconds where seconds >= 7_200: "\(seconds / 3_600) h"
        case let seconds: "\(seconds / 60) min"
        }
    }
}
